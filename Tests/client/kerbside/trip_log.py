"""The trips that an event log tells of, worked out from the log alone."""


def trips_of(events):
    """ride → its row, as `kerbside trips --json` has it. events: (type, hub ms, data) in their order."""
    trips = {}
    for kind, time, data in events:
        if kind.startswith(("ride.", "offer.", "payment.", "trip.")):
            trip = trips.setdefault(data["ride"], {"id": data["ride"], "offers": 0, "rounds": 0, "given_back": 0})
            _take(trip, kind, time, data)
    return {ride: {key: value for key, value in trip.items() if value is not None} for ride, trip in trips.items()}


def _take(trip, kind, time, data):
    if kind == "ride.requested":
        for name in ("passenger", "zone", "passengers", "to_lat", "to_lon"):
            trip[name] = data.get(name)
        trip.update(from_lat=data["lat"], from_lon=data["lon"], requested_at=time)
    elif kind == "offer.made":
        trip["offers"] += 1
        trip.setdefault("offered_at", time)
    elif kind == "ride.searching" and data["reason"] == "next_round":
        trip["rounds"] += 1
    elif kind == "ride.searching":
        trip["given_back"] += 1
        for name in ("driver", "accepted_at", "near_at", "arrived_at"):
            trip.pop(name, None)
    elif kind == "ride.accepted":
        trip.update(driver=data["driver"], accepted_at=time)
    elif kind in ("ride.near", "ride.arrived"):
        trip.setdefault(kind.removeprefix("ride.") + "_at", time)
    elif kind == "ride.aboard":
        trip.update(aboard_at=time, aboard=data["passengers"])
    elif kind in ("ride.ended", "ride.cancelled", "ride.noshow", "ride.failed"):
        reason = data.get("code") or data.get("reason") or data.get("text")
        trip.update(outcome=kind.removeprefix("ride."), ended_at=time, ended_by=data.get("by"), reason=reason)
        if kind == "ride.ended":
            trip["fare"] = data.get("amount")
            for name in ("receipt", "currency", "payment", "payment_state"):
                trip[name] = data.get(name)
    elif kind == "payment.changed":
        trip["payment_state"] = data["payment_state"]
    elif kind == "trip.rated":
        trip.setdefault("stars_of_" + ("passenger" if data["by"] == "driver" else "driver"), data["stars"])
