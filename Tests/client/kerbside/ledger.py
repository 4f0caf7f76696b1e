"""The books of a city, read from Redis: the invariants hold now, and the log of events tells a story that may be told.

An own reading of the rules: nothing here is shared with the hub.
"""

import json
import time
from collections import Counter, defaultdict

from . import contract

OPEN = ("searching", "offered", "accepted", "aboard")


def check_city(hub):
    """Raises AssertionError for what the invariants I1 to I4 or the order of queues do not allow."""
    for patience in (1, 1, 0):
        try:
            check_state(hub)
            break
        except AssertionError:
            # The keys are read one after the other: a driver who was lost in between stands in one and not in the next.
            if not patience:
                raise
            time.sleep(patience)
    check_events(hub)


def _hashes(hub, kind):
    prefix = hub.key(f"{kind}:")
    return {key.removeprefix(prefix): hub.redis.hgetall(key) for key in hub.redis.scan_iter(prefix + "*", count=1000)}


def is_blocked(hub, vehicle):
    """Whether the office's block holds, or the hub's own pause: each a line that begins with its end, hub ms; 0 is for good."""
    ends = [int(line.split(" ")[0]) for line in vehicle.get("blocked", "").splitlines()]
    # Where the hub's time goes faster only what has no end is known to hold.
    is_known = hub.settings.get("clock.scale", 1) == 1
    return any(end == 0 or (is_known and end > time.time() * 1000 + 1000) for end in ends)


def check_state(hub):
    vehicles, rides, passengers = (_hashes(hub, kind) for kind in ("vehicle", "ride", "passenger"))
    places = defaultdict(list)
    prefix = hub.key("queue:")
    for key in hub.redis.scan_iter(prefix + "*", count=1000):
        for driver in hub.redis.zrange(key, 0, -1):
            places[driver].append(key.removeprefix(prefix))
    for driver, vehicle in vehicles.items():
        if vehicle.get("kind") == "bus":
            continue  # Buses have tours, no queues and rides.
        if vehicle.get("kind") == "minibus":  # waits in no queue, and serves bookings
            assert driver not in places, f"{driver} is a minibus and queues in {places[driver]}"
            continue
        state, zones = vehicle.get("state", "unavailable"), places.get(driver, [])
        assert len(zones) == (1 if state == "available" else 0), f"I1: {driver} is {state} and queues in {zones}"
        assert not zones or not is_blocked(hub, vehicle), f"{driver} is blocked, and queues in {zones}"
        assert not zones or zones == [vehicle["zone"]], f"I6: {driver} queues in {zones}, its zone is {vehicle['zone']}"
        served = [
            ride
            for ride, row in rides.items()
            if row.get("driver") == driver and row["state"] in ("accepted", "aboard")
        ]
        assert served == ([vehicle["ride"]] if state == "busy" else []), (
            f"I2, I3: {driver} is {state} and serves {served}"
        )
    assert set(places) <= set(vehicles), f"I1: {set(places) - set(vehicles)} queue and are no drivers"
    for passenger, row in passengers.items():
        requested = [ride for ride, r in rides.items() if r["passenger"] == passenger and r["state"] in OPEN]
        assert requested == ([row["ride"]] if "ride" in row else []), (
            f"I4: {passenger} has {requested} open, knows {row}"
        )


#: What may follow a state of a payment.
MOVES = {("pending", "paid"), ("pending", "failed"), ("failed", "paid"), ("failed", "pending"), ("paid", "refunded")}


class _Ride:
    def __init__(self):
        self.state, self.driver, self.round, self.asked = "searching", None, 1, set()
        self.gave_back, self.passengers, self.needs = set(), 1, set()
        self.receipt, self.payment, self.rated_by = None, None, set()


class Story:
    """What the log tells, event by event."""

    def __init__(self):
        self.queues = defaultdict(dict)  # zone → driver → score
        self.zone_of = {}
        self.away, self.rides, self.seats = set(), {}, {}
        self.can, self.driver_can, self.car_of = {}, {}, {}  # capabilities by the records
        self.counts, self.receipts, self.bookings = defaultdict(int), set(), {}

    def take(self, kind, data):
        self.counts[kind] += 1
        method = getattr(self, "on_" + kind.replace(".", "_"), None)
        if method is not None:
            method(**data)

    # Queues

    def on_queue_joined(self, driver, zone, score, **_):
        assert driver not in self.zone_of, f"{driver} joins {zone} while in {self.zone_of.get(driver)}"
        self.queues[zone][driver], self.zone_of[driver] = score, zone

    def on_queue_left(self, driver, zone, **_):
        assert self.zone_of.pop(driver, None) == zone, f"{driver} leaves {zone} without being there"
        del self.queues[zone][driver]

    def on_queue_bottom(self, driver, zone, score, **_):
        assert all(score > other for other in self.queues[zone].values()), f"{driver} is not at the bottom of {zone}"
        self.queues[zone][driver] = score

    def on_driver_away(self, driver, **_):
        self.away.add(driver)

    def on_driver_back(self, driver, **_):
        self.away.discard(driver)

    def on_seats_changed(self, seats, driver=None, **_):
        self.seats[driver] = seats

    def on_vehicle_registered(self, vehicle, capabilities=(), **_):
        self.can[vehicle] = {*capabilities}

    def on_driver_registered(self, driver, vehicle=None, capabilities=(), **_):
        self.driver_can[driver], self.car_of[driver] = {*capabilities}, vehicle or driver

    def has(self, driver, needs):
        return needs <= self.driver_can.get(driver, set()) | self.can.get(self.car_of.get(driver, driver), set())

    # Rides

    def on_ride_requested(self, ride, passengers, needs=(), **_):
        assert ride not in self.rides, f"{ride} was requested twice"
        self.rides[ride] = _Ride()
        self.rides[ride].passengers, self.rides[ride].needs = passengers, {*needs}

    def on_ride_searching(self, ride, round, reason, driver=None, **_):  # noqa: A002 - named as in the event
        r = self.rides[ride]
        if reason in ("waiting", "asked_again"):
            assert r.state == "searching" and round == r.round, f"{ride} waits while {r.state} in round {r.round}"
            if reason == "asked_again":
                r.asked = set()
        elif driver is not None:
            assert (r.state, r.driver) == ("accepted", driver), f"{ride} is given back by {driver}, but is {r.state}"
            # All may be asked anew: that somebody declined was before another one had it.
            r.state, r.driver, r.asked = "searching", None, {driver}
            r.gave_back.add(driver)
        else:
            assert round == r.round + 1, f"{ride} goes from round {r.round} to {round}"
            r.round, r.asked = round, set()

    def on_offer_made(self, ride, driver, zone, round, reason=None, **_):  # noqa: A002 - named as in the event
        r = self.rides[ride]
        assert r.state == "searching" and r.round == round, f"{ride} is offered while {r.state} in round {r.round}"
        holders = {other.driver for other in self.rides.values() if other.state == "offered"}
        full = {d for d, seats in self.seats.items() if seats < r.passengers}
        full |= {d for d in self.zone_of if not self.has(d, r.needs)}
        no = self.away | holders | r.asked | r.gave_back | full
        if reason == "operator":  # whom the office chooses need not be the next, nor of this zone
            assert driver in self.zone_of and driver not in self.away | holders | full, f"{ride} is offered to {driver} by hand"
            r.state, r.driver = "offered", driver
            r.asked.add(driver)
            return
        free = {d: s for d, s in self.queues[zone].items() if d not in no}
        if reason == "neighbour":  # nobody of its own zone can be asked
            assert not free and driver in self.zone_of and driver not in no, f"{ride} is offered to {driver} before {free}"
            r.state, r.driver = "offered", driver
            r.asked.add(driver)
            return
        assert driver in free, f"{ride} is offered to {driver}, who could not be asked"
        first = min(free, key=free.get)
        assert driver == first, f"FIFO: {ride} is offered to {driver} ({free[driver]}), before {first} ({free[first]})"
        r.state, r.driver = "offered", driver
        r.asked.add(driver)

    def _offer_ends(self, ride, driver, **_):
        r = self.rides[ride]
        assert (r.state, r.driver) == ("offered", driver), f"the offer of {ride} to {driver} ends, but it is {r.state}"
        r.state, r.driver = "searching", None

    on_offer_declined = on_offer_expired = on_offer_undelivered = _offer_ends

    def on_offer_withdrawn(self, ride, driver, reason=None, **_):
        self._offer_ends(ride, driver)
        if reason == "operator":  # it has not answered, and may be asked again
            self.rides[ride].asked.discard(driver)

    def on_ride_accepted(self, ride, driver, **_):
        r = self.rides[ride]
        assert (r.state, r.driver) == ("offered", driver), f"{driver} accepts {ride}, which is {r.state} to {r.driver}"
        r.state = "accepted"

    def on_ride_aboard(self, ride, driver, **_):
        r = self.rides[ride]
        assert (r.state, r.driver) == ("accepted", driver), f"{ride} goes aboard {driver} while {r.state}"
        r.state = "aboard"

    def on_ride_ended(self, ride, driver, receipt=None, payment_state=None, **_):
        self._ends(ride, "aboard", driver)
        self._becomes(self.rides[ride], receipt, payment_state)

    def on_seat_ended(self, booking, receipt=None, payment_state=None, **_):
        assert booking not in self.bookings, f"{booking} ends twice"
        self.bookings[booking] = _Ride()
        self._becomes(self.bookings[booking], receipt, payment_state)

    def _becomes(self, trip, receipt, payment_state):
        assert receipt not in self.receipts - {None}, f"{receipt} is the receipt of two trips"
        self.receipts.add(receipt)
        trip.receipt, trip.payment = receipt, payment_state

    def _trip(self, ride, booking):
        assert (ride is None) != (booking is None), f"a trip is of {ride} and {booking}"
        return self.rides[ride] if ride else self.bookings[booking]

    def on_payment_changed(self, receipt, payment_state, ride=None, booking=None, **_):
        trip = self._trip(ride, booking)
        assert receipt == trip.receipt, f"{receipt} is not the receipt {trip.receipt} of {ride or booking}"
        assert (trip.payment, payment_state) in MOVES, f"the payment of {receipt} goes from {trip.payment} to {payment_state}"
        trip.payment = payment_state

    def on_trip_rated(self, by, ride=None, booking=None, **_):
        trip = self._trip(ride, booking)
        assert trip.receipt and by not in trip.rated_by, f"{ride or booking} is rated by its {by} again, or is no trip"
        trip.rated_by.add(by)

    def on_ride_noshow(self, ride, driver, **_):
        self._ends(ride, "accepted", driver)

    def on_ride_cancelled(self, ride, driver=None, **_):
        self._ends(ride, "accepted" if driver else "searching", driver)

    def on_ride_failed(self, ride, **_):
        self._ends(ride, "searching", None)

    def _ends(self, ride, state, driver):
        r = self.rides[ride]
        assert (r.state, r.driver) == (state, driver), f"{ride} ends while {r.state} with {r.driver}"
        r.state = "over"


def check_events(hub):
    """Walks through the whole log; raises at the first event that may not follow, or is not as the catalogue says."""
    story, seen = Story(), Counter()
    for seq, row in hub.redis.xrange(hub.key("events")):
        seen[row["type"]] += 1
        if seen[row["type"]] <= 50:
            contract.check_logged(seq, row["type"], int(row["time"]), json.loads(row["data"]))
        try:
            story.take(row["type"], json.loads(row["data"]))
        except AssertionError as error:
            raise AssertionError(f"event log at {seq} {row['type']}: {error}") from None
    return story
