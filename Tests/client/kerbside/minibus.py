"""The app of a minibus' driver, and what passengers do with it."""

from .driver import Driver


class Minibus(Driver):
    """One with a token that says so."""

    def __init__(self, hub, subject, at, seats=14):
        super().__init__(hub, subject, at, hub.token("driver", subject, kind="minibus", seats=seats))
        self.capacity = seats

    async def go_online(self):
        """Connect, first fix, to be booked from now on."""
        if self.ws is None:
            await self.connect()
        await self.fix()
        reply = await self.call("driver.available")
        assert reply["state"] == "available" and reply["capacity"] == self.capacity
        await self.known()
        return reply

    async def asked(self, booking=None, seen=True):
        """The next event asks for seats; shows it, as the app does by itself."""
        request = await self.expect("seat.requested", **({"booking": booking} if booking else {}))
        if seen:
            await self.call("offer.seen", ride=request["booking"])
        return request

    async def take(self, booking=None):
        """Waits until it is asked, and promises the seats."""
        request = await self.asked(booking)
        reply = await self.call("seat.accept", booking=request["booking"])
        await self.expect("seat.assigned", **reply)
        await self.expect("seats.changed", booking=reply["booking"], reason="booked")
        return reply

    def books(self):
        """What Redis has: taken, held and what its bookings say. The bookings never exceed what is taken (C47)."""
        redis, key = self.hub.redis, self.hub.key
        vehicle = redis.hgetall(key(f"vehicle:{self.subject}"))
        capacity, taken, held, seats = (int(vehicle[field]) for field in ("capacity", "taken", "held", "seats"))
        booked = sum(int(redis.hget(key(f"booking:{b}"), "seats")) for b in redis.zrange(key(f"bookings:{self.subject}"), 0, -1))
        assert 0 <= booked <= taken <= capacity and seats == capacity - taken, vehicle
        waiting = [*redis.zrange(key(f"seatwaiting:{self.subject}"), 0, -1), vehicle.get("asking")]
        asked = sum(int(redis.hget(key(f"booking:{b}"), "passengers")) for b in waiting if b)
        assert held == asked and taken + held <= capacity, (vehicle, waiting)
        return taken, held, booked


def trip(pickup, destination, passengers=1):
    """The fields of a booking but for its vehicle."""
    return {"pickup": pickup.fields, "destination": destination.fields, "passengers": passengers}


async def book(passenger, minibus, pickup, destination, passengers=1, **fields):
    """Asks for seats; the booking's id. The hub must say that it asks the driver."""
    fields = trip(pickup, destination, passengers) | fields
    reply = await passenger.call("seat.book", vehicle=minibus.subject, **fields)
    told = {key: value for key, value in reply.items() if key != "state"}
    await passenger.expect("seat.pending", **told)
    return reply["booking"]


async def one_online(hub, cast, seats=14):
    """A minibus on its stand and the zone around it."""
    here = hub.block()
    minibus = cast.minibus(hub, here.a.stand, seats)
    await minibus.go_online()
    return minibus, here.a


async def riding(hub, cast, minibus, zone, passengers=1, **fields):
    """A passenger whose booking is confirmed."""
    passenger = await cast.rider(hub)
    booking = await book(passenger, minibus, zone.centre, zone.centre.moved(north=-900), passengers, **fields)
    await minibus.take(booking)
    await passenger.expect("seat.confirmed", booking=booking, vehicle=minibus.subject, passengers=passengers)
    return passenger, booking
