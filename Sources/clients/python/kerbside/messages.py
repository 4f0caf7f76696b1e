"""The messages of the contract, made of config/contract/schemas by tools/generate. Don't change it by hand.

`…Fields` are those of a command, but for `id` and `key`; `…Reply` is its `ok`; `…Data` the `data` of what comes on a
channel: of one's own, or of the one that its name begins with (`Office…`, `Line…`, `City…`, `Catalog…`).
"""

from __future__ import annotations

from asyncio import Future
from collections.abc import Callable
from typing import Any, Literal, NotRequired, Protocol, TypedDict, overload

from .actions import StateChange
from .options import Message, Outcome

#: The closed list; `x-error-codes` of asyncapi.yaml says what each means.
ErrorCode = Literal[
    "bad_message", "unknown_command", "unauthenticated", "forbidden", "not_found", "outside_zones", "zones_unknown",
    "zone_empty", "too_many_passengers", "already_requested", "same_place", "in_the_past", "too_soon", "too_far_ahead",
    "too_late", "offer_expired", "offer_taken", "seats_full", "not_available", "no_driver", "outside_hours",
    "not_bookable", "stop_passed", "off_route", "no_position", "clock_skew", "bad_position", "rate_limited",
    "unavailable", "internal"
]


class HubError(TypedDict):
    code: ErrorCode
    title: str
    """The same for every error of this code."""
    detail: str
    """What happened this time, and what to do."""
    retry: bool
    """Whether the same command may succeed when sent again later."""
    field: NotRequired[str]
    """The field that was wrong."""
    retry_after_ms: NotRequired[int]
    """Where it is known, as with `rate_limited`: from when on the same command is taken, ms from now. `retry` is true
    then."""


class HelloFields(TypedDict):
    """Identifies the connection; the first command."""

    token: NotRequired[str]
    """Needed unless the handshake carried `Authorization: Bearer …`."""
    resume: NotRequired[dict[str, str]]
    """The last `seq` seen of each channel; what was missed comes before anything new. `0`: from the oldest that is
    kept. A channel that can't be read is refused by an error without an `id`, and is not among the reply's
    `channels`."""


Role = Literal["driver", "passenger", "bus_driver", "operator", "service"]


class HelloReply(TypedDict):
    session: str
    role: Role
    subject: str
    city: str
    channels: list[str]
    """Subscribed by this hello."""
    heartbeat_s: float
    time: int
    seq: dict[str, str]
    """Where each channel stands: from here on everything is pushed. The place to resume from if nothing more came."""


class PositionFields(TypedDict):
    """A driver's fix, of a taxi or of a bus on tour; or a passenger's, for whom a taxi or minibus comes: the pickup
    follows, as far as the city lets it. (0,0) is refused, and an `at` in seconds. Answered only if it carries an `id`
    or is refused."""

    lat: float
    lon: float
    at: int
    heading: NotRequired[float]
    """Degrees from north."""
    speed: NotRequired[float]
    """m/s."""
    accuracy: NotRequired[float]
    """Radius in metres."""


class PositionReply(TypedDict):
    ignored: NotRequired[
        Literal["late", "old", "duplicate", "jump", "no_pickup", "arrived", "soon", "near", "far", "inaccurate"]
    ]
    """Only when the fix was not used: older than the last one, stored on the device for too long, sent before, or too
    far from the last one for the time between (believed when the next one agrees). Of a passenger also why the pickup
    stays: no vehicle is on its way, or it is there; the pickup moved just now, or often enough; the fix is less than 20
    m from it, too far from where it was asked for, or too coarse."""


class DriverAvailableFields(TypedDict):
    """To the bottom of the queue of the zone of the last position."""


class DriverAvailableReply1(TypedDict):
    state: Literal["available"]
    zone: str
    rank: int
    size: int


class DriverAvailableReply2(TypedDict):
    state: Literal["available"]
    seats: int
    capacity: int


DriverAvailableReply = DriverAvailableReply1 | DriverAvailableReply2


class DriverUnavailableFields(TypedDict):
    """Out of the queue."""


class DriverUnavailableReply(TypedDict):
    state: Literal["unavailable"]


class OfferSeenFields(TypedDict):
    """Sent by the app itself as soon as the offer is on the screen: it starts the clock."""

    ride: str


class OfferSeenReply(TypedDict):
    ride: str
    expires_in_ms: int
    expires_at: int


class OfferAcceptFields(TypedDict):
    ride: str


class Point(TypedDict):
    lat: float
    lon: float


#: What a driver or a vehicle is good for.
Capabilities = list[str]


class Contact(TypedDict):
    """Whom to fetch, and where to call: of who has asked by telephone."""

    name: str
    number: str


PaymentMethod = Literal["cash", "digital"]


class OfferAcceptReply(TypedDict):
    ride: str
    pickup: Point
    passengers: int
    needs: NotRequired[Capabilities]
    contact: NotRequired[Contact]
    payment: NotRequired[PaymentMethod]
    destination: NotRequired[Point]


class OfferDeclineFields(TypedDict):
    ride: str


class OfferDeclineReply(TypedDict):
    ride: str


class RideAboardFields(TypedDict):
    ride: NotRequired[str]
    passengers: NotRequired[int]


class RideAboardReply(TypedDict):
    ride: str


class RideEndFields(TypedDict):
    payment: NotRequired[PaymentMethod]
    ride: NotRequired[str]


class Fare(TypedDict):
    """What all passengers pay together; `amount` in hundredths of the currency."""

    amount: int
    currency: str


PaymentState = Literal["pending", "paid", "failed", "refunded"]


class Payment(TypedDict):
    method: PaymentMethod
    state: PaymentState
    reference: NotRequired[str]


class RideEndReply1(TypedDict):
    ride: str
    state: Literal["available"]
    zone: str
    rank: int
    size: int
    receipt: NotRequired[str]
    fare: NotRequired[Fare]
    payment: NotRequired[Payment]


class RideEndReply2(TypedDict):
    ride: str
    state: Literal["unavailable"]
    reason: str
    """Why there is no queue to join: outside_zones, blocked (by the office), or rate_limited: too many rides were ended
    at once, given back or not come for, and driver.available says for how long."""
    receipt: NotRequired[str]
    fare: NotRequired[Fare]
    payment: NotRequired[Payment]


RideEndReply = RideEndReply1 | RideEndReply2


class RideNoshowFields(TypedDict):
    ride: NotRequired[str]


class RideNoshowReply1(TypedDict):
    ride: str
    state: Literal["available"]
    zone: str
    rank: int
    size: int


class RideNoshowReply2(TypedDict):
    ride: str
    state: Literal["unavailable"]
    reason: str
    """Why there is no queue to join: blocked."""


RideNoshowReply = RideNoshowReply1 | RideNoshowReply2


class Caller(TypedDict):
    """Of operators only: somebody who telephones, for whom it is asked. Each number is a passenger of its own, `tel:`
    and its digits, with 00 for +; write it always with or always without the country."""

    name: str
    number: str
    """3 to 20 digits."""


class RideRequestFields(TypedDict):
    """`needs`: what the vehicle must have, by the records of the office. `wait`: to wait until `until` of the reply
    where nobody takes it now, rather than to be refused or told that it has failed."""

    on_behalf_of: NotRequired[Caller]
    lat: float
    lon: float
    passengers: int
    needs: NotRequired[Capabilities]
    wait: NotRequired[bool]
    payment: NotRequired[PaymentMethod]
    destination: NotRequired[Point]


class RideRequestReply(TypedDict):
    ride: str
    zone: str
    state: Literal["searching"]
    until: NotRequired[int]
    fare: NotRequired[Fare]


class RideCancelFields(TypedDict):
    """A passenger's open request or accepted ride; or a driver gives an accepted ride back, and it is searched
    again."""

    on_behalf_of: NotRequired[Caller]
    ride: NotRequired[str]


class RideCancelReply(TypedDict):
    ride: str
    state: Literal["cancelled"]


class RideSearchFields(TypedDict):
    """After `ride.driver_lost`: the ride is searched again, first in line. Refused when the driver is back
    (`not_available`), and while nobody else could be asked (`zone_empty`, `seats_full`): the driver keeps the ride
    then."""

    on_behalf_of: NotRequired[Caller]
    ride: NotRequired[str]


class RideSearchReply(TypedDict):
    ride: str
    state: Literal["searching"]


class RideShareFields(TypedDict):
    """Of the open ride. A ride has three links at most (`not_available`). A link shows its ride to whoever has it, read
    only: the car, where it is, and how long it takes; no person. It ends with the ride."""

    ride: NotRequired[str]


class RideShareReply(TypedDict):
    ride: str
    link: str


class RideUnshareFields(TypedDict):
    """Whoever has one of its links sees nothing any more."""

    ride: NotRequired[str]


class RideUnshareReply(TypedDict):
    ride: str


StateKind = Literal["taxi", "minibus", "bus"]


StateDriverState = Literal["available", "busy", "unavailable"]


class Filter(TypedDict):
    """Which vehicles are wanted; all that is asked for must hold."""

    kind: NotRequired[list[StateKind]]
    state: NotRequired[list[StateDriverState]]
    seats: NotRequired[int]
    """At least so many free; a vehicle that does not tell its seats does not match."""
    route: NotRequired[str]


class SubscribeFields(TypedDict):
    """A feed of vehicles (a zone, one vehicle, the city), answered by a snapshot; or a topic, a line or the city's
    events, from after the `seq` in `since` on, a line's buses by a snapshot."""

    filter: NotRequired[Filter]
    max_rate: NotRequired[float]
    since: NotRequired[str]


class SubscribeReply(TypedDict):
    channel: str
    seq: NotRequired[str]


class UnsubscribeFields(TypedDict):
    channel: str


class UnsubscribeReply(TypedDict):
    channel: str


class WatchFields(TypedDict):
    """The vehicles within `radius` metres, on the channel `near`. Sent again it moves the circle or changes the filter,
    and a snapshot follows. With a `destination`, of minibuses and buses only those that will pass near `lat` and `lon`
    and then near that place, by the way that they have announced, or else by their route of the timetable in the
    direction in which they drive it. Who has passed is gone, and there again when it begins its way anew. Taxis go
    anywhere."""

    lat: float
    lon: float
    radius: float
    """Metres."""
    destination: NotRequired[Point]
    filter: NotRequired[Filter]
    max_rate: NotRequired[float]


class WatchReply(TypedDict):
    channel: Literal["near"]
    cells: int
    """How many squares of some 400 m the circle touches."""
    replaced: NotRequired[Literal[True]]
    """A later `watch` came before this one was read: the circle stays where it is until that one's reply, and `cells`
    is what it has."""


class UnwatchFields(TypedDict):
    """Ends the channel `near`."""


class UnwatchReply(TypedDict):
    channel: Literal["near"]


class SeatsSetFields(TypedDict):
    """A driver tells how many seats are taken; watchers see how many are free. In a minibus seats that are promised to
    passengers who are not aboard yet count as taken."""

    taken: int
    reason: NotRequired[str]


class SeatsSetReply(TypedDict):
    seats: int
    """Free now."""


WayPoints = list[Point]


class RouteSetFields(TypedDict):
    """A driver tells the route it drives, or the way (start, end, way points), or both; `route` is null when it drives
    none. A way without a route is shown as a route of the vehicle's own."""

    start: NotRequired[Point]
    via: NotRequired[WayPoints]
    end: NotRequired[Point]
    route: NotRequired[str | None]


RouteOrNone = str | None


class Way(TypedDict):
    """The way that a driver has announced."""

    start: Point
    via: NotRequired[WayPoints]
    end: Point


class RouteSetReply(TypedDict):
    route: RouteOrNone
    way: NotRequired[Way]


class PublishFields(TypedDict):
    """An event on a topic, for operators and services; all who have subscribed to the topic get it. Its type is
    `message` when left out."""

    channel: str
    data: dict[str, Any]
    """Handed on as it is written. At most 8 KiB."""
    type: NotRequired[str]


class PublishReply(TypedDict):
    seq: str


class TourStartFields(TypedDict):
    """A bus driver begins a tour. Without pattern and trip it is the run of the schedule that is nearest in time. A run
    can be begun an hour before its time at the earliest. Sent again while on this tour, it is answered with the tour as
    it is."""

    bus: str
    line: str
    pattern: NotRequired[str]
    trip: NotRequired[str]


class Fix(TypedDict):
    """A position and when it was measured."""

    lat: float
    lon: float
    at: int


class TourSeats(TypedDict):
    total: int
    taken: int
    free: int
    band: Literal["100-50", "49-25", "24-0"]
    """How many per cent are free."""


class TourNextStop(TypedDict):
    """Where the bus is, or comes to next; absent behind the last."""

    index: int
    """In the pattern, from 0."""
    stop: str


class TourEta(TypedDict):
    index: int
    stop: str
    at: int
    early: NotRequired[int]
    """1 of 10 buses is earlier."""
    late: NotRequired[int]
    """1 of 10 buses is later."""
    clock: NotRequired[str]


class Tour(TypedDict):
    """A bus on its tour; `pattern` is absent on a line that is driven on request only."""

    tour: str
    bus: str
    line: str
    pattern: NotRequired[str]
    trip: NotRequired[str]
    state: Literal["running", "ended"]
    position: NotRequired[Fix]
    off_route: bool
    """It is driving elsewhere: the position is true, the rest may not be."""
    seats: TourSeats
    next_stop: NotRequired[TourNextStop]
    """Where the bus is, or comes to next; absent behind the last."""
    delay_s: NotRequired[int]
    etas: list[TourEta]
    """When it will be at the stops to come, as far as that is known."""


TourStartReply = Tour


class TourEndFields(TypedDict):
    """The driver ends its tour; an operator ends any, by its id."""

    tour: NotRequired[str]


class TourEndReply(TypedDict):
    tour: str
    state: Literal["ended"]


class StopNextFields(TypedDict):
    """The bus has left the next stop behind, or has left it out."""

    skip: NotRequired[bool]
    """It was not served: the readers of the line are told."""


StopNextReply = Tour


class StopPreviousFields(TypedDict):
    """Back to the stop before, after a mistake."""


StopPreviousReply = Tour


class SeatBookFields(TypedDict):
    """Seats in a minibus for all passengers of a party, or for none. The driver is asked; the answer comes as
    `seat.confirmed` or `seat.declined`."""

    on_behalf_of: NotRequired[Caller]
    payment: NotRequired[PaymentMethod]
    vehicle: str
    pickup: Point
    destination: Point
    passengers: int


class SeatBookReply(TypedDict):
    booking: str
    vehicle: str
    passengers: int
    state: Literal["pending"]
    fare: NotRequired[Fare]


class SeatRequestFields(TypedDict):
    """Seats in any minibus that will pass the pickup and then go to the destination, for all passengers of a party.
    Those that are near are asked in turn, up to 16; `seat.searching` says how it goes, `seat.confirmed` which one
    comes, `seat.failed` that none does."""

    on_behalf_of: NotRequired[Caller]
    payment: NotRequired[PaymentMethod]
    pickup: Point
    destination: Point
    passengers: int


class SeatRequestReply(TypedDict):
    booking: str
    passengers: int
    state: Literal["searching"]
    until: int


class SeatAcceptFields(TypedDict):
    """The driver takes a booking that it was asked for."""

    booking: str


class SeatAcceptReply(TypedDict):
    booking: str
    pickup: Point
    contact: NotRequired[Contact]
    destination: Point
    payment: NotRequired[PaymentMethod]
    passengers: int


class SeatDeclineFields(TypedDict):
    """The driver does not take a booking that it was asked for."""

    booking: str


class SeatDeclineReply(TypedDict):
    booking: str


class SeatCancelFields(TypedDict):
    """A passenger's booking, the open one unless it is named; or a confirmed one that the driver names."""

    on_behalf_of: NotRequired[Caller]
    booking: NotRequired[str]


class SeatCancelReply(TypedDict):
    booking: str
    state: Literal["cancelled"]


class SeatAboardFields(TypedDict):
    """The passengers of a booking have got on; `passengers` if it is another number than was booked."""

    booking: str
    passengers: NotRequired[int]


class SeatAboardReply(TypedDict):
    booking: str
    seats: int


class SeatEndFields(TypedDict):
    """The passengers of a booking have got off, wherever that is. `payment`: as the driver was paid, if other than was
    asked for; digital only if it was."""

    booking: str
    payment: NotRequired[PaymentMethod]


class SeatEndReply(TypedDict):
    booking: str
    seats: int
    receipt: NotRequired[str]
    fare: NotRequired[Fare]
    payment: NotRequired[Payment]


class VehicleGetFields(TypedDict):
    """What there is to know of a minibus before booking."""

    vehicle: str


#: What a minibus does.
StateStatus = Literal["en_route", "picking_up", "full"]


class VehicleGetReply(TypedDict):
    vehicle: str
    kind: Literal["minibus"]
    state: StateDriverState
    status: StateStatus
    seats: int
    capacity: int
    route: RouteOrNone
    way: NotRequired[Way]
    position: NotRequired[Fix]


class LineEtaFields(TypedDict):
    """When the buses of a line come to a stop of it (`stop`) or to any place along its way (`lat` and `lon`)."""

    line: str
    stop: NotRequired[str]
    lat: NotRequired[float]
    lon: NotRequired[float]


class LineEtaReplyArrivalEta(TypedDict):
    at: int
    early: NotRequired[int]
    """1 of 10 buses is earlier."""
    late: NotRequired[int]
    """1 of 10 buses is later."""
    clock: str


class LineEtaReplyArrival(TypedDict):
    pattern: str
    headsign: NotRequired[str]
    trip: NotRequired[str]
    tour: NotRequired[str]
    bus: NotRequired[str]
    scheduled: bool
    """Nothing but the schedule says so: no bus is on this run, or nobody knows where it is."""
    distance_m: NotRequired[int]
    """From the bus, along its way."""
    eta: LineEtaReplyArrivalEta


class LineEtaReply(TypedDict):
    line: str
    arrivals: list[LineEtaReplyArrival]
    """The next that come, by time: those of buses on their way, and of the schedule those of a day."""


class AdviceGetFields(TypedDict):
    """Where the driver is likely to get a ride soonest. Refused to minibuses and on a ride (`not_available`), and to
    who has sent no position (`no_position`)."""


class AdviceGetReplyHere(TypedDict):
    """`rank` is there for who waits; `wait_s` is absent when it is more than two hours."""

    zone: str
    expected: float
    later: float
    waiting: int
    rank: NotRequired[int]
    wait_s: NotRequired[int]


class ZoneAdvice(TypedDict):
    """A zone to wait in. `expected`: requests in the next 60 minutes; `later`: in the 60 after them; `distance_m`: to
    its middle, by the straight line."""

    zone: str
    expected: float
    later: float
    waiting: int
    distance_m: int
    wait_s: int


class AdviceGetReply(TypedDict):
    """`days`: so many days of figures it is based on. `here`: where the driver waits, or the zone in which it is;
    absent outside all zones. `zones`: the best first, five at most."""

    days: int
    here: NotRequired[AdviceGetReplyHere]
    """`rank` is there for who waits; `wait_s` is absent when it is more than two hours."""
    zones: list[ZoneAdvice]


class ReliabilityGetFields(TypedDict):
    """What counts of oneself."""


ReliablePerson = Literal["driver", "passenger"]


class Reliability(TypedDict):
    """What counts of somebody. Of passengers: `no_shows`, `late_cancels`, `points`, `deposit`; of drivers:
    `give_backs`. `warn_at` and `pause_at`: with how many a warning or a pause follows; absent: never."""

    window_days: int
    total: int
    no_shows: NotRequired[int]
    late_cancels: NotRequired[int]
    give_backs: NotRequired[int]
    points: NotRequired[int]
    """For the kilometres of rides."""
    deposit: NotRequired[bool]
    """Services may want one."""
    warn_at: NotRequired[int]
    pause_at: NotRequired[int]
    paused_until: NotRequired[int]
    role: NotRequired[ReliablePerson]
    subject: NotRequired[str]


ReliabilityGetReply = Reliability


class ReliabilityOfFields(TypedDict):
    """What counts of somebody; of who was never here, nothing."""

    role: ReliablePerson
    subject: str


class ReliabilityOf(TypedDict):
    """As `reliability`, and whose. A service whose token lacks the scope `events:personal` gets only whether a
    passenger's `deposit` is wanted."""

    window_days: int
    total: NotRequired[int]
    no_shows: NotRequired[int]
    late_cancels: NotRequired[int]
    give_backs: NotRequired[int]
    points: NotRequired[int]
    deposit: NotRequired[bool]
    warn_at: NotRequired[int]
    pause_at: NotRequired[int]
    paused_until: NotRequired[int]
    role: ReliablePerson
    subject: str


ReliabilityOfReply = ReliabilityOf


class ReliabilityResetFields(TypedDict):
    """Nothing counts any more, and a pause is over. Points stay, and what the office has blocked. Refused when nothing
    counts (`not_available`)."""

    role: ReliablePerson
    subject: str
    reason: str


class ReliabilityResetReply(TypedDict):
    role: ReliablePerson
    subject: str
    audit: str


class ReservationMakeFields(TypedDict):
    """Refused if the pickup is the destination (`same_place`), for more passengers than a taxi takes
    (`too_many_passengers`), for a time that is over (`in_the_past`), less than 2 h (`too_soon`) or more than 48 h ahead
    (`too_far_ahead`), and outside the zones."""

    on_behalf_of: NotRequired[Caller]
    pickup: Point
    destination: Point
    at: int
    passengers: int
    needs: NotRequired[Capabilities]
    payment: NotRequired[PaymentMethod]


class Reservation(TypedDict):
    """A taxi for a time ahead. `local` is `at` by the clock of `time_zone`; `search_at`, when a driver is looked for at
    the latest; `ride` is there from then on; `payment`, if it is not in cash; `fare`, an estimate, where a tariff is
    set."""

    reservation: str
    state: Literal["open", "searching", "assigned"]
    zone: str
    pickup: Point
    destination: Point
    at: int
    local: str
    time_zone: str
    passengers: int
    needs: NotRequired[Capabilities]
    payment: NotRequired[PaymentMethod]
    search_at: int
    ride: NotRequired[str]
    fare: NotRequired[Fare]


ReservationMakeReply = Reservation


class ReservationListFields(TypedDict):
    on_behalf_of: NotRequired[Caller]


class ReservationListReply(TypedDict):
    reservations: list[Reservation]


class ReservationCancelFields(TypedDict):
    """Until 10 minutes before its time (`too_late` after that). A ride that is searched for or assigned by then is
    cancelled with it."""

    on_behalf_of: NotRequired[Caller]
    reservation: str


class ReservationCancelReply(TypedDict):
    reservation: str
    state: Literal["cancelled"]


#: What help is needed: wheelchair, baggage, shopping, …
Help = list[str]


class StopRequestFieldsBack(TypedDict):
    """The way back, asked for at once: a request of its own, later than the first. `stop`, or `lat` and `lon`."""

    stop: NotRequired[str]
    lat: NotRequired[float]
    lon: NotRequired[float]
    at: int
    passengers: NotRequired[int]


class StopRequestFields(TypedDict):
    """A citizen asks the bus of a line to stop: at a stop of the line (`stop`) or at a place (`lat` and `lon`). A line
    that is driven on request, and a run of a line's timetable, is asked ahead, by as long as an answer may take, while
    nobody drives it, too, and the first run of a day until it begins: `answer_by` is the wanted time then, until there
    is a driver. A tour that ends leaves its requests to the next: `stop.pending` with a reason. The same again, with
    the key or without, is the same request."""

    on_behalf_of: NotRequired[Caller]
    line: str
    stop: NotRequired[str]
    lat: NotRequired[float]
    lon: NotRequired[float]
    at: NotRequired[int]
    """When, Unix milliseconds; left out: when the bus comes by next. The reply says for when it was taken: the time of
    the next round, if the bus has gone by; that of the run that is due about then, if nobody drives; that of the first
    run of the day, if it was asked for before that, an hour at most, or shortly before the time when it passes."""
    passengers: NotRequired[int]
    """1 when left out."""
    name: str
    number: NotRequired[str]
    address: NotRequired[str]
    help: NotRequired[Help]
    back: NotRequired[StopRequestFieldsBack]
    """The way back, asked for at once: a request of its own, later than the first. `stop`, or `lat` and `lon`."""


class PlaceEta(TypedDict):
    """When the bus will be there. Absent where it can't be said yet: without a position of the last minutes, off the
    route, or on a round before the one that is meant."""

    at: int
    early: int
    """1 of 10 buses is earlier."""
    late: int
    """1 of 10 buses is later."""
    clock: NotRequired[str]


class StopRequestReply(TypedDict):
    """The id confirms that the request was taken and told to the driver."""

    eta: NotRequired[PlaceEta]
    request: str
    line: str
    state: Literal["requested", "accepted"]
    at: int
    passengers: int
    answer_by: int
    """The driver answers until then, or the request lapses."""
    back: NotRequired[str]


class StopCancelFields(TypedDict):
    """A citizen takes an open request back."""

    on_behalf_of: NotRequired[Caller]
    request: str


class StopCancelReply(TypedDict):
    request: str
    state: Literal["cancelled"]


class StopAcceptFields(TypedDict):
    """The driver will stop there."""

    request: str
    all: NotRequired[bool]
    """With every other request of its place that is in the same state."""


class StopAcceptReply(TypedDict):
    requests: list[str]
    """Those that were answered. With `all` the first that is refused ends it."""
    state: Literal["accepted"]


class StopDeclineFields(TypedDict):
    """The driver will not stop there; also after having accepted."""

    request: str
    all: NotRequired[bool]
    """With every other request of its place that is in the same state."""


class StopDeclineReply(TypedDict):
    requests: list[str]
    """Those that were answered. With `all` the first that is refused ends it."""
    state: Literal["declined"]


class StopCompleteFields(TypedDict):
    """Who asked has got on."""

    request: str
    all: NotRequired[bool]
    """With every other request of its place that is in the same state."""


class StopCompleteReply(TypedDict):
    requests: list[str]
    """Those that were answered. With `all` the first that is refused ends it."""
    state: Literal["completed"]


class StopNoshowFields(TypedDict):
    """Nobody came. Only at or after the pickup time, after `stop.arrived`, and once the bus has stood there for a while
    by the hub's clock."""

    request: str
    all: NotRequired[bool]
    """With every other request of its place that is in the same state."""


class StopNoshowReply(TypedDict):
    requests: list[str]
    """Those that were answered. With `all` the first that is refused ends it."""
    state: Literal["no_show"]


NotificationKinds = list[Literal["proximity", "eta", "route", "answers", "requests", "reminders", "advice"]]


#: Every day from one minute to another, over midnight if `to` is the earlier, by the clock of a time zone, when that is
#: put forward or back too: that of its name in the IANA's database, or else that of the catalog (`agency_timezone` of a
#: GTFS feed), or else UTC.
Quiet = TypedDict(
    "Quiet",
    {
        "from": int,
        "to": int,
        "time_zone": NotRequired[str],
    },
)


class NotifySetFields(TypedDict):
    """What its sender does not want to be told; replaces what was wished before. Proximity, changes of route and ETA
    are then not sent at all; answers, requests and reminders come marked `silent`. Quiet hours count for all kinds but
    the ETA."""

    mute: NotRequired[NotificationKinds]
    """None of them is the same as an empty list."""
    quiet: NotRequired[Quiet]


class Wishes(TypedDict):
    """What a person does not want to be told."""

    mute: NotRequired[NotificationKinds]
    quiet: NotRequired[Quiet]


NotifySetReply = Wishes


class PushKeys(TypedDict):
    """By which only the browser reads what is sent (RFC 8291), in Base64 for URLs."""

    p256dh: str
    """A point of the curve P-256, not compressed: 65 bytes."""
    auth: str
    """16 bytes."""


class PushSubscribeFields(TypedDict):
    """Where its sender is reached who has no connection: a `PushSubscription` of a browser, made with the key of
    `/v1/push/key`. Offers, answers, alerts and reminders are sent there, encrypted so that only that browser reads
    them. Kept for 90 days after it was said last; whoever else had the endpoint has it no more."""

    endpoint: str
    keys: PushKeys


class PushSubscribeReply(TypedDict):
    subscriptions: int
    """How many its sender has now."""


class PushUnsubscribeFields(TypedDict):
    """Nothing is sent there any more. One that is not there is none any more, too."""

    endpoint: str


class PushUnsubscribeReply(TypedDict):
    subscriptions: int
    """How many its sender has now."""


#: Drivers are those of taxis and minibuses.
Audience = Literal["drivers", "bus_drivers", "passengers"]


class BroadcastFields(TypedDict):
    """A notice to many people: each gets `notice` on the own channel, at once or when it is back. All means all who
    were here within a week; with `zone`, only drivers and only those in its queue."""

    to: Audience
    zone: NotRequired[str]
    text: str


class BroadcastReply(TypedDict):
    notice: str
    people: int
    """How many are told, one after the other: some 2,000 a second."""


class OfficeQueueFields(TypedDict):
    """Who waits in a zone's queue, in order: at most 500 drivers."""

    zone: str


class OfficeQueueReplyDriver(TypedDict):
    """`since` is when it came into this queue."""

    driver: str
    rank: int
    state: Literal["waiting", "offered", "away"]
    """away: the link is lost, or nothing was heard; it keeps the place and is asked nothing."""
    since: NotRequired[int]
    offer: NotRequired[str]
    position: NotRequired[Fix]


class OfficeQueueReply(TypedDict):
    zone: str
    size: int
    """Of the whole queue."""
    more: bool
    """There are more than are listed."""
    drivers: list[OfficeQueueReplyDriver]


class OfficeDriverFields(TypedDict):
    """What the hub knows of a driver of a taxi or minibus."""

    driver: str


class OfficeDriverReplyAway(TypedDict):
    """It is asked nothing: the link is lost, nothing was heard, or it did not show an offer."""

    since: int
    why: Literal["connection_lost", "stale", "undelivered"]


class Block(TypedDict):
    """Why, by which operator, since when; `until` where it ends by itself."""

    reason: str
    by: str
    since: int
    until: NotRequired[int]


class OfficeDriverReply(TypedDict):
    """Of one in a queue `zone`, `rank`, `size` and `since`; `seats` are the free ones."""

    driver: str
    kind: Literal["taxi", "minibus"]
    state: StateDriverState
    connected: bool
    zone: NotRequired[str]
    rank: NotRequired[int]
    size: NotRequired[int]
    since: NotRequired[int]
    ride: NotRequired[str]
    offer: NotRequired[str]
    seats: NotRequired[int]
    position: NotRequired[Fix]
    away: NotRequired[OfficeDriverReplyAway]
    """It is asked nothing: the link is lost, nothing was heard, or it did not show an offer."""
    blocked: NotRequired[Block]


class OfficeRideFields(TypedDict):
    """What is known of a ride, for as long as it is kept."""

    ride: str


class OfficeRideReply(TypedDict):
    """`driver` has accepted it, `offered_to` is asked now."""

    ride: str
    state: Literal["searching", "offered", "accepted", "aboard", "ended", "cancelled", "noshow", "failed"]
    passenger: str
    zone: str
    driver: NotRequired[str]
    offered_to: NotRequired[str]
    pickup: Point
    destination: NotRequired[Point]
    passengers: int
    needs: NotRequired[Capabilities]
    requested_at: int
    accepted_at: NotRequired[int]
    arrived_at: NotRequired[int]
    aboard_at: NotRequired[int]
    closed_at: NotRequired[int]


class OfficeRemoveFields(TypedDict):
    """The driver becomes unavailable, and is told why. One that is on a ride, or has bookings, is refused."""

    driver: str
    reason: str


class OfficeRemoveReply(TypedDict):
    driver: str
    state: Literal["unavailable"]
    audit: str


class OfficePutFields(TypedDict):
    """A driver that was taken out, or has lost its place, waits again in the zone where it is, with `zone` in no other.
    Its rank: `rank`, or the end if so many do not wait; without it the old place of the last hour, or the end. One that
    waits is moved to `rank`. It must be connected; pauses that it must make are over."""

    driver: str
    zone: NotRequired[str]
    rank: NotRequired[int]
    """Place in the queue; 1 is asked next."""
    reason: str


class OfficePutReply(TypedDict):
    driver: str
    state: Literal["available"]
    zone: str
    rank: int
    size: int
    audit: str


class OfficeOfferFields(TypedDict):
    """Asks this driver for a ride that is searched for, whoever's turn it is; who is asked for it now is no more. It
    may wait in another zone. If it does not accept, the search goes on as it would have."""

    ride: str
    driver: str


class OfficeOfferReply(TypedDict):
    ride: str
    driver: str
    state: Literal["offered"]
    audit: str


class OfficeReassignFields(TypedDict):
    """Takes a ride that nobody is aboard of from its driver, who is told why and keeps its turn. It is offered to
    `driver`, or searched for again, first in line; the driver who had it is not asked by the hub again."""

    ride: str
    driver: NotRequired[str]
    reason: str


class OfficeReassignReply(TypedDict):
    ride: str
    driver: NotRequired[str]
    state: Literal["offered", "searching"]
    """`offered` to `driver`, or `searching`."""
    audit: str


class OfficeCancelFields(TypedDict):
    """Of a ride, of a booking in a minibus, or of a reservation. Driver and passenger are told why. It counts against
    nobody, and the driver of a ride keeps its turn. With passengers aboard it is refused."""

    ride: NotRequired[str]
    booking: NotRequired[str]
    reservation: NotRequired[str]
    reason: str


class OfficeCancelReply(TypedDict):
    ride: NotRequired[str]
    booking: NotRequired[str]
    reservation: NotRequired[str]
    state: Literal["cancelled"]
    audit: str


class OfficeEndFields(TypedDict):
    """Ends a ride, or a booking, whose passengers are aboard and whose driver does not end it. The taxi is unavailable
    then, and its driver is told why."""

    ride: NotRequired[str]
    booking: NotRequired[str]
    reason: str


class OfficeEndReply(TypedDict):
    ride: NotRequired[str]
    booking: NotRequired[str]
    state: Literal["ended"]
    audit: str


#: Drivers are those of taxis and minibuses.
BlockedRole = Literal["driver", "passenger", "bus_driver"]


class OfficeBlockFields(TypedDict):
    """A blocked driver can't be available, a blocked passenger can't ask for a ride, seats or a stop; both are refused
    with `forbidden`. What is under way is finished. Sent again it replaces the block."""

    role: BlockedRole
    subject: str
    reason: str
    until: NotRequired[int]
    """Unix ms, in the future: then it ends by itself. Without it the block is for good."""


class OfficeBlockReply(TypedDict):
    """`state` is that of a driver whom the hub knows."""

    role: BlockedRole
    subject: str
    since: int
    until: NotRequired[int]
    state: NotRequired[StateDriverState]
    audit: str


class OfficeUnblockFields(TypedDict):
    """Ends a block."""

    role: BlockedRole
    subject: str


class OfficeUnblockReply(TypedDict):
    role: BlockedRole
    subject: str
    audit: str


class OfficeSessionEndFields(TypedDict):
    """Closes every connection of a person, at all workers: with code 4403, or with `revoke` 4401, and the reason. With
    `revoke` no token that was issued to it up to now counts any more; a new one does. Without it who has a token may
    come back: block it, or revoke."""

    role: Role
    subject: str
    reason: str
    revoke: NotRequired[bool]


class OfficeSessionEndReply(TypedDict):
    role: Role
    subject: str
    revoked: bool
    audit: str


#: A page of what operators did, the newest first.
OfficeAuditFields = TypedDict(
    "OfficeAuditFields",
    {
        "from": NotRequired[str],
        #: Entries of a page; 50 without it.
        "limit": NotRequired[int],
    },
)


class AuditFacts(TypedDict):
    """How things stood, as far as the act concerns them; `why` and `until` are of a block."""

    state: NotRequired[str]
    zone: NotRequired[str]
    rank: NotRequired[int]
    ride: NotRequired[str]
    passenger: NotRequired[str]
    driver: NotRequired[str]
    blocked: NotRequired[bool]
    until: NotRequired[int]
    why: NotRequired[str]
    bus: NotRequired[str]
    line: NotRequired[str]
    notice: NotRequired[str]
    people: NotRequired[int]
    text: NotRequired[str]
    registered: NotRequired[bool]
    """Whether there is a record."""
    vehicle: NotRequired[str]
    company: NotRequired[str]
    licence_until: NotRequired[str]
    medical_until: NotRequired[str]
    plate: NotRequired[str]
    registration: NotRequired[str]
    new_code: NotRequired[Literal[True]]
    """The vehicle's sign has a new code."""
    changed: NotRequired[list[str]]
    """What of the record has changed, by the names of its fields."""
    total: NotRequired[int]


class OfficeAuditReplyEntry(TypedDict):
    id: str
    time: int
    operator: str
    command: Literal[
        "office.remove", "office.put", "office.offer", "office.reassign", "office.cancel", "office.end", "office.block",
        "office.unblock", "office.session_end", "ride.request", "ride.cancel", "ride.search", "seat.book",
        "seat.request", "seat.cancel", "stop.request", "stop.cancel", "reservation.make", "reservation.cancel",
        "tour.end", "broadcast", "sos.acknowledge", "sos.close", "report.close", "drivers.set", "drivers.remove",
        "vehicles.set", "vehicles.remove", "reliability.reset"
    ]
    target: str
    """On whom or what: `driver:<id>`, `passenger:<id>`, `ride:<id>`, `booking:<id>`, `request:<id>`,
    `reservation:<id>`, `tour:<id>`, `vehicle:<id>`; of a notice `zone:<id>`, or to whom."""
    reason: NotRequired[str]
    before: AuditFacts
    after: AuditFacts


class OfficeAuditReply(TypedDict):
    entries: list[OfficeAuditReplyEntry]
    next: NotRequired[str]
    """The `from` of the next page; absent when there is none."""


#: A page of what has been, the latest first: rides of taxis, bookings of seats in minibuses, stops on request,
#: reservations, tours of buses, alarms, reports of incidents. The records follow by a few seconds. `record`: the one
#: row of that id. Rows of rides, bookings and reservations can be chosen by driver, passenger and zone, stops by
#: driver, passenger and line, tours by driver and line, alarms by the driver or passenger who has raised them. From
#: `start_time` until before `end_time`: when it was asked for; of a reservation, when the taxi is to come; of a tour,
#: when it began; of an alarm or a report, when it was sent.
RecordsListFields = TypedDict(
    "RecordsListFields",
    {
        "of": Literal["rides", "bookings", "stops", "reservations", "tours", "alarms", "reports"],
        "driver": NotRequired[str],
        "passenger": NotRequired[str],
        "zone": NotRequired[str],
        "line": NotRequired[str],
        "record": NotRequired[str],
        "start_time": NotRequired[int],
        "end_time": NotRequired[int],
        #: The `next` of the page before.
        "from": NotRequired[str],
        #: Rows of a page; 50 without it.
        "limit": NotRequired[int],
    },
)


class FarePart(TypedDict):
    name: Literal["flag_fall", "distance", "time", "slab", "minimum", "night", "passengers", "booking", "toll"]
    amount: int
    zone: NotRequired[str]


FareParts = list[FarePart]


ReportCategory = Literal["driving", "behaviour", "vehicle", "accessibility", "lost_property", "other"]


class PastRecord(TypedDict):
    """What is recorded of something that has been; without what is not known, or what its kind has not. `outcome`: how
    it ended; absent while it goes on, of tours, and of a reservation that became a ride, whose row tells it."""

    id: str
    """Of the ride, booking, request, reservation, tour, alarm or report."""
    passenger: NotRequired[str]
    driver: NotRequired[str]
    zone: NotRequired[str]
    line: NotRequired[str]
    route: NotRequired[str]
    tour: NotRequired[str]
    stop: NotRequired[str]
    ride: NotRequired[str]
    bus: NotRequired[str]
    pattern: NotRequired[str]
    trip: NotRequired[str]
    passengers: NotRequired[int]
    aboard: NotRequired[int]
    from_lat: NotRequired[float]
    from_lon: NotRequired[float]
    to_lat: NotRequired[float]
    to_lon: NotRequired[float]
    lat: NotRequired[float]
    lon: NotRequired[float]
    requested_at: NotRequired[int]
    offered_at: NotRequired[int]
    accepted_at: NotRequired[int]
    asked_at: NotRequired[int]
    confirmed_at: NotRequired[int]
    wanted_at: NotRequired[int]
    near_at: NotRequired[int]
    arrived_at: NotRequired[int]
    aboard_at: NotRequired[int]
    at: NotRequired[int]
    made_at: NotRequired[int]
    searching_at: NotRequired[int]
    assigned_at: NotRequired[int]
    started_at: NotRequired[int]
    ended_at: NotRequired[int]
    outcome: NotRequired[str]
    ended_by: NotRequired[str]
    reason: NotRequired[str]
    offers: NotRequired[int]
    rounds: NotRequired[int]
    given_back: NotRequired[int]
    reopened: NotRequired[int]
    receipt: NotRequired[str]
    fare: NotRequired[int]
    """In hundredths of the currency."""
    currency: NotRequired[str]
    payment: NotRequired[str]
    payment_state: NotRequired[str]
    stars_of_driver: NotRequired[int]
    stars_of_passenger: NotRequired[int]
    route_stars: NotRequired[int]
    payment_reference: NotRequired[str]
    estimate: NotRequired[int]
    """What the trip was thought to cost when it was asked for, in hundredths."""
    fare_parts: NotRequired[FareParts]
    local_time: NotRequired[str]
    """When the trip ended, on the city's clock."""
    to_zone: NotRequired[str]
    distance_m: NotRequired[float]
    plate: NotRequired[str]
    driver_name: NotRequired[str]
    company: NotRequired[str]
    comment_on_driver: NotRequired[str]
    comment_on_passenger: NotRequired[str]
    role: NotRequired[Role]
    subject: NotRequired[str]
    booking: NotRequired[str]
    vehicle: NotRequired[str]
    text: NotRequired[str]
    """What who raised the alarm, or reported, has written."""
    category: NotRequired[ReportCategory]
    raised_at: NotRequired[int]
    cancelled_at: NotRequired[int]
    acknowledged_at: NotRequired[int]
    acknowledged_by: NotRequired[str]
    acknowledged_note: NotRequired[str]
    closed_at: NotRequired[int]
    closed_by: NotRequired[str]
    closed_note: NotRequired[str]
    sent_at: NotRequired[int]


class RecordsListReply(TypedDict):
    records: list[PastRecord]
    next: NotRequired[str]
    """The `from` of the next page; absent when there is none."""


class SosFields(TypedDict):
    """Danger: rings at the operators until one acknowledges it. It is taken on a ride or not; the hub finds ride,
    vehicle and tour itself, and the vehicle's place without `lat` and `lon`. While one is open it is brought up to
    date, no second one. The other side of the ride is not told."""

    ride: NotRequired[str]
    text: NotRequired[str]
    lat: NotRequired[float]
    lon: NotRequired[float]


class SosReply(TypedDict):
    sos: str
    state: Literal["open", "acknowledged"]
    cancelled: bool
    """Its sender has said that there is no danger."""
    watching: int
    """Connections of operators that read `office` now."""


class SosCancelFields(TypedDict):
    """The sender says that there is no danger. It stays open, and rings until an operator acknowledges it: somebody may
    have been made to say so."""


class SosCancelReply(TypedDict):
    sos: str
    state: Literal["open", "acknowledged"]
    cancelled: bool
    """Its sender has said that there is no danger."""
    watching: int
    """Connections of operators that read `office` now."""


class SosListFields(TypedDict):
    """The alarms that are open, those that ring first; or those that were closed, the newest first. At most 100."""

    closed: NotRequired[bool]
    """Those that were closed, as long as they are kept."""


class OfficeAct(TypedDict):
    """Which operator did it, when, and what for."""

    by: str
    at: int
    note: NotRequired[str]


class Alarm(TypedDict):
    """Who is in danger, where, and with whom. `ride`, `booking` or `tour` is the one that the sender is on; `vehicle`
    is a taxi, a minibus or a bus."""

    sos: str
    state: Literal["open", "acknowledged", "closed"]
    role: Literal["passenger", "driver", "bus_driver"]
    subject: str
    at: int
    rings: int
    """How often it has rung."""
    presses: int
    """How often its sender has sent something new."""
    text: NotRequired[str]
    position: NotRequired[Fix]
    position_of: NotRequired[Literal["sender", "vehicle"]]
    """Whose place that is."""
    ride: NotRequired[str]
    booking: NotRequired[str]
    tour: NotRequired[str]
    line: NotRequired[str]
    vehicle: NotRequired[str]
    driver: NotRequired[str]
    passenger: NotRequired[str]
    cancelled: NotRequired[int]
    """When its sender said that there is no danger."""
    acknowledged: NotRequired[OfficeAct]
    closed: NotRequired[OfficeAct]


class SosListReply(TypedDict):
    alarms: list[Alarm]
    more: bool
    """There are more than are listed."""


class SosAcknowledgeFields(TypedDict):
    """A person looks after it: it rings no more, and its sender is told."""

    sos: str
    note: NotRequired[str]


class SosAcknowledgeReply(TypedDict):
    sos: str
    state: Literal["acknowledged"]
    audit: str


class SosCloseFields(TypedDict):
    """Ends it, and its sender is told."""

    sos: str
    note: str


class SosCloseReply(TypedDict):
    sos: str
    state: Literal["closed"]
    audit: str


class ReportSendFields(TypedDict):
    """Tells the office what happened. With `anonymous` the hub keeps nothing of who sent it."""

    category: ReportCategory
    text: str
    ride: NotRequired[str]
    vehicle: NotRequired[str]
    anonymous: NotRequired[bool]


class ReportSendReply(TypedDict):
    report: str


#: A page of the reports that are open, or were closed, the newest first.
ReportListFields = TypedDict(
    "ReportListFields",
    {
        "from": NotRequired[str],
        #: Entries of a page; 50 without it.
        "limit": NotRequired[int],
        #: Those that were closed, as long as they are kept.
        "closed": NotRequired[bool],
    },
)


class Report(TypedDict):
    """`role` and `subject` are absent when it was sent anonymously."""

    report: str
    at: int
    category: ReportCategory
    text: str
    role: NotRequired[Role]
    subject: NotRequired[str]
    ride: NotRequired[str]
    vehicle: NotRequired[str]
    closed: NotRequired[OfficeAct]


class ReportListReply(TypedDict):
    reports: list[Report]
    next: NotRequired[str]


class ReportCloseFields(TypedDict):
    """It is dealt with."""

    report: str
    note: str


class ReportCloseReply(TypedDict):
    report: str
    state: Literal["closed"]
    audit: str


class DriversSetFields(TypedDict):
    """Replaces the record whole: what is not given is gone. Past the last day of a paper the driver can't go available
    or begin a tour; without a date nothing ends. `driver` is the subject of its token; `vehicle` must be registered,
    and without it the driver drives the one of its own name."""

    driver: str
    name: str
    phone: NotRequired[str]
    company: NotRequired[str]
    photo: NotRequired[str]
    licence: NotRequired[str]
    licence_until: NotRequired[str]
    medical_until: NotRequired[str]
    vehicle: NotRequired[str]
    capabilities: NotRequired[Capabilities]


class DriversSetReply(TypedDict):
    driver: str
    changed: bool
    """False: the record was the same already, and nothing was written."""
    audit: NotRequired[str]


class DriversGetFields(TypedDict):
    """The record of a driver."""

    driver: str


class DriverRecord(TypedDict):
    """What the office has of a driver. The dates are the last days on which its papers are valid."""

    driver: str
    name: str
    phone: NotRequired[str]
    company: NotRequired[str]
    photo: NotRequired[str]
    licence: NotRequired[str]
    licence_until: NotRequired[str]
    medical_until: NotRequired[str]
    vehicle: NotRequired[str]
    capabilities: NotRequired[Capabilities]
    by: str
    at: int


DriversGetReply = DriverRecord


#: A page of the records, in the order of ids; with `ends_by` of those one of whose papers ends by that day, in the
#: order in which they end.
DriversListFields = TypedDict(
    "DriversListFields",
    {
        "from": NotRequired[str],
        #: Records of a page; 50 without it.
        "limit": NotRequired[int],
        "ends_by": NotRequired[str],
    },
)


class DriversListReply(TypedDict):
    drivers: list[DriverRecord]
    next: NotRequired[str]


class DriversRemoveFields(TypedDict):
    """The record is gone, with all that it says of a person."""

    driver: str


class DriversRemoveReply(TypedDict):
    driver: str
    audit: str


class VehiclesSetFields(TypedDict):
    """Replaces the record whole: what is not given is gone. The code of its sign stays, unless `new_code` says that the
    sign is lost."""

    vehicle: str
    plate: str
    registration: NotRequired[str]
    company: NotRequired[str]
    model: NotRequired[str]
    colour: NotRequired[str]
    capabilities: NotRequired[Capabilities]
    new_code: NotRequired[bool]
    """Makes a new code; the one before is no vehicle's any more."""


class VehiclesSetReply(TypedDict):
    vehicle: str
    code: str
    changed: bool
    """False: the record was the same already, and nothing was written."""
    audit: NotRequired[str]


class VehiclesGetFields(TypedDict):
    """The record of a vehicle, with the code of its sign."""

    vehicle: str


class VehicleRecord(TypedDict):
    """What the office has of a vehicle."""

    vehicle: str
    plate: str
    registration: NotRequired[str]
    company: NotRequired[str]
    model: NotRequired[str]
    colour: NotRequired[str]
    capabilities: NotRequired[Capabilities]
    code: str
    by: str
    at: int


VehiclesGetReply = VehicleRecord


#: A page of the records, in the order of ids.
VehiclesListFields = TypedDict(
    "VehiclesListFields",
    {
        "from": NotRequired[str],
        #: Records of a page; 50 without it.
        "limit": NotRequired[int],
    },
)


class VehiclesListReply(TypedDict):
    vehicles: list[VehicleRecord]
    next: NotRequired[str]


class VehiclesRemoveFields(TypedDict):
    """The record is gone, and the code of its sign is no vehicle's any more. Drivers whose records name it get another
    one first."""

    vehicle: str


class VehiclesRemoveReply(TypedDict):
    vehicle: str
    audit: str


class FareEstimateFields(TypedDict):
    """What a taxi would cost, or seats in the minibus `vehicle`, as who books them now would be told. Of a taxi `at`:
    when it begins, else now; `reserved`: it is to be reserved, which may cost more."""

    pickup: Point
    destination: Point
    passengers: int
    at: NotRequired[int]
    """Unix ms, before the year 3000."""
    reserved: NotRequired[bool]
    vehicle: NotRequired[str]


class TripFare(TypedDict):
    """Amounts in hundredths of the currency; the parts add up to `amount`."""

    amount: int
    currency: str
    parts: NotRequired[FareParts]


class FareEstimateReply(TypedDict):
    fare: TripFare | None
    """Null where the city has set none."""
    distance_m: int
    duration_s: int
    is_estimate: Literal[True]


class PaymentReportFields(TypedDict):
    """What became of the payment of a trip; by services whose token has the scope `payments`. `reference`: how the
    service calls the payment; one in which something looks like the number of a card is refused, and another one for a
    trip that is paid."""

    trip: str
    state: PaymentState
    reference: NotRequired[str]


class PaymentReportReply(TypedDict):
    trip: str
    receipt: str
    payment: Payment


class ReceiptGetFields(TypedDict):
    """The receipt of a trip: one's own, or for operators any."""

    trip: str


class Card(TypedDict):
    """Who comes, as far as the office has registered it: name and picture of the driver, and what to know the car
    by."""

    name: NotRequired[str]
    photo: NotRequired[str]
    plate: NotRequired[str]
    registration: NotRequired[str]
    model: NotRequired[str]
    colour: NotRequired[str]
    company: NotRequired[str]
    capabilities: NotRequired[Capabilities]
    code: NotRequired[str]


class Trip(TypedDict):
    """A ride, or a booking of seats in a minibus, that has ended. `passenger` is for operators; `stars` are those that
    its reader has given, `route_stars` what its passenger thinks of the route. A minibus has no zones."""

    trip: str
    kind: Literal["taxi", "minibus"]
    receipt: str
    driver: str
    card: NotRequired[Card]
    passenger: NotRequired[str]
    passengers: int
    route: NotRequired[str]
    from_zone: NotRequired[str]
    to_zone: NotRequired[str]
    began_at: NotRequired[int]
    ended_at: int
    local: NotRequired[str]
    distance_m: NotRequired[int]
    duration_s: int
    fare: TripFare | None
    """Null: none was told."""
    estimate: NotRequired[Fare]
    payment: Payment
    stars: NotRequired[int]
    route_stars: NotRequired[int]


ReceiptGetReply = Trip


class TripRateFields(TypedDict):
    """Stars for who drove, or for the passengers, once a side. `route_stars`: what a passenger thinks of the route that
    its minibus went on."""

    trip: str
    stars: int
    route_stars: NotRequired[int]
    comment: NotRequired[str]


class TripRateReply(TypedDict):
    trip: str
    stars: int
    route_stars: NotRequired[int]


class RatingsGetFields(TypedDict):
    """What people think of somebody: operators name whom, with `role` and `subject`; others get their own."""

    role: NotRequired[Literal["driver", "passenger"]]
    subject: NotRequired[str]


Side = Literal["driver", "passenger"]


class RatingsGetReply(TypedDict):
    role: Side
    subject: str
    count: int
    mean: float | None
    """Null for none; to who was rated by tenths. `count` and `mean` are told to who was rated five ratings at once,
    when each is a day old."""


#: Trips, the latest first: one's own, or of whom operators name with `role` and `subject`. `from`: the `next` of the
#: page before.
TripsListFields = TypedDict(
    "TripsListFields",
    {
        "from": NotRequired[str],
        "limit": NotRequired[int],
        "role": NotRequired[Literal["driver", "passenger"]],
        "subject": NotRequired[str],
    },
)


class TripsListReply(TypedDict):
    trips: list[Trip]
    next: NotRequired[str]


class QueueJoinedData(TypedDict):
    zone: str
    rank: int
    size: int
    reason: Literal["available", "ended", "moved", "recovered", "restored", "gave_back", "operator"]


class QueueLeftData(TypedDict):
    zone: str
    reason: Literal["unavailable", "moved", "outside_zones", "connection_lost", "stale", "undelivered", "operator"]
    text: NotRequired[str]


#: Of a kind that is muted, or in quiet hours: show it, but notify nobody.
Silent = Literal[True]


class OfferMadeData(TypedDict):
    """`expires_in_ms` counts from this message; the exact pickup is told on acceptance only."""

    silent: NotRequired[Silent]
    ride: str
    zone: str
    passengers: int
    needs: NotRequired[Capabilities]
    expires_in_ms: int
    expires_at: int


class OfferWithdrawnData(TypedDict):
    ride: str
    reason: Literal["expired", "undelivered", "cancelled"]


class RideAssignedData(TypedDict):
    ride: str
    pickup: Point
    passengers: int
    needs: NotRequired[Capabilities]
    contact: NotRequired[Contact]
    payment: NotRequired[PaymentMethod]
    destination: NotRequired[Point]


class RidePickupMovedData(TypedDict):
    """`position` is the pickup from now on. Who reads the event later gets a snapshot, which has it."""

    ride: str
    position: NotRequired[Point]


class RideConfirmAboardData(TypedDict):
    ride: str


class DriverRideCancelledData(TypedDict):
    """With `state` the driver is not available any more, until it says that it is; without it `queue.joined`
    follows."""

    ride: str
    by: Literal["passenger", "driver", "operator"]
    reason: str
    state: NotRequired[Literal["unavailable"]]
    text: NotRequired[str]


class PassengerRideCancelledData(TypedDict):
    ride: str
    by: Literal["passenger", "driver", "operator"]
    reason: Literal["passenger", "noshow", "operator"]
    text: NotRequired[str]


RideCancelledData = DriverRideCancelledData | PassengerRideCancelledData


class TourEndedData(TypedDict):
    tour: str
    reason: Literal["driver", "operator", "lost"]
    """Lost: nothing was heard of it for long."""


class SeatRequestedData(TypedDict):
    """Seats are asked for; `length_m` is the length of the ride, `distance_m` the way to the pickup, `detour_m` what
    the vehicle has to drive more than the way that it has announced; the latter two are absent when nobody knows. The
    exact places are told on acceptance only. Shown, it is answered by `offer.seen` with the booking as `ride`."""

    silent: NotRequired[Silent]
    booking: str
    passengers: int
    length_m: float
    distance_m: NotRequired[float]
    detour_m: NotRequired[float]
    fare: NotRequired[Fare]
    payment: NotRequired[PaymentMethod]
    expires_in_ms: int
    expires_at: int


class SeatWithdrawnData(TypedDict):
    """What was asked is over; undelivered comes again when the driver shows that it lives."""

    booking: str
    reason: Literal["no_answer", "undelivered", "cancelled", "full", "offline"]


class SeatAssignedData(TypedDict):
    booking: str
    pickup: Point
    contact: NotRequired[Contact]
    destination: Point
    passengers: int
    payment: NotRequired[PaymentMethod]


class SeatWaitingData(TypedDict):
    """Passengers wait within 500 m."""

    booking: str
    passengers: int
    distance_m: float


class SeatPickupMovedData(TypedDict):
    """`position` is the pickup from now on. Who reads the event later gets a snapshot, which has it."""

    booking: str
    position: NotRequired[Point]


class SeatConfirmAboardData(TypedDict):
    """Within 20 m of the pickup."""

    booking: str


class DriverSeatAboardData(TypedDict):
    booking: str
    passengers: int


class PassengerSeatAboardData(TypedDict):
    booking: str
    passengers: int


SeatAboardData = DriverSeatAboardData | PassengerSeatAboardData


class DriverSeatEndedData(TypedDict):
    booking: str
    fare: NotRequired[Fare]
    receipt: NotRequired[str]
    payment: NotRequired[Payment]
    reason: NotRequired[Literal["operator"]]
    """Absent: the driver has ended it."""
    text: NotRequired[str]


class PassengerSeatEndedData(TypedDict):
    booking: str
    fare: NotRequired[Fare]
    receipt: NotRequired[str]
    payment: NotRequired[Payment]
    reason: NotRequired[Literal["operator"]]
    """Absent: the driver has ended it."""


SeatEndedData = DriverSeatEndedData | PassengerSeatEndedData


class DriverSeatCancelledData(TypedDict):
    booking: str
    by: Literal["passenger", "driver", "operator"]
    reason: Literal["passenger", "driver", "driver_lost", "operator"]
    text: NotRequired[str]


class PassengerSeatCancelledData(TypedDict):
    booking: str
    by: Literal["passenger", "driver", "operator"]
    reason: Literal["passenger", "driver", "driver_lost", "operator"]
    text: NotRequired[str]


SeatCancelledData = DriverSeatCancelledData | PassengerSeatCancelledData


class SeatsChangedData(TypedDict):
    """`taken` are all that are taken or promised, `seats` those free now, `delta` what has been added to `taken`.
    `reason` is booked, aboard, ended, cancelled, or the driver's own."""

    taken: int
    seats: int
    capacity: int
    delta: int
    reason: str
    booking: NotRequired[str]


#: The lowest rung of the ladder that was told: 0 none, 500 near, 20 arrived.
Notified = Literal[0, 500, 20]


class StopPlaceRequest(TypedDict):
    request: str
    state: Literal["requested", "accepted"]
    at: int
    passengers: int
    name: str
    number: NotRequired[str]
    address: NotRequired[str]
    help: NotRequired[Help]
    notified: Notified
    back: NotRequired[str]
    answer_by: NotRequired[int]


class StopPlace(TypedDict):
    place: str
    at: int
    lat: float
    lon: float
    stop: NotRequired[str]
    passengers: int
    """Of all its requests."""
    requests: list[StopPlaceRequest]


#: The driver's list, by pickup time. Requests within 50 m of each other and 10 minutes are one place.
StopPlaces = list[StopPlace]


class StopRequestedData(TypedDict):
    """Somebody asks for a stop. `quiet`: do not ring, the place is on the list already, or another request rang a
    moment ago. `places` is the list as it is now; absent when it is empty, and where the event is from the history: a
    snapshot with the list follows then. Of many that are told at once only the last has it."""

    silent: NotRequired[Silent]
    tour: str
    request: str
    state: Literal["requested"]
    quiet: bool
    answer_by: int
    places: NotRequired[StopPlaces]


class StopUnansweredData(TypedDict):
    """Still without an answer. `places` is the list as it is now; absent when it is empty, and where the event is from
    the history: a snapshot with the list follows then."""

    tour: str
    request: str
    answer_by: int
    places: NotRequired[StopPlaces]


class StopWithdrawnData(TypedDict):
    """The citizen took it back, it lapsed, or the driver of a later round has it. `places` is the list as it is now;
    absent when it is empty, and where the event is from the history: a snapshot with the list follows then. Of many
    that are told at once only the last has it."""

    tour: str
    request: str
    reason: Literal[
        "cancelled", "unanswered", "passed", "no_driver", "not_served", "line_changed", "line_removed", "taken_over"
    ]
    places: NotRequired[StopPlaces]


class StopListData(TypedDict):
    """Answered on one of the driver's devices, or taken over from another tour. `places` is the list as it is now;
    absent when it is empty, and where the event is from the history: a snapshot with the list follows then. Of many
    that are told at once only the last has it."""

    tour: str
    request: str
    state: Literal["accepted", "declined", "completed", "no_show"]
    reason: Literal["accepted", "declined", "completed", "no_show", "taken_over"]
    places: NotRequired[StopPlaces]


NotifyChangedData = Wishes


class DriverNoticeData(TypedDict):
    silent: NotRequired[Silent]
    notice: str
    text: str
    zone: NotRequired[str]


class PassengerNoticeData(TypedDict):
    silent: NotRequired[Silent]
    notice: str
    text: str
    zone: NotRequired[str]


NoticeData = DriverNoticeData | PassengerNoticeData


#: In `from` a ride is expected in `here_s`, two hours at most; in `zone` in `wait_s`, the drive included.
AdviceWaitData = TypedDict(
    "AdviceWaitData",
    {
        "zone": str,
        "expected": float,
        "later": float,
        "waiting": int,
        "distance_m": int,
        "wait_s": int,
        "from": str,
        "here_s": int,
    },
)


class ReliabilityNews(TypedDict):
    """What counts after one more of a `kind`; `until`: when a pause ends."""

    kind: Literal["no_shows", "late_cancels", "give_backs"]
    window_days: int
    total: int
    no_shows: NotRequired[int]
    late_cancels: NotRequired[int]
    give_backs: NotRequired[int]
    points: NotRequired[int]
    deposit: NotRequired[bool]
    warn_at: NotRequired[int]
    pause_at: NotRequired[int]
    until: NotRequired[int]


ReliabilityWarnedData = ReliabilityNews


ReliabilityPausedData = ReliabilityNews


class DriverPaymentChangedData(TypedDict):
    trip: str
    receipt: str
    payment: Payment


class PassengerPaymentChangedData(TypedDict):
    trip: str
    receipt: str
    payment: Payment


PaymentChangedData = DriverPaymentChangedData | PassengerPaymentChangedData


class DriverSosAcknowledgedData(TypedDict):
    sos: str


class PassengerSosAcknowledgedData(TypedDict):
    sos: str


SosAcknowledgedData = DriverSosAcknowledgedData | PassengerSosAcknowledgedData


class DriverSosClosedData(TypedDict):
    sos: str


class PassengerSosClosedData(TypedDict):
    sos: str


SosClosedData = DriverSosClosedData | PassengerSosClosedData


class RideSearchingData(TypedDict):
    """`until` comes with `waiting` only: nobody is there now; until then who comes is asked."""

    ride: str
    zone: str
    round: int
    reason: Literal["requested", "next_round", "waiting", "driver_cancelled", "driver_lost", "operator"]
    until: NotRequired[int]


class RideAcceptedData(TypedDict):
    silent: NotRequired[Silent]
    ride: str
    taxi: str
    position: Fix | None
    """Null when no fix of the taxi is known yet."""
    eta_s: float | None
    """Null when it cannot be estimated."""
    card: NotRequired[Card]
    pickup: NotRequired[Point]
    destination: NotRequired[Point]
    passengers: NotRequired[int]
    requested_at: NotRequired[int]


class RideFailedData(TypedDict):
    silent: NotRequired[Silent]
    ride: str
    code: Literal["no_driver", "timeout", "zone_empty", "seats_full"]
    detail: str


#: How sure the alert is, by the accuracy of the fixes: high up to 20 m, else low; medium when the car stood there, or
#: at 500 m.
Confidence = Literal["high", "medium", "low"]


class RideNearData(TypedDict):
    """The taxi is within 500 m of the pickup."""

    ride: str
    taxi: str
    distance_m: float
    confidence: Confidence


class RideArrivedData(TypedDict):
    """The taxi is within 20 m of the pickup."""

    silent: NotRequired[Silent]
    ride: str
    taxi: str
    distance_m: float
    confidence: Confidence


class RideAboardData(TypedDict):
    ride: str
    passengers: int


class RideEndedData(TypedDict):
    ride: str
    reason: NotRequired[Literal["driver_lost", "operator"]]
    """Absent: the driver has ended it."""
    receipt: NotRequired[str]
    fare: NotRequired[Fare]
    payment: NotRequired[Payment]


class RideDriverLostData(TypedDict):
    """The driver has been away since `since`. The hub waits for it until `until`, and then searches again by itself;
    `ride.search` has it do so at once."""

    silent: NotRequired[Silent]
    ride: str
    taxi: str
    since: int
    until: int


class RideDriverBackData(TypedDict):
    """After `ride.driver_lost`: the driver is there again, and comes."""

    silent: NotRequired[Silent]
    ride: str
    taxi: str


class SeatPendingData(TypedDict):
    """The seats are held, and the driver is asked."""

    booking: str
    vehicle: str
    passengers: int
    fare: NotRequired[Fare]


class SeatConfirmedData(TypedDict):
    """The seats are promised. `position` is null when no fix of the vehicle is known yet, `eta_s` when it can't be
    estimated."""

    silent: NotRequired[Silent]
    booking: str
    vehicle: str
    passengers: int
    position: Fix | None
    eta_s: float | None
    fare: NotRequired[Fare]
    card: NotRequired[Card]


class SeatDeclinedData(TypedDict):
    """No seat: the driver declined or did not answer, has none left (full), or went offline."""

    silent: NotRequired[Silent]
    booking: str
    vehicle: str
    reason: Literal["declined", "no_answer", "full", "offline"]


class SeatSearchingData(TypedDict):
    """A minibus is asked: the first, or the next, and then why the one before does not take it. `fare` is that of the
    one that is asked now; `until` is when the search ends at the latest."""

    booking: str
    passengers: int
    reason: Literal["requested", "declined", "no_answer", "undelivered", "full", "offline"]
    until: int
    fare: NotRequired[Fare]


class SeatFailedData(TypedDict):
    """Every minibus that goes there was asked and none took it (no_driver), or its time is over (timeout). `detail`
    says what to do."""

    booking: str
    silent: NotRequired[Silent]
    reason: Literal["no_driver", "timeout"]
    detail: str


class SeatNearData(TypedDict):
    """The vehicle is within 500 m of the pickup."""

    booking: str
    vehicle: str
    distance_m: float
    confidence: Confidence


class SeatArrivedData(TypedDict):
    """The vehicle is within 20 m of the pickup."""

    silent: NotRequired[Silent]
    booking: str
    vehicle: str
    distance_m: float
    confidence: Confidence


class SeatDriverLostData(TypedDict):
    """The driver has been away since `since`. The hub waits for it until `until`, and then cancels the booking;
    `seat.cancel` does so at once."""

    silent: NotRequired[Silent]
    booking: str
    vehicle: str
    since: int
    until: int


class SeatDriverBackData(TypedDict):
    """After `seat.driver_lost`: the driver is there again, and comes."""

    silent: NotRequired[Silent]
    booking: str
    vehicle: str


class RouteChangedData(TypedDict):
    """The vehicle of an open booking has announced another route or way."""

    booking: str
    vehicle: str
    route: RouteOrNone
    way: NotRequired[Way]


ReservationMadeData = Reservation


class ReservationReminderData(TypedDict):
    """60 and 10 minutes before; one that could not be sent then says how many are left."""

    reservation: str
    at: int
    local: str
    silent: NotRequired[Silent]
    minutes: int
    """Until the meeting time, rounded up."""
    state: Literal["open", "searching", "assigned"]


class ReservationSearchingData(TypedDict):
    """With no driver at `until`, it has failed."""

    reservation: str
    at: int
    local: str
    ride: str
    reason: Literal["begun", "no_driver_yet", "driver_cancelled", "driver_lost", "operator"]
    """`no_driver_yet` comes 8 and 5 minutes before; the others when a driver is looked for again, first in line."""
    minutes: int
    """Until the meeting time, rounded up."""
    until: int


class ReservationWaitingData(TypedDict):
    """The search is due, and the passenger still has this ride or booking (`already_requested`), or has taken back so
    many requests that the next must wait (`rate_limited`): it begins when that is over, or has failed at `until`."""

    reservation: str
    at: int
    local: str
    ride: NotRequired[str]
    booking: NotRequired[str]
    reason: Literal["already_requested", "rate_limited"]
    until: int


class ReservationAssignedData(TypedDict):
    reservation: str
    at: int
    local: str
    silent: NotRequired[Silent]
    ride: str
    taxi: str
    position: Fix | None
    """Null when no fix of the taxi is known yet."""
    eta_s: float | None
    """Null when it cannot be estimated."""
    card: NotRequired[Card]


class ReservationFailedData(TypedDict):
    reservation: str
    at: int
    local: str
    silent: NotRequired[Silent]
    ride: NotRequired[str]
    code: Literal["no_driver", "timeout", "zone_empty", "seats_full", "already_requested", "rate_limited", "forbidden"]
    detail: str


class ReservationCancelledData(TypedDict):
    reservation: str
    at: int
    local: str
    ride: NotRequired[str]
    by: Literal["passenger", "driver", "operator"]
    reason: NotRequired[Literal["noshow"]]
    """`noshow`: nobody came to the pickup."""
    text: NotRequired[str]


class StopPendingData(TypedDict):
    """The request waits for the driver's answer. Told again, with the bus and another `answer_by`, when somebody begins
    to drive a line that was asked before; and, with a reason, when the tour that had it has ended: what its driver
    promised counts no more, and another is asked, or, where no bus is named, whoever drives next."""

    eta: NotRequired[PlaceEta]
    request: str
    line: str
    state: Literal["requested"]
    at: int
    lat: float
    lon: float
    stop: NotRequired[str]
    passengers: int
    back: NotRequired[str]
    bus: NotRequired[str]
    answer_by: int
    reason: NotRequired[Literal["tour_ended"]]


class StopAcceptedData(TypedDict):
    """The bus will stop there."""

    eta: NotRequired[PlaceEta]
    silent: NotRequired[Silent]
    request: str
    line: str
    state: Literal["accepted"]
    at: int
    lat: float
    lon: float
    stop: NotRequired[str]
    passengers: int
    back: NotRequired[str]
    bus: NotRequired[str]


class StopDeclinedData(TypedDict):
    """The bus will not stop there."""

    silent: NotRequired[Silent]
    request: str
    line: str
    state: Literal["declined"]
    at: int
    lat: float
    lon: float
    stop: NotRequired[str]
    passengers: int
    back: NotRequired[str]
    bus: NotRequired[str]


class StopExpiredData(TypedDict):
    """Lapsed: no answer in time, the bus went by before there was one, nobody drives the line any more, nobody closed
    it, or the line goes other ways now, or does not run any more (`line_changed`, `line_removed`)."""

    silent: NotRequired[Silent]
    request: str
    line: str
    state: Literal["expired"]
    at: int
    lat: float
    lon: float
    stop: NotRequired[str]
    passengers: int
    back: NotRequired[str]
    bus: NotRequired[str]
    reason: Literal["unanswered", "passed", "no_driver", "not_served", "line_changed", "line_removed"]


class StopReminderData(TypedDict):
    """15 minutes until the bus may be there at the earliest; while that can't be said, to the wanted time. Told
    once."""

    eta: NotRequired[PlaceEta]
    silent: NotRequired[Silent]
    request: str
    line: str
    state: Literal["accepted"]
    at: int
    lat: float
    lon: float
    stop: NotRequired[str]
    passengers: int
    back: NotRequired[str]
    bus: NotRequired[str]


class StopNearData(TypedDict):
    """The bus is within 500 m, on its way: one that waits at its first stop for its time is near to nobody yet."""

    eta: NotRequired[PlaceEta]
    request: str
    line: str
    state: Literal["accepted"]
    at: int
    lat: float
    lon: float
    stop: NotRequired[str]
    passengers: int
    back: NotRequired[str]
    bus: NotRequired[str]
    distance_m: float


class StopArrivedData(TypedDict):
    """The bus is within 20 m, or stands within 50 m. At the first stop of its tour also while it waits there for its
    time; then without `stop.near` before."""

    silent: NotRequired[Silent]
    eta: NotRequired[PlaceEta]
    request: str
    line: str
    state: Literal["accepted"]
    at: int
    lat: float
    lon: float
    stop: NotRequired[str]
    passengers: int
    back: NotRequired[str]
    bus: NotRequired[str]
    distance_m: float


class StopCompletedData(TypedDict):
    """On the bus."""

    request: str
    line: str
    state: Literal["completed"]
    at: int
    lat: float
    lon: float
    stop: NotRequired[str]
    passengers: int
    back: NotRequired[str]
    bus: NotRequired[str]


class StopNoshowData(TypedDict):
    """The bus waited, and nobody came."""

    request: str
    line: str
    state: Literal["no_show"]
    at: int
    lat: float
    lon: float
    stop: NotRequired[str]
    passengers: int
    back: NotRequired[str]
    bus: NotRequired[str]


class StopCancelledData(TypedDict):
    """Taken back."""

    request: str
    line: str
    state: Literal["cancelled"]
    at: int
    lat: float
    lon: float
    stop: NotRequired[str]
    passengers: int
    back: NotRequired[str]
    bus: NotRequired[str]


class QueueRankData(TypedDict):
    zone: str
    rank: int
    size: int
    reason: str
    """What moved the rank."""


class RideEtaData(TypedDict):
    ride: str
    taxi: str
    eta_s: float
    early_s: float
    late_s: float
    distance_m: float
    at: int


TourData = Tour


class SeatEtaData(TypedDict):
    booking: str
    vehicle: str
    eta_s: float
    early_s: float
    late_s: float
    distance_m: float
    at: int


class StopEtaData(TypedDict):
    """The bus that comes for a request is expected at another time than was told last."""

    request: str
    line: str
    bus: str
    eta: PlaceEta


class SeatStopsDataStop(TypedDict):
    booking: str
    what: Literal["pickup", "drop_off"]
    lat: float
    lon: float


class SeatStopsData(TypedDict):
    """The order that is proposed to the driver: along the announced way, else the shortest found."""

    stops: list[SeatStopsDataStop]


class DriverSnapshotData1Request(TypedDict):
    booking: str
    passengers: int
    length_m: float
    distance_m: NotRequired[float]
    detour_m: NotRequired[float]
    fare: NotRequired[Fare]
    payment: NotRequired[PaymentMethod]
    expires_in_ms: int
    expires_at: int


class DriverSnapshotData1Booking(TypedDict):
    booking: str
    state: Literal["confirmed", "aboard"]
    pickup: Point
    contact: NotRequired[Contact]
    destination: Point
    passengers: int
    payment: NotRequired[PaymentMethod]
    notified: Notified


class DriverSnapshotData1Offer(TypedDict):
    ride: str
    zone: str
    passengers: int
    needs: NotRequired[Capabilities]
    expires_in_ms: int
    expires_at: int


class DriverSnapshotData1Ride(TypedDict):
    ride: str
    state: Literal["accepted", "aboard"]
    pickup: Point
    passengers: int
    notified: Notified
    needs: NotRequired[Capabilities]
    contact: NotRequired[Contact]
    payment: NotRequired[PaymentMethod]
    destination: NotRequired[Point]


class DriverSnapshotData1(TypedDict):
    state: StateDriverState
    zone: NotRequired[str]
    rank: NotRequired[int]
    size: NotRequired[int]
    notify: NotRequired[Wishes]
    kind: NotRequired[Literal["minibus"]]
    """Only of a minibus, as all that follows up to `bookings`."""
    capacity: NotRequired[int]
    taken: NotRequired[int]
    seats: NotRequired[int]
    route: NotRequired[str]
    way: NotRequired[Way]
    request: NotRequired[DriverSnapshotData1Request]
    bookings: NotRequired[list[DriverSnapshotData1Booking]]
    offer: NotRequired[DriverSnapshotData1Offer]
    ride: NotRequired[DriverSnapshotData1Ride]


class DriverSnapshotData2(TypedDict):
    """Of a bus driver; empty when it is on no tour."""

    notify: NotRequired[Wishes]
    tour: NotRequired[Tour]
    places: NotRequired[StopPlaces]


DriverSnapshotData = DriverSnapshotData1 | DriverSnapshotData2


class DriverLost(TypedDict):
    """The driver is away since `since`; the hub waits for it until `until`."""

    since: int
    until: int


class PassengerSnapshotDataBooking(TypedDict):
    """A seat in a minibus, while it is open. `searching`: of any one, with `until` and without `vehicle`."""

    booking: str
    vehicle: NotRequired[str]
    state: Literal["pending", "searching", "confirmed", "aboard"]
    until: NotRequired[int]
    passengers: int
    fare: NotRequired[Fare]
    notified: Notified
    position: NotRequired[Fix]
    driver_lost: NotRequired[DriverLost]
    card: NotRequired[Card]


class PassengerSnapshotDataRide1(TypedDict):
    ride: str
    state: Literal["searching", "offered", "accepted", "aboard"]
    zone: str
    passengers: int
    needs: NotRequired[Capabilities]
    until: NotRequired[int]
    taxi: NotRequired[str]
    position: NotRequired[Fix | None]
    """Null when no fix of the taxi is known yet."""
    eta_s: NotRequired[float | None]
    """Null when it cannot be estimated."""
    notified: NotRequired[Notified]
    driver_lost: NotRequired[DriverLost]
    card: NotRequired[Card]


StopState = Literal["requested", "accepted", "declined", "expired", "completed", "no_show", "cancelled"]


class StopRequest(TypedDict):
    """A citizen's open request. `back` is the other one of a way there and back; `answer_by` while it waits for an
    answer."""

    eta: NotRequired[PlaceEta]
    request: str
    line: str
    state: StopState
    at: int
    lat: float
    lon: float
    stop: NotRequired[str]
    passengers: int
    back: NotRequired[str]
    bus: NotRequired[str]
    answer_by: NotRequired[int]
    notified: NotRequired[Notified]


class PassengerSnapshotData(TypedDict):
    notify: NotRequired[Wishes]
    booking: NotRequired[PassengerSnapshotDataBooking]
    """A seat in a minibus, while it is open. `searching`: of any one, with `until` and without `vehicle`."""
    ride: PassengerSnapshotDataRide1 | None
    requests: NotRequired[list[StopRequest]]
    """Open requests for stops, by pickup time; absent when there is none."""
    reservations: NotRequired[list[Reservation]]
    """Open reservations, by time; absent when there is none."""


SnapshotData = DriverSnapshotData | PassengerSnapshotData


OfficeSosRaisedData = Alarm


OfficeSosUpdatedData = Alarm


class OfficeSosAcknowledgedData(TypedDict):
    sos: str
    by: str
    at: int
    note: NotRequired[str]


class OfficeSosClosedData(TypedDict):
    sos: str
    by: str
    at: int
    note: str


class OfficeCallerToldData(TypedDict):
    """`event` is what a passenger's app would have got; what else there is has the names and meanings that it has
    there."""

    passenger: str
    name: NotRequired[str]
    number: NotRequired[str]
    event: str
    ride: NotRequired[str]
    booking: NotRequired[str]
    request: NotRequired[str]
    taxi: NotRequired[str]
    vehicle: NotRequired[str]
    bus: NotRequired[str]
    line: NotRequired[str]
    zone: NotRequired[str]
    at: NotRequired[int]
    answer_by: NotRequired[int]
    eta_s: NotRequired[float]
    distance_m: NotRequired[float]
    by: NotRequired[str]
    reason: NotRequired[str]
    code: NotRequired[str]
    detail: NotRequired[str]
    text: NotRequired[str]
    card: NotRequired[Card]
    reservation: NotRequired[str]
    local: NotRequired[str]
    minutes: NotRequired[int]


class OfficeReportSentData(TypedDict):
    report: str
    category: ReportCategory


Paper = Literal["licence", "medical"]


class OfficePapersEndingData(TypedDict):
    """`until` is its last day; `days` are left until then, fewer than none when it has ended before it was
    registered."""

    driver: str
    paper: Paper
    until: str
    days: int


class LineScheduleChangedData(TypedDict):
    tour: str
    bus: str
    reason: Literal["late", "early", "skipped", "restored", "ended"]
    minutes: NotRequired[int]
    """With `late` and `early`: by so many, when that has changed; `late` by 0: on time again."""
    delay_s: NotRequired[int]
    index: NotRequired[int]
    """Of the stop that is skipped, or served after all (restored)."""
    stop: NotRequired[str]


LineBusData = Tour


class LineSnapshotData(TypedDict):
    line: str
    buses: list[Tour]


class CityAuditData(TypedDict):
    """An operator has done something by hand; the entry of the audit."""

    id: str
    """Of the entry in the audit."""
    operator: str
    """Who did it."""
    command: str
    """What the operator did, by its name in the commands."""
    target: NotRequired[str]
    """On whom or what, as `driver:<id>`."""
    reason: NotRequired[str]
    """The reason that an operator gave."""
    before: NotRequired[AuditFacts]
    """How things stood before the act, as far as it concerns them."""
    after: NotRequired[AuditFacts]
    """How things stood after the act, as far as it concerns them."""


class CityCatalogChangedData(TypedDict):
    """Lines, buses, stops or routes have changed."""

    version: str
    """Of the catalog."""
    changed: dict[str, int]
    """The lists that have changed, and when."""


class CityDriverAwayData(TypedDict):
    """A driver can't be reached."""

    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    reason: NotRequired[str]
    """Why. One of few, which may become more."""


class CityDriverBackData(TypedDict):
    """A driver can be reached again."""

    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""


class CityDriverOfflineData(TypedDict):
    """A minibus takes no more bookings."""

    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    reason: NotRequired[str]
    """Why. One of few, which may become more."""


class CityDriverOnlineData(TypedDict):
    """A minibus takes bookings."""

    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    reason: NotRequired[str]
    """Why. One of few, which may become more."""


class CityDriverRegisteredData(TypedDict):
    """An operator has written down who a driver is, anew or for the first time."""

    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    name: NotRequired[str]
    """Of the driver."""
    phone: NotRequired[str]
    """Of the driver."""
    company: NotRequired[str]
    """Whose car it is, or whom the driver works for."""
    photo: NotRequired[str]
    """Where the picture of the driver is."""
    licence: NotRequired[str]
    """Its number."""
    licence_until: NotRequired[str]
    """Its last day."""
    medical_until: NotRequired[str]
    """The last day of the medical certificate."""
    vehicle: NotRequired[str]
    """A taxi, a minibus or a bus."""
    capabilities: NotRequired[Capabilities]
    by: str
    """Who did it."""
    at: int
    """When it was written down, Unix ms."""


class CityDriverRemovedData(TypedDict):
    """An operator has taken out the record of a driver."""

    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""


class CityNotifySentData(TypedDict):
    """A notice was sent to many."""

    notice: str
    """The notice."""
    operator: str
    """Who did it."""
    to: str
    """To whom a notice goes."""
    zone: NotRequired[str]
    """By its id."""
    text: NotRequired[str]
    """What an operator or a passenger wrote."""
    people: int
    """How many the notice was for."""


class CityOfferDeclinedData(TypedDict):
    """The driver has declined."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""


class CityOfferExpiredData(TypedDict):
    """The driver saw the offer and did not answer in time."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""


class CityOfferMadeData(TypedDict):
    """A driver is asked for a ride."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    round: int
    """Which search for a driver it is, from 1."""
    attempt: int
    """How many drivers this search has asked, this one included."""
    reason: NotRequired[str]
    """Why. One of few, which may become more."""


class CityOfferSeenData(TypedDict):
    """The offer is on the driver's screen."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""


class CityOfferUndeliveredData(TypedDict):
    """The offer did not come to the driver's screen in time."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""


class CityOfferWithdrawnData(TypedDict):
    """The driver is asked no more."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    reason: NotRequired[str]
    """Why. One of few, which may become more."""


class CityPapersEndingData(TypedDict):
    """A paper of a driver ends in three months, in 30 days, in 7 or today, or is entered with less left."""

    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    paper: NotRequired[Paper]
    """Which one."""
    until: NotRequired[str]
    """The last day of a paper."""
    days: NotRequired[int]
    """Until the last one of a paper, today 0; negative: it is over."""


class CityPaymentChangedData(TypedDict):
    """A service has said what became of the payment of a trip."""

    ride: NotRequired[str]
    """In a taxi."""
    booking: NotRequired[str]
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    receipt: str
    """Of a trip."""
    payment_state: str
    """`pending`, `paid`, `failed` or `refunded`."""


class CityQueueBottomData(TypedDict):
    """A driver went to the bottom of the queue."""

    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    zone: str
    """By its id."""
    score: float
    """The arrival number in the queue: the lowest is first."""
    reason: NotRequired[str]
    """Why. One of few, which may become more."""


class CityQueueJoinedData(TypedDict):
    """A driver waits in the queue of a zone."""

    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    zone: str
    """By its id."""
    score: float
    """The arrival number in the queue: the lowest is first."""
    reason: NotRequired[str]
    """Why. One of few, which may become more."""


class CityQueueLeftData(TypedDict):
    """A driver has left the queue."""

    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    zone: str
    """By its id."""
    reason: NotRequired[str]
    """Why. One of few, which may become more."""


class CityQueuePassedOverData(TypedDict):
    """A driver who waits first was passed over five times, or ten, as its vehicle has too few seats or lacks what is
    needed."""

    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    zone: str
    """By its id."""
    times: int
    """How often, since it came into this queue."""


class CityReliabilityPausedData(TypedDict):
    """A passenger who did not come too often, or a driver who gave back too often, is paused for a while."""

    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    driver: NotRequired[str]
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    kind: NotRequired[str]
    """What it was: `no_shows`, `late_cancels` or `give_backs`."""
    total: NotRequired[int]
    """How many of them count, this one included."""
    paused_until: NotRequired[int]
    """When the pause ends, Unix ms."""


class CityReliabilityWarnedData(TypedDict):
    """A passenger or a driver was told how often it was."""

    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    driver: NotRequired[str]
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    kind: NotRequired[str]
    """What it was: `no_shows`, `late_cancels` or `give_backs`."""
    total: NotRequired[int]
    """How many of them count, this one included."""


class CityReportClosedData(TypedDict):
    """An operator has closed a report."""

    report: str
    """An incident report."""
    operator: str
    """Who did it."""


class CityReportSentData(TypedDict):
    """A report has come."""

    report: str
    """An incident report."""
    category: ReportCategory
    """What the report is about."""


class CityReservationAssignedData(TypedDict):
    """A driver has accepted the ride of a reservation."""

    reservation: str
    """A taxi for a time ahead."""
    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""


class CityReservationCancelledData(TypedDict):
    """A reservation is off."""

    reservation: str
    """A taxi for a time ahead."""
    ride: NotRequired[str]
    """In a taxi."""
    zone: str
    """By its id."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    by: str
    """Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw."""
    reason: NotRequired[str]
    """Why. One of few, which may become more."""
    text: NotRequired[str]
    """What an operator or a passenger wrote."""


class CityReservationFailedData(TypedDict):
    """No taxi was found for a reservation."""

    reservation: str
    """A taxi for a time ahead."""
    ride: NotRequired[str]
    """In a taxi."""
    zone: str
    """By its id."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    code: str
    """An error code of the contract."""


class CityReservationMadeData(TypedDict):
    """A taxi is reserved for a time ahead."""

    reservation: str
    """A taxi for a time ahead."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    zone: str
    """By its id."""
    at: int
    """The pickup time that was asked for, Unix ms."""
    passengers: int
    """How many people."""
    lat: NotRequired[float]
    """Where a passenger wants to be picked up, degrees north, WGS 84."""
    lon: NotRequired[float]
    """Where a passenger wants to be picked up, degrees east, WGS 84."""
    to_lat: NotRequired[float]
    """Where a passenger wants to go, degrees north, WGS 84."""
    to_lon: NotRequired[float]
    """Where a passenger wants to go, degrees east, WGS 84."""
    payment: NotRequired[str]
    """`cash` or `digital`."""


class CityReservationSearchingData(TypedDict):
    """A driver is searched for a reservation."""

    reservation: str
    """A taxi for a time ahead."""
    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""


class CityRideAboardData(TypedDict):
    """The passengers are in the car."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passengers: NotRequired[int]
    """How many people."""


class CityRideAcceptedData(TypedDict):
    """A driver has accepted."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""


class CityRideArrivedData(TypedDict):
    """The taxi is at the pickup."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    distance_m: float
    """To the place of pickup, m."""


class CityRideCancelledData(TypedDict):
    """The passenger or an operator has cancelled."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: NotRequired[str]
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    by: str
    """Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw."""
    text: NotRequired[str]
    """What an operator or a passenger wrote."""
    aboard_s: NotRequired[int]
    """Since its driver said that the passenger is aboard, s."""
    driven_m: NotRequired[int]
    """By the meter since then, m."""


class CityRideDriverBackData(TypedDict):
    """The driver of a ride can be reached again."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""


class CityRideDriverLostData(TypedDict):
    """The driver of a ride can't be reached."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""


class CityRideEndedData(TypedDict):
    """The ride is over."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    reason: NotRequired[str]
    """Why. One of few, which may become more."""
    text: NotRequired[str]
    """What an operator or a passenger wrote."""
    receipt: NotRequired[str]
    """Of a trip."""
    payment: NotRequired[str]
    """`cash` or `digital`."""
    payment_state: NotRequired[str]
    """`pending`, `paid`, `failed` or `refunded`."""
    amount: NotRequired[int]
    """In hundredths of the currency."""
    currency: NotRequired[str]
    """By its three letters."""


class CityRideFailedData(TypedDict):
    """No taxi was found."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    code: str
    """An error code of the contract."""


class CityRideNearData(TypedDict):
    """The taxi is 500 m from the pickup."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    distance_m: float
    """To the place of pickup, m."""


class CityRideNoshowData(TypedDict):
    """Nobody came to the pickup."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""


class CityRidePickupMovedData(TypedDict):
    """The passenger has walked while the taxi comes."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    moved_m: int
    """From where the pickup was asked for, m."""


class CityRideRequestedData(TypedDict):
    """A passenger asks for a taxi."""

    ride: str
    """In a taxi."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    zone: str
    """By its id."""
    passengers: int
    """How many people."""
    lat: NotRequired[float]
    """Where a passenger wants to be picked up, degrees north, WGS 84."""
    lon: NotRequired[float]
    """Where a passenger wants to be picked up, degrees east, WGS 84."""
    to_lat: NotRequired[float]
    """Where a passenger wants to go, degrees north, WGS 84."""
    to_lon: NotRequired[float]
    """Where a passenger wants to go, degrees east, WGS 84."""
    needs: NotRequired[Capabilities]
    """What the vehicle must have."""


class CityRideSearchingData(TypedDict):
    """A taxi is searched anew."""

    ride: str
    """In a taxi."""
    zone: str
    """By its id."""
    driver: NotRequired[str]
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    round: int
    """Which search for a driver it is, from 1."""
    reason: str
    """Why. One of few, which may become more."""


class CityScheduleChangedData(TypedDict):
    """A bus is late or early, leaves a stop out, or has ended its tour."""

    tour: str
    """Of a bus."""
    bus: str
    """By its id in the catalog."""
    line: str
    """By its id in the catalog."""
    reason: str
    """Why. One of few, which may become more."""
    index: NotRequired[int]
    """Of the stop in the pattern, from 0."""
    stop: NotRequired[str]
    """By its id in the catalog."""
    minutes: NotRequired[int]
    """By so many it is late or early."""
    delay_s: NotRequired[int]


class CitySeatAboardData(TypedDict):
    """The passengers have got on."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    passengers: int
    """How many people."""


class CitySeatArrivedData(TypedDict):
    """The minibus is at the pickup."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    distance_m: float
    """To the place of pickup, m."""


class CitySeatAskedData(TypedDict):
    """The driver of a minibus is asked for seats."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""


class CitySeatCancelledData(TypedDict):
    """A booking was taken back."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    by: str
    """Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw."""
    reason: str
    """Why. One of few, which may become more."""
    text: NotRequired[str]
    """What an operator or a passenger wrote."""
    route: NotRequired[str]
    """Of a minibus, as its driver has announced it."""


class CitySeatConfirmedData(TypedDict):
    """The driver has promised the seats."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    passengers: int
    """How many people."""


class CitySeatDeclinedData(TypedDict):
    """The booking has come to nothing."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    reason: str
    """Why. One of few, which may become more."""
    route: NotRequired[str]
    """Of a minibus, as its driver has announced it."""
    from_cell: NotRequired[str]
    """Where a passenger wanted to be picked up: the middle of a cell of some 500 m, `<lat>,<lon>`."""
    to_cell: NotRequired[str]
    """Where a passenger wanted to go: the middle of a cell of some 500 m, `<lat>,<lon>`."""


class CitySeatDriverBackData(TypedDict):
    """The driver of a booking can be reached again."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""


class CitySeatDriverLostData(TypedDict):
    """The driver of a booking can't be reached."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""


class CitySeatEndedData(TypedDict):
    """The passengers have got off."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    route: NotRequired[str]
    """Of a minibus, as its driver has announced it."""
    receipt: NotRequired[str]
    """Of a trip."""
    payment: NotRequired[str]
    """`cash` or `digital`."""
    payment_state: NotRequired[str]
    """`pending`, `paid`, `failed` or `refunded`."""
    amount: NotRequired[int]
    """In hundredths of the currency."""
    currency: NotRequired[str]
    """By its three letters."""
    reason: NotRequired[str]
    """Why. One of few, which may become more."""
    text: NotRequired[str]
    """What an operator or a passenger wrote."""


class CitySeatNearData(TypedDict):
    """The minibus is 500 m from the pickup."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    distance_m: float
    """To the place of pickup, m."""


class CitySeatPickupMovedData(TypedDict):
    """The passenger has walked while the minibus comes."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    moved_m: int
    """From where the pickup was asked for, m."""


class CitySeatRequestedData(TypedDict):
    """A passenger asks for seats in a minibus."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    passengers: int
    """How many people."""


class CitySeatSearchingData(TypedDict):
    """A request for any minibus goes on: this driver is asked next."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    reason: str
    """Why. One of few, which may become more."""


class CitySeatSeenData(TypedDict):
    """The request is on the driver's screen."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""


class CitySeatUndeliveredData(TypedDict):
    """The request did not come to the driver's screen in time."""

    booking: str
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""


class CitySeatUnmetData(TypedDict):
    """A request for seats was refused: none was free, or no minibus goes there. Once in ten minutes for each
    passenger."""

    zone: NotRequired[str]
    """By its id."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    passengers: int
    """How many people."""
    reason: str
    """Why. One of few, which may become more."""
    route: NotRequired[str]
    """Of a minibus, as its driver has announced it."""
    from_cell: NotRequired[str]
    """Where a passenger wanted to be picked up: the middle of a cell of some 500 m, `<lat>,<lon>`."""
    to_cell: NotRequired[str]
    """Where a passenger wanted to go: the middle of a cell of some 500 m, `<lat>,<lon>`."""


class CitySeatsChangedData(TypedDict):
    """Seats of a minibus or a bus were taken or became free: of a bus with its tour, bus and line, of a minibus with
    its driver."""

    driver: NotRequired[str]
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    taken: int
    """How many seats are taken."""
    seats: int
    """How many are free; of a bus how many there are."""
    delta: NotRequired[int]
    """By how many the taken seats have changed."""
    reason: NotRequired[str]
    """Why: `book` and its like, or what the driver gave as reason."""
    booking: NotRequired[str]
    """Seats in a minibus."""
    version: NotRequired[int]
    """Of the seats of a minibus: the highest is the latest."""
    tour: NotRequired[str]
    """Of a bus."""
    bus: NotRequired[str]
    """By its id in the catalog."""
    line: NotRequired[str]
    """By its id in the catalog."""


class CitySeatsClampedData(TypedDict):
    """More seats would be taken than there are: the books are wrong."""

    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    taken: int
    """How many seats are taken."""
    capacity: int
    """Seats for passengers."""
    reason: NotRequired[str]
    """Why: `book` and its like, or what the driver gave as reason."""
    booking: NotRequired[str]
    """Seats in a minibus."""


class CitySosAcknowledgedData(TypedDict):
    """An operator looks after an alarm."""

    sos: str
    """An alarm."""
    operator: str
    """Who did it."""


class CitySosCancelledData(TypedDict):
    """Who raised an alarm has taken it back."""

    sos: str
    """An alarm."""


class CitySosClosedData(TypedDict):
    """An operator has ended an alarm."""

    sos: str
    """An alarm."""
    operator: str
    """Who did it."""


class CitySosRaisedData(TypedDict):
    """Somebody is in danger; once more, when that was taken back, or was over."""

    sos: str
    """An alarm."""
    role: Role
    """Of who raised the alarm."""
    subject: NotRequired[str]
    """Who raised the alarm."""
    ride: NotRequired[str]
    """In a taxi."""
    booking: NotRequired[str]
    """Seats in a minibus."""
    tour: NotRequired[str]
    """Of a bus."""
    vehicle: NotRequired[str]
    """A taxi, a minibus or a bus."""


class CitySosUpdatedData(TypedDict):
    """Who raised an alarm has pressed again."""

    sos: str
    """An alarm."""


class CityStopAcceptedData(TypedDict):
    """The bus will stop."""

    request: str
    """For a stop."""
    line: str
    """By its id in the catalog."""
    tour: NotRequired[str]
    """Of a bus."""
    bus: NotRequired[str]
    """By its id in the catalog."""
    citizen: NotRequired[str]
    """Who asked for the stop."""


class CityStopArrivedData(TypedDict):
    """The bus is at the place that was asked for."""

    request: str
    """For a stop."""
    line: str
    """By its id in the catalog."""
    tour: str
    """Of a bus."""
    bus: NotRequired[str]
    """By its id in the catalog."""
    distance_m: float
    """To the place of pickup, m."""


class CityStopCancelledData(TypedDict):
    """A request for a stop was taken back."""

    request: str
    """For a stop."""
    line: str
    """By its id in the catalog."""
    tour: NotRequired[str]
    """Of a bus."""
    bus: NotRequired[str]
    """By its id in the catalog."""
    citizen: NotRequired[str]
    """Who asked for the stop."""


class CityStopCompletedData(TypedDict):
    """Who asked for the stop has got on."""

    request: str
    """For a stop."""
    line: str
    """By its id in the catalog."""
    tour: NotRequired[str]
    """Of a bus."""
    bus: NotRequired[str]
    """By its id in the catalog."""
    citizen: NotRequired[str]
    """Who asked for the stop."""


class CityStopDeclinedData(TypedDict):
    """The driver will not stop."""

    request: str
    """For a stop."""
    line: str
    """By its id in the catalog."""
    tour: NotRequired[str]
    """Of a bus."""
    bus: NotRequired[str]
    """By its id in the catalog."""
    citizen: NotRequired[str]
    """Who asked for the stop."""


class CityStopExpiredData(TypedDict):
    """A request for a stop has come to nothing."""

    request: str
    """For a stop."""
    line: str
    """By its id in the catalog."""
    tour: NotRequired[str]
    """Of a bus."""
    bus: NotRequired[str]
    """By its id in the catalog."""
    citizen: NotRequired[str]
    """Who asked for the stop."""
    reason: str
    """Why. One of few, which may become more."""


class CityStopNearData(TypedDict):
    """The bus is 500 m from the place that was asked for."""

    request: str
    """For a stop."""
    line: str
    """By its id in the catalog."""
    tour: str
    """Of a bus."""
    bus: NotRequired[str]
    """By its id in the catalog."""
    distance_m: float
    """To the place of pickup, m."""


class CityStopNoshowData(TypedDict):
    """Nobody came to the stop."""

    request: str
    """For a stop."""
    line: str
    """By its id in the catalog."""
    tour: NotRequired[str]
    """Of a bus."""
    bus: NotRequired[str]
    """By its id in the catalog."""
    citizen: NotRequired[str]
    """Who asked for the stop."""


class CityStopPassedData(TypedDict):
    """A bus has passed a stop of its line."""

    tour: str
    """Of a bus."""
    bus: str
    """By its id in the catalog."""
    line: str
    """By its id in the catalog."""
    pattern: NotRequired[str]
    """Which sequence of stops of the line."""
    index: int
    """Of the stop in the pattern, from 0."""
    stop: str
    """By its id in the catalog."""
    by: str
    """Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw."""
    delay_s: NotRequired[int]


class CityStopReminderData(TypedDict):
    """A citizen was reminded of the bus."""

    request: str
    """For a stop."""
    line: str
    """By its id in the catalog."""
    tour: NotRequired[str]
    """Of a bus."""
    bus: NotRequired[str]
    """By its id in the catalog."""


class CityStopReopenedData(TypedDict):
    """The tour is over before the stop: another bus is asked."""

    request: str
    """For a stop."""
    line: str
    """By its id in the catalog."""
    tour: NotRequired[str]
    """Of a bus."""
    bus: NotRequired[str]
    """By its id in the catalog."""
    citizen: NotRequired[str]
    """Who asked for the stop."""
    reason: str
    """Why. One of few, which may become more."""


class CityStopRequestedData(TypedDict):
    """A citizen asks a bus to stop."""

    request: str
    """For a stop."""
    line: str
    """By its id in the catalog."""
    tour: NotRequired[str]
    """Of a bus."""
    bus: NotRequired[str]
    """By its id in the catalog."""
    citizen: NotRequired[str]
    """Who asked for the stop."""
    at: int
    """The pickup time that was asked for, Unix ms."""
    passengers: int
    """How many people."""
    lat: NotRequired[float]
    """Where a passenger wants to be picked up, degrees north, WGS 84."""
    lon: NotRequired[float]
    """Where a passenger wants to be picked up, degrees east, WGS 84."""
    stop: NotRequired[str]
    """By its id in the catalog."""
    back: NotRequired[str]
    """The request of the way back."""


#: Another tour will serve the stop.
CityStopTakenOverData = TypedDict(
    "CityStopTakenOverData",
    {
        #: For a stop.
        "request": str,
        #: By its id in the catalog.
        "line": str,
        #: Of a bus.
        "tour": str,
        #: By its id in the catalog.
        "bus": NotRequired[str],
        #: Who asked for the stop.
        "citizen": NotRequired[str],
        #: The tour that it was to be served by.
        "from": NotRequired[str],
    },
)


class CityStopUnansweredData(TypedDict):
    """The driver has not answered yet."""

    request: str
    """For a stop."""
    line: str
    """By its id in the catalog."""
    tour: NotRequired[str]
    """Of a bus."""
    bus: NotRequired[str]
    """By its id in the catalog."""


class CityTourEndedData(TypedDict):
    """A tour is over."""

    tour: str
    """Of a bus."""
    bus: str
    """By its id in the catalog."""
    line: str
    """By its id in the catalog."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    reason: str
    """Why. One of few, which may become more."""


class CityTourStartedData(TypedDict):
    """A tour has begun."""

    tour: str
    """Of a bus."""
    bus: str
    """By its id in the catalog."""
    line: str
    """By its id in the catalog."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    pattern: NotRequired[str]
    """Which sequence of stops of the line."""
    trip: NotRequired[str]
    """Of the timetable."""


class CityTripRatedData(TypedDict):
    """Who rode has rated who drove, or the other way round."""

    ride: NotRequired[str]
    """In a taxi."""
    booking: NotRequired[str]
    """Seats in a minibus."""
    zone: NotRequired[str]
    """By its id."""
    driver: str
    """A taxi or a minibus, which is named like its driver; of a bus its driver."""
    passenger: NotRequired[str]
    """Whose ride or booking it is."""
    by: str
    """Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw."""
    stars: NotRequired[int]
    """1 to 5."""
    route: NotRequired[str]
    """Of a minibus, as its driver has announced it."""
    route_stars: NotRequired[int]
    """1 to 5: what a passenger thinks of the route."""
    text: NotRequired[str]
    """What an operator or a passenger wrote."""


class CityVehicleRegisteredData(TypedDict):
    """An operator has written down what a vehicle is, anew or for the first time."""

    vehicle: str
    """A taxi, a minibus or a bus."""
    plate: str
    """Of the car."""
    registration: NotRequired[str]
    """Under which number it is registered."""
    company: NotRequired[str]
    """Whose car it is, or whom the driver works for."""
    model: NotRequired[str]
    """Of the car."""
    colour: NotRequired[str]
    """Of the car."""
    capabilities: NotRequired[Capabilities]
    code: NotRequired[str]
    """Of the vehicle. Who knows it could print the sign."""
    by: str
    """Who did it."""
    at: int
    """When it was written down, Unix ms."""


class CityVehicleRemovedData(TypedDict):
    """An operator has taken out the record of a vehicle."""

    vehicle: str
    """A taxi, a minibus or a bus."""


class CatalogChangedData(TypedDict):
    version: str
    changed: dict[str, int]
    """The lists that are not as they were, and since when; `Last-Modified` of the list is no earlier."""


class Call(Protocol):
    """Sends a command; see `Kerbside.call`."""

    @overload
    def __call__(
        self, cmd: Literal["driver.available"], fields: DriverAvailableFields = ..., *, key: str | None = None
    ) -> Future[DriverAvailableReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["driver.unavailable"], fields: DriverUnavailableFields = ..., *, key: str | None = None
    ) -> Future[DriverUnavailableReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["offer.accept"], fields: OfferAcceptFields, *, key: str | None = None
    ) -> Future[OfferAcceptReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["offer.decline"], fields: OfferDeclineFields, *, key: str | None = None
    ) -> Future[OfferDeclineReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["ride.aboard"], fields: RideAboardFields = ..., *, key: str | None = None
    ) -> Future[RideAboardReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["ride.end"], fields: RideEndFields = ..., *, key: str | None = None
    ) -> Future[RideEndReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["ride.noshow"], fields: RideNoshowFields = ..., *, key: str | None = None
    ) -> Future[RideNoshowReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["ride.request"], fields: RideRequestFields, *, key: str | None = None
    ) -> Future[RideRequestReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["ride.cancel"], fields: RideCancelFields = ..., *, key: str | None = None
    ) -> Future[RideCancelReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["ride.search"], fields: RideSearchFields = ..., *, key: str | None = None
    ) -> Future[RideSearchReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["ride.share"], fields: RideShareFields = ..., *, key: str | None = None
    ) -> Future[RideShareReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["ride.unshare"], fields: RideUnshareFields = ..., *, key: str | None = None
    ) -> Future[RideUnshareReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["seats.set"], fields: SeatsSetFields, *, key: str | None = None
    ) -> Future[SeatsSetReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["route.set"], fields: RouteSetFields = ..., *, key: str | None = None
    ) -> Future[RouteSetReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["publish"], fields: PublishFields, *, key: str | None = None
    ) -> Future[PublishReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["tour.start"], fields: TourStartFields, *, key: str | None = None
    ) -> Future[TourStartReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["tour.end"], fields: TourEndFields = ..., *, key: str | None = None
    ) -> Future[TourEndReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["stop.next"], fields: StopNextFields = ..., *, key: str | None = None
    ) -> Future[StopNextReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["stop.previous"], fields: StopPreviousFields = ..., *, key: str | None = None
    ) -> Future[StopPreviousReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["seat.book"], fields: SeatBookFields, *, key: str | None = None
    ) -> Future[SeatBookReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["seat.request"], fields: SeatRequestFields, *, key: str | None = None
    ) -> Future[SeatRequestReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["seat.accept"], fields: SeatAcceptFields, *, key: str | None = None
    ) -> Future[SeatAcceptReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["seat.decline"], fields: SeatDeclineFields, *, key: str | None = None
    ) -> Future[SeatDeclineReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["seat.cancel"], fields: SeatCancelFields = ..., *, key: str | None = None
    ) -> Future[SeatCancelReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["seat.aboard"], fields: SeatAboardFields, *, key: str | None = None
    ) -> Future[SeatAboardReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["seat.end"], fields: SeatEndFields, *, key: str | None = None
    ) -> Future[SeatEndReply]: ...

    @overload
    def __call__(self, cmd: Literal["vehicle.get"], fields: VehicleGetFields) -> Future[VehicleGetReply]: ...

    @overload
    def __call__(self, cmd: Literal["line.eta"], fields: LineEtaFields) -> Future[LineEtaReply]: ...

    @overload
    def __call__(self, cmd: Literal["advice.get"], fields: AdviceGetFields = ...) -> Future[AdviceGetReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["reliability.get"], fields: ReliabilityGetFields = ...
    ) -> Future[ReliabilityGetReply]: ...

    @overload
    def __call__(self, cmd: Literal["reliability.of"], fields: ReliabilityOfFields) -> Future[ReliabilityOfReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["reliability.reset"], fields: ReliabilityResetFields, *, key: str | None = None
    ) -> Future[ReliabilityResetReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["reservation.make"], fields: ReservationMakeFields, *, key: str | None = None
    ) -> Future[ReservationMakeReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["reservation.list"], fields: ReservationListFields = ...
    ) -> Future[ReservationListReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["reservation.cancel"], fields: ReservationCancelFields, *, key: str | None = None
    ) -> Future[ReservationCancelReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["stop.request"], fields: StopRequestFields, *, key: str | None = None
    ) -> Future[StopRequestReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["stop.cancel"], fields: StopCancelFields, *, key: str | None = None
    ) -> Future[StopCancelReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["stop.accept"], fields: StopAcceptFields, *, key: str | None = None
    ) -> Future[StopAcceptReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["stop.decline"], fields: StopDeclineFields, *, key: str | None = None
    ) -> Future[StopDeclineReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["stop.complete"], fields: StopCompleteFields, *, key: str | None = None
    ) -> Future[StopCompleteReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["stop.noshow"], fields: StopNoshowFields, *, key: str | None = None
    ) -> Future[StopNoshowReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["notify.set"], fields: NotifySetFields = ..., *, key: str | None = None
    ) -> Future[NotifySetReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["push.subscribe"], fields: PushSubscribeFields, *, key: str | None = None
    ) -> Future[PushSubscribeReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["push.unsubscribe"], fields: PushUnsubscribeFields, *, key: str | None = None
    ) -> Future[PushUnsubscribeReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["broadcast"], fields: BroadcastFields, *, key: str | None = None
    ) -> Future[BroadcastReply]: ...

    @overload
    def __call__(self, cmd: Literal["office.queue"], fields: OfficeQueueFields) -> Future[OfficeQueueReply]: ...

    @overload
    def __call__(self, cmd: Literal["office.driver"], fields: OfficeDriverFields) -> Future[OfficeDriverReply]: ...

    @overload
    def __call__(self, cmd: Literal["office.ride"], fields: OfficeRideFields) -> Future[OfficeRideReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["office.remove"], fields: OfficeRemoveFields, *, key: str | None = None
    ) -> Future[OfficeRemoveReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["office.put"], fields: OfficePutFields, *, key: str | None = None
    ) -> Future[OfficePutReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["office.offer"], fields: OfficeOfferFields, *, key: str | None = None
    ) -> Future[OfficeOfferReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["office.reassign"], fields: OfficeReassignFields, *, key: str | None = None
    ) -> Future[OfficeReassignReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["office.cancel"], fields: OfficeCancelFields, *, key: str | None = None
    ) -> Future[OfficeCancelReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["office.end"], fields: OfficeEndFields, *, key: str | None = None
    ) -> Future[OfficeEndReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["office.block"], fields: OfficeBlockFields, *, key: str | None = None
    ) -> Future[OfficeBlockReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["office.unblock"], fields: OfficeUnblockFields, *, key: str | None = None
    ) -> Future[OfficeUnblockReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["office.session_end"], fields: OfficeSessionEndFields, *, key: str | None = None
    ) -> Future[OfficeSessionEndReply]: ...

    @overload
    def __call__(self, cmd: Literal["office.audit"], fields: OfficeAuditFields = ...) -> Future[OfficeAuditReply]: ...

    @overload
    def __call__(self, cmd: Literal["records.list"], fields: RecordsListFields) -> Future[RecordsListReply]: ...

    @overload
    def __call__(self, cmd: Literal["sos"], fields: SosFields = ..., *, key: str | None = None) -> Future[SosReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["sos.cancel"], fields: SosCancelFields = ..., *, key: str | None = None
    ) -> Future[SosCancelReply]: ...

    @overload
    def __call__(self, cmd: Literal["sos.list"], fields: SosListFields = ...) -> Future[SosListReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["sos.acknowledge"], fields: SosAcknowledgeFields, *, key: str | None = None
    ) -> Future[SosAcknowledgeReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["sos.close"], fields: SosCloseFields, *, key: str | None = None
    ) -> Future[SosCloseReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["report.send"], fields: ReportSendFields, *, key: str | None = None
    ) -> Future[ReportSendReply]: ...

    @overload
    def __call__(self, cmd: Literal["report.list"], fields: ReportListFields = ...) -> Future[ReportListReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["report.close"], fields: ReportCloseFields, *, key: str | None = None
    ) -> Future[ReportCloseReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["drivers.set"], fields: DriversSetFields, *, key: str | None = None
    ) -> Future[DriversSetReply]: ...

    @overload
    def __call__(self, cmd: Literal["drivers.get"], fields: DriversGetFields) -> Future[DriversGetReply]: ...

    @overload
    def __call__(self, cmd: Literal["drivers.list"], fields: DriversListFields = ...) -> Future[DriversListReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["drivers.remove"], fields: DriversRemoveFields, *, key: str | None = None
    ) -> Future[DriversRemoveReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["vehicles.set"], fields: VehiclesSetFields, *, key: str | None = None
    ) -> Future[VehiclesSetReply]: ...

    @overload
    def __call__(self, cmd: Literal["vehicles.get"], fields: VehiclesGetFields) -> Future[VehiclesGetReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["vehicles.list"], fields: VehiclesListFields = ...
    ) -> Future[VehiclesListReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["vehicles.remove"], fields: VehiclesRemoveFields, *, key: str | None = None
    ) -> Future[VehiclesRemoveReply]: ...

    @overload
    def __call__(self, cmd: Literal["fare.estimate"], fields: FareEstimateFields) -> Future[FareEstimateReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["payment.report"], fields: PaymentReportFields, *, key: str | None = None
    ) -> Future[PaymentReportReply]: ...

    @overload
    def __call__(self, cmd: Literal["receipt.get"], fields: ReceiptGetFields) -> Future[ReceiptGetReply]: ...

    @overload
    def __call__(
        self, cmd: Literal["trip.rate"], fields: TripRateFields, *, key: str | None = None
    ) -> Future[TripRateReply]: ...

    @overload
    def __call__(self, cmd: Literal["ratings.get"], fields: RatingsGetFields = ...) -> Future[RatingsGetReply]: ...

    @overload
    def __call__(self, cmd: Literal["trips.list"], fields: TripsListFields = ...) -> Future[TripsListReply]: ...


Ends = Callable[[], None]


class On(Protocol):
    """Has a handler called; see `Kerbside.on`."""

    @overload
    def __call__(self, type_: Literal["state"], handler: Callable[[StateChange], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["gap"], handler: Callable[[str], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["outcome"], handler: Callable[[Outcome], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["refused"], handler: Callable[[HubError], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["vehicles"], handler: Callable[[list[str]], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["fault"], handler: Callable[[BaseException], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["*"], handler: Callable[[Message], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["queue.joined"], handler: Callable[[QueueJoinedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["queue.left"], handler: Callable[[QueueLeftData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["offer.made"], handler: Callable[[OfferMadeData], object], /) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["offer.withdrawn"], handler: Callable[[OfferWithdrawnData], object], /
    ) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["ride.assigned"], handler: Callable[[RideAssignedData], object], /) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["ride.pickup_moved"], handler: Callable[[RidePickupMovedData], object], /
    ) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["ride.confirm_aboard"], handler: Callable[[RideConfirmAboardData], object], /
    ) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["ride.cancelled"], handler: Callable[[RideCancelledData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["tour.ended"], handler: Callable[[TourEndedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.requested"], handler: Callable[[SeatRequestedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.withdrawn"], handler: Callable[[SeatWithdrawnData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.assigned"], handler: Callable[[SeatAssignedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.waiting"], handler: Callable[[SeatWaitingData], object], /) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["seat.pickup_moved"], handler: Callable[[SeatPickupMovedData], object], /
    ) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["seat.confirm_aboard"], handler: Callable[[SeatConfirmAboardData], object], /
    ) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.aboard"], handler: Callable[[SeatAboardData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.ended"], handler: Callable[[SeatEndedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.cancelled"], handler: Callable[[SeatCancelledData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seats.changed"], handler: Callable[[SeatsChangedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.requested"], handler: Callable[[StopRequestedData], object], /) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["stop.unanswered"], handler: Callable[[StopUnansweredData], object], /
    ) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.withdrawn"], handler: Callable[[StopWithdrawnData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.list"], handler: Callable[[StopListData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["notify.changed"], handler: Callable[[NotifyChangedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["notice"], handler: Callable[[NoticeData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["advice.wait"], handler: Callable[[AdviceWaitData], object], /) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["reliability.warned"], handler: Callable[[ReliabilityWarnedData], object], /
    ) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["reliability.paused"], handler: Callable[[ReliabilityPausedData], object], /
    ) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["payment.changed"], handler: Callable[[PaymentChangedData], object], /
    ) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["sos.acknowledged"], handler: Callable[[SosAcknowledgedData], object], /
    ) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["sos.closed"], handler: Callable[[SosClosedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["ride.searching"], handler: Callable[[RideSearchingData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["ride.accepted"], handler: Callable[[RideAcceptedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["ride.failed"], handler: Callable[[RideFailedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["ride.near"], handler: Callable[[RideNearData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["ride.arrived"], handler: Callable[[RideArrivedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["ride.aboard"], handler: Callable[[RideAboardData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["ride.ended"], handler: Callable[[RideEndedData], object], /) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["ride.driver_lost"], handler: Callable[[RideDriverLostData], object], /
    ) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["ride.driver_back"], handler: Callable[[RideDriverBackData], object], /
    ) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.pending"], handler: Callable[[SeatPendingData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.confirmed"], handler: Callable[[SeatConfirmedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.declined"], handler: Callable[[SeatDeclinedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.searching"], handler: Callable[[SeatSearchingData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.failed"], handler: Callable[[SeatFailedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.near"], handler: Callable[[SeatNearData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.arrived"], handler: Callable[[SeatArrivedData], object], /) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["seat.driver_lost"], handler: Callable[[SeatDriverLostData], object], /
    ) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["seat.driver_back"], handler: Callable[[SeatDriverBackData], object], /
    ) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["route.changed"], handler: Callable[[RouteChangedData], object], /) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["reservation.made"], handler: Callable[[ReservationMadeData], object], /
    ) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["reservation.reminder"], handler: Callable[[ReservationReminderData], object], /
    ) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["reservation.searching"], handler: Callable[[ReservationSearchingData], object], /
    ) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["reservation.waiting"], handler: Callable[[ReservationWaitingData], object], /
    ) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["reservation.assigned"], handler: Callable[[ReservationAssignedData], object], /
    ) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["reservation.failed"], handler: Callable[[ReservationFailedData], object], /
    ) -> Ends: ...

    @overload
    def __call__(
        self, type_: Literal["reservation.cancelled"], handler: Callable[[ReservationCancelledData], object], /
    ) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.pending"], handler: Callable[[StopPendingData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.accepted"], handler: Callable[[StopAcceptedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.declined"], handler: Callable[[StopDeclinedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.expired"], handler: Callable[[StopExpiredData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.reminder"], handler: Callable[[StopReminderData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.near"], handler: Callable[[StopNearData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.arrived"], handler: Callable[[StopArrivedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.completed"], handler: Callable[[StopCompletedData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.noshow"], handler: Callable[[StopNoshowData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.cancelled"], handler: Callable[[StopCancelledData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["queue.rank"], handler: Callable[[QueueRankData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["ride.eta"], handler: Callable[[RideEtaData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["tour"], handler: Callable[[TourData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.eta"], handler: Callable[[SeatEtaData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["stop.eta"], handler: Callable[[StopEtaData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["seat.stops"], handler: Callable[[SeatStopsData], object], /) -> Ends: ...

    @overload
    def __call__(self, type_: Literal["snapshot"], handler: Callable[[SnapshotData], object], /) -> Ends: ...
