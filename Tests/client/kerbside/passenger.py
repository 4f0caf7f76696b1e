"""A passenger's app."""

from .client import Client


class Passenger(Client):
    role = "passenger"

    async def request(self, place, passengers=1, **fields):
        """Asks for a taxi; the ride's id. The hub must say that it searches."""
        reply = await self.call("ride.request", **place.fields, passengers=passengers, **fields)
        await self.expect("ride.searching", ride=reply["ride"], zone=reply["zone"], round=1, reason="requested")
        return reply["ride"]

    async def request_after(self, kind, place, **fields):
        """Waits for the event that ends the ride before, then asks for the next."""
        await self.until(kind)
        return await self.request(place, **fields)

    async def barrier(self):
        """Everything that this connection sent before has had its effect in Redis."""
        await self.refused("ride.cancel", "not_found", ride="no-such-ride")
