"""What an event log tells of trips, of bookings of seats and of requests for stops, worked out from the log alone."""

#: Ends of a request for a stop.
STOP_ENDS = ("declined", "expired", "cancelled", "completed", "noshow")
#: What a ride or a booking becomes when it ends as a trip: field of the event → column.
TRIP = {
    "receipt": "receipt", "amount": "fare", "currency": "currency", "payment": "payment", "payment_state": "payment_state",
    "local": "local_time", "to_zone": "to_zone", "distance_m": "distance_m", "parts": "fare_parts", "estimate": "estimate",
    "plate": "plate", "driver_name": "driver_name", "company": "company",
}


def trips_of(events):
    """ride → its row, as `kerbside trips --json` has it. events: (type, hub ms, data) in their order."""
    new = {"offers": 0, "rounds": 0, "given_back": 0}
    return _rows(events, ("ride.", "offer.", "payment.", "trip."), "ride", new, _take_trip)


def bookings_of(events):
    """booking → its row, as the table `bookings` has it."""
    return _rows(events, ("seat.", "payment.", "trip."), "booking", {}, _take_booking)


def stop_requests_of(events):
    """request → its row, as the table `stop_requests` has it."""
    return _rows(events, ("stop.",), "request", {"reopened": 0}, _take_stop)


#: table → how it follows from the log.
FOLDS = {"trips": trips_of, "bookings": bookings_of, "stop_requests": stop_requests_of}


def _rows(events, families, key, new, take):
    rows = {}
    for kind, time, data in events:
        # Payments and ratings are of rides or of bookings; a bus that passes a stop does so for nobody's request.
        if kind.startswith(families) and key in data:
            take(rows.setdefault(data[key], {"id": data[key], **new}), kind, time, data)
    return {name: {column: value for column, value in row.items() if value is not None} for name, row in rows.items()}


def _forget(row, *columns):
    for column in columns:
        row.pop(column, None)


def _rated(row, data):
    rated = "passenger" if data["by"] == "driver" else "driver"
    row.setdefault("stars_of_" + rated, data["stars"])
    if "text" in data:
        row.setdefault("comment_on_" + rated, data["text"])


def _paid(row, data):
    row["payment_state"] = data["payment_state"]
    if "reference" in data:
        row["payment_reference"] = data["reference"]


def _take_trip(trip, kind, time, data):
    if kind == "ride.requested":
        for name in ("passenger", "zone", "passengers", "to_lat", "to_lon"):
            trip[name] = data.get(name)
        trip.update(from_lat=data["lat"], from_lon=data["lon"], requested_at=time)
    elif kind == "offer.made":
        trip["offers"] += 1
        trip.setdefault("offered_at", time)
    elif kind == "ride.searching" and data["reason"] == "next_round":
        trip["rounds"] += 1
    elif kind == "ride.searching" and "driver" in data:
        # Without one it is only searched on.
        trip["given_back"] += 1
        _forget(trip, "driver", "accepted_at", "near_at", "arrived_at")
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
            trip.update({column: data.get(field) for field, column in TRIP.items()})
    elif kind == "payment.changed":
        _paid(trip, data)
    elif kind == "trip.rated":
        _rated(trip, data)


def _take_booking(booking, kind, time, data):
    # Whom the latest event names: of a request for any minibus it changes until one has taken it.
    booking["driver"] = data["driver"]
    if kind == "seat.requested":
        booking.update(passenger=data["passenger"], passengers=data["passengers"], zone=data.get("zone"), requested_at=time)
    elif kind in ("seat.asked", "seat.near", "seat.arrived"):
        booking.setdefault(kind.removeprefix("seat.") + "_at", time)
    elif kind == "seat.confirmed":
        booking.update(passengers=data["passengers"], confirmed_at=time)
    elif kind == "seat.aboard":
        booking.update(aboard=data["passengers"], aboard_at=time)
    elif kind in ("seat.ended", "seat.declined", "seat.cancelled"):
        booking.update(outcome=kind.removeprefix("seat."), ended_at=time, ended_by=data.get("by"), reason=data.get("reason"))
        booking.update({column: data.get(field) for field, column in TRIP.items()}, route=data.get("route"))
    elif kind == "payment.changed":
        _paid(booking, data)
    elif kind == "trip.rated":
        _rated(booking, data)
        if "route_stars" in data:
            booking["route_stars"] = data["route_stars"]


def _take_stop(request, kind, time, data):
    what = kind.removeprefix("stop.")
    if what == "requested":
        for name in ("line", "tour", "citizen", "passengers", "lat", "lon", "stop"):
            request[name] = data.get(name)
        request.update(wanted_at=data["at"], requested_at=time)
    elif what == "accepted":
        request.update(tour=data.get("tour"), accepted_at=time)
    elif what == "reopened":
        _forget(request, "accepted_at", "near_at", "arrived_at")
        request["tour"] = data.get("tour")
        request["reopened"] += 1
    elif what == "taken_over":
        request["tour"] = data["tour"]
    elif what in ("near", "arrived"):
        # Who gets on where the bus begins its way is not told that it comes near.
        request.setdefault("near_at", time)
        if what == "arrived":
            request.setdefault("arrived_at", time)
    elif what in STOP_ENDS:
        request.update(outcome=what, ended_at=time, reason=data.get("reason"))
        if request.get("tour") is None:
            # It was nobody's until the one came who ended it.
            request["tour"] = data.get("tour")
