"""What there is in a town for somebody who asks over HTTP: things of its own and of others, by the field that names them."""

import time

from .asker import Asker
from .bus import BusDriver
from .driver import Driver
from .minibus import Minibus, book
from .names import fresh
from .passenger import Passenger

HOUR = 3_600_000
#: A trip takes minutes: what took a moment here began so much earlier.
BACK_MS = 600_000
#: What trips cost, so that there are payments.
TARIFF = {"fares__flag_fall": 3.5, "fares__per_km": 1.2}


async def existing(hub, role, subject, into):
    """Makes them, in a town of kerbside/stops.py. What people of that role may have is the subject's; what an operator may is of
    somebody who telephones.

    into: gets `ids`, field → ids, and `caller`, what `on_behalf_of` is then, or None."""

    def name(of, prefix):
        return subject if role == of else fresh(prefix)

    here, elsewhere, line = hub.block(), hub.block(), next(hub.lines["hourly"])
    passenger = Passenger(hub, name("passenger", "p"))
    driver = Driver(hub, name("driver", "T"), here.a.stand)
    bus = BusDriver(hub, line, name("bus_driver", "D"))
    others = [Passenger(hub, fresh("p")) for _ in range(2)]
    for one in (passenger, *others):
        await one.connect()
    await driver.go_available()
    office, caller = Asker(hub, "operator", fresh("desk-")), {"name": "Ada Rossi", "number": f"+3902{fresh('')}"}
    trip = await _trip(hub, passenger, driver, here)
    minibus, route, bookings = await _seats(hub, elsewhere, passenger, others[0])
    aboard = await _aboard(hub, passenger, elsewhere)

    async def asks(command, **fields):
        if role == "operator":
            return office.done(command, **fields, on_behalf_of=caller)
        return await (others[1] if command == "ride.request" else passenger).call(command, **fields)

    # Nobody is there.
    waits = (await asks("ride.request", **hub.block().a.centre.fields, passengers=1, wait=True))["ride"]
    await bus.begin()
    requests = [(await asks("stop.request", line=line.id, name="Ada", stop=stop))["request"] for stop in line.stops[1:]]
    way = {"pickup": here.a.centre.fields, "destination": here.b.centre.fields}
    reservations = [
        (await asks("reservation.make", **way, passengers=1, at=int(time.time() * 1000) + hours * HOUR))["reservation"]
        for hours in (4, 8)
    ]
    alarms = [(await one.call("sos", text="He does not stop."))["sos"] for one in others]
    reports = [(await one.call("report.send", category="other", text="A bag."))["report"] for one in others]
    for vehicle in (driver.subject, minibus):
        office.done("vehicles.set", vehicle=vehicle, plate="AB 123 CD")
    office.done("drivers.set", driver=driver.subject, name="Bo Lind")
    into["caller"] = caller if role == "operator" else None
    into["ids"] = {
        "ride": [aboard, waits, trip], "trip": [trip], "driver": [driver.subject], "passenger": [passenger.subject],
        "subject": [passenger.subject, driver.subject], "request": requests, "tour": [bus.tour], "line": [line.id],
        "stop": line.stops, "bus": [line.bus], "reservation": reservations, "booking": bookings, "route": [route],
        "vehicle": [driver.subject, minibus], "zone": [here.a.id, elsewhere.a.id], "sos": alarms, "report": reports,
        "record": [trip, *bookings, *requests, *reservations, bus.tour, *alarms, *reports],
    }  # fmt: skip


async def _trip(hub, passenger, driver, here):
    """A ride that has ended with a receipt, and is to be paid."""
    ride = await passenger.request(here.a.centre, destination=here.b.centre.fields, payment="digital")
    await driver.accept(ride)
    await driver.fix(here.a.centre)
    await driver.call("ride.aboard", ride=ride)
    await driver.drive(here.b.centre, step=200)
    await driver.known()
    for field in ("requested_at", "aboard_at"):
        hub.redis.hincrby(hub.key(f"ride:{ride}"), field, -BACK_MS)
    ended = await driver.call("ride.end", ride=ride)
    assert ended["receipt"] and ended["payment"]["state"] == "pending", ended
    await passenger.until("ride.ended", ride=ride)
    return ride


async def _seats(hub, here, passenger, other):
    """A minibus, its route, and bookings: one that was declined, and one that is promised."""
    minibus = Minibus(hub, fresh("M"), here.a.stand)
    await minibus.go_online()
    route = (await minibus.call("route.set", route=fresh("R")))["route"]
    way = here.a.centre, here.a.centre.moved(north=-900)
    declined = await book(passenger, minibus, *way)
    await minibus.asked(declined)
    await minibus.call("seat.decline", booking=declined)
    await passenger.until("seat.declined", booking=declined)
    promised = await book(other, minibus, *way)
    await minibus.until("seat.requested", booking=promised)
    await minibus.call("seat.accept", booking=promised)
    return minibus.subject, route, [declined, promised]


async def _aboard(hub, passenger, here):
    """A ride that goes on and on."""
    driver = Driver(hub, fresh("T"), here.b.stand)
    await driver.go_available()
    ride = await passenger.request(here.b.centre)
    await driver.accept(ride)
    await driver.fix(here.b.centre)
    await driver.call("ride.aboard", ride=ride)
    return ride
