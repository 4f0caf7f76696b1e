"""What Redis knows of the vehicles, to hold the pictures of watchers against."""

from .feeds import ROUNDING, Vehicle


def vehicles(hub, drivers):
    """id → Vehicle, of those that have said where they are."""
    found = {}
    for driver in drivers:
        record = hub.redis.hgetall(hub.key(f"vehicle:{driver.subject}"))
        if "lat" in record:
            heading, seats = record.get("heading"), record.get("seats")
            found[driver.subject] = Vehicle(
                driver.subject,
                float(record["lat"]),
                float(record["lon"]),
                round(float(heading)) % 360 if heading else None,
                record.get("state", "unavailable"),
                int(seats) if seats else None,
                int(record["at"]),
                kind=record.get("kind", "taxi"),
                route=record.get("route") or None,
            )
    return found


def differences(picture, known, wanted):
    """What the picture shows other than it should. `wanted(vehicle)`: True, False, or None where both are right."""
    found = []
    for vehicle in known.values():
        shown, expected = (picture.vehicles or {}).get(vehicle.id), wanted(vehicle)
        if shown is None:
            if expected:
                found.append(f"{vehicle} is missing")
        elif expected is False:
            found.append(f"{shown} should not be there: {vehicle}")
        elif not _alike(shown, vehicle):
            found.append(f"{shown} is {vehicle}")
    found += [f"{unknown} is not in Redis" for unknown in picture.ids - set(known)]
    return found


def _alike(shown, vehicle):
    return (
        abs(shown.lat - vehicle.lat) < ROUNDING
        and abs(shown.lon - vehicle.lon) < ROUNDING
        and (shown.heading, shown.state, shown.seats, shown.at, shown.kind, shown.route)
        == (vehicle.heading, vehicle.state, vehicle.seats, vehicle.at, vehicle.kind, vehicle.route)
    )


async def agrees(watcher, picture, hub, drivers, wanted=lambda vehicle: True):
    """Waits until the picture is what Redis has."""
    known = vehicles(hub, drivers)
    try:
        await watcher.sees(picture, lambda shown: not differences(shown, known, wanted), "the truth")
    except AssertionError as error:
        wrong = "\n".join(differences(picture, known, wanted)[:10])
        raise AssertionError(f"{picture.channel} is wrong after all:\n{wrong}") from error


def available(vehicle):
    return vehicle.state == "available"
