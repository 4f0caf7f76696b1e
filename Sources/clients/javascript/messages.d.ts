// The messages of the contract, made of config/contract/schemas by tools/generate. Don't change it by hand.

/** Fields of each command, but for `id` and `key`. */
export interface Commands {
  /** Identifies the connection; the first command. */
  "hello": {
    /** Needed unless the handshake carried `Authorization: Bearer …`. */
    token?: string;
    /** The last `seq` seen of each channel; what was missed comes before anything new. `0`: from the oldest that is kept. A channel that can't be read is refused by an error without an `id`, and is not among the reply's `channels`. */
    resume?: Record<string, string>;
  };
  /** A driver's fix, of a taxi or of a bus on tour; or a passenger's, for whom a taxi or minibus comes: the pickup follows, as far as the city lets it. (0,0) is refused, and an `at` in seconds. Answered only if it carries an `id` or is refused. */
  "position": {
    lat: number;
    lon: number;
    at: number;
    /** Degrees from north. */
    heading?: number;
    /** m/s. */
    speed?: number;
    /** Radius in metres. */
    accuracy?: number;
  };
  /** To the bottom of the queue of the zone of the last position. */
  "driver.available": Record<string, never>;
  /** Out of the queue. */
  "driver.unavailable": Record<string, never>;
  /** Sent by the app itself as soon as the offer is on the screen: it starts the clock. */
  "offer.seen": {
    ride: string;
  };
  "offer.accept": {
    ride: string;
  };
  "offer.decline": {
    ride: string;
  };
  "ride.aboard": {
    ride?: string;
    passengers?: number;
  };
  "ride.end": {
    payment?: PaymentMethod;
    ride?: string;
  };
  "ride.noshow": {
    ride?: string;
  };
  /** `needs`: what the vehicle must have, by the records of the office. `wait`: to wait until `until` of the reply where nobody takes it now, rather than to be refused or told that it has failed. */
  "ride.request": {
    on_behalf_of?: Caller;
    lat: number;
    lon: number;
    passengers: number;
    needs?: Capabilities;
    wait?: boolean;
    payment?: PaymentMethod;
    destination?: Point;
  };
  /** A passenger's open request or accepted ride; or a driver gives an accepted ride back, and it is searched again. */
  "ride.cancel": {
    on_behalf_of?: Caller;
    ride?: string;
  };
  /** After `ride.driver_lost`: the ride is searched again, first in line. Refused when the driver is back (`not_available`), and while nobody else could be asked (`zone_empty`, `seats_full`): the driver keeps the ride then. */
  "ride.search": {
    on_behalf_of?: Caller;
    ride?: string;
  };
  /** Of the open ride. A ride has three links at most (`not_available`). A link shows its ride to whoever has it, read only: the car, where it is, and how long it takes; no person. It ends with the ride. */
  "ride.share": {
    ride?: string;
  };
  /** Whoever has one of its links sees nothing any more. */
  "ride.unshare": {
    ride?: string;
  };
  /** A feed of vehicles (a zone, one vehicle, the city), answered by a snapshot; or a topic, a line or the city's events, from after the `seq` in `since` on, a line's buses by a snapshot. */
  "subscribe": {
    channel: string;
    filter?: Filter;
    max_rate?: number;
    since?: string;
  };
  "unsubscribe": {
    channel: string;
  };
  /** The vehicles within `radius` metres, on the channel `near`. Sent again it moves the circle or changes the filter, and a snapshot follows. With a `destination`, of minibuses and buses only those that will pass near `lat` and `lon` and then near that place, by the way that they have announced, or else by their route of the timetable in the direction in which they drive it. Who has passed is gone, and there again when it begins its way anew. Taxis go anywhere. */
  "watch": {
    lat: number;
    lon: number;
    /** Metres. */
    radius: number;
    destination?: Point;
    filter?: Filter;
    max_rate?: number;
  };
  /** Ends the channel `near`. */
  "unwatch": Record<string, never>;
  /** A driver tells how many seats are taken; watchers see how many are free. In a minibus seats that are promised to passengers who are not aboard yet count as taken. */
  "seats.set": {
    taken: number;
    reason?: string;
  };
  /** A driver tells the route it drives, or the way (start, end, way points), or both; `route` is null when it drives none. A way without a route is shown as a route of the vehicle's own. */
  "route.set": {
    start?: Point;
    via?: WayPoints;
    end?: Point;
    route?: string | null;
  };
  /** An event on a topic, for operators and services; all who have subscribed to the topic get it. Its type is `message` when left out. */
  "publish": {
    channel: string;
    /** Handed on as it is written. At most 8 KiB. */
    data: Record<string, unknown>;
    type?: string;
  };
  /** A bus driver begins a tour. Without pattern and trip it is the run of the schedule that is nearest in time. A run can be begun an hour before its time at the earliest. Sent again while on this tour, it is answered with the tour as it is. */
  "tour.start": {
    bus: string;
    line: string;
    pattern?: string;
    trip?: string;
  };
  /** The driver ends its tour; an operator ends any, by its id. */
  "tour.end": {
    tour?: string;
  };
  /** The bus has left the next stop behind, or has left it out. */
  "stop.next": {
    /** It was not served: the readers of the line are told. */
    skip?: boolean;
  };
  /** Back to the stop before, after a mistake. */
  "stop.previous": Record<string, never>;
  /** Seats in a minibus for all passengers of a party, or for none. The driver is asked; the answer comes as `seat.confirmed` or `seat.declined`. */
  "seat.book": {
    on_behalf_of?: Caller;
    payment?: PaymentMethod;
    vehicle: string;
    pickup: Point;
    destination: Point;
    passengers: number;
  };
  /** Seats in any minibus that will pass the pickup and then go to the destination, for all passengers of a party. Those that are near are asked in turn, up to 16; `seat.searching` says how it goes, `seat.confirmed` which one comes, `seat.failed` that none does. */
  "seat.request": {
    on_behalf_of?: Caller;
    payment?: PaymentMethod;
    pickup: Point;
    destination: Point;
    passengers: number;
  };
  /** The driver takes a booking that it was asked for. */
  "seat.accept": {
    booking: string;
  };
  /** The driver does not take a booking that it was asked for. */
  "seat.decline": {
    booking: string;
  };
  /** A passenger's booking, the open one unless it is named; or a confirmed one that the driver names. */
  "seat.cancel": {
    on_behalf_of?: Caller;
    booking?: string;
  };
  /** The passengers of a booking have got on; `passengers` if it is another number than was booked. */
  "seat.aboard": {
    booking: string;
    passengers?: number;
  };
  /** The passengers of a booking have got off, wherever that is. `payment`: as the driver was paid, if other than was asked for; digital only if it was. */
  "seat.end": {
    booking: string;
    payment?: PaymentMethod;
  };
  /** What there is to know of a minibus before booking. */
  "vehicle.get": {
    vehicle: string;
  };
  /** When the buses of a line come to a stop of it (`stop`) or to any place along its way (`lat` and `lon`). */
  "line.eta": {
    line: string;
    stop?: string;
    lat?: number;
    lon?: number;
  };
  /** Where the driver is likely to get a ride soonest. Refused to minibuses and on a ride (`not_available`), and to who has sent no position (`no_position`). */
  "advice.get": Record<string, never>;
  /** What counts of oneself. */
  "reliability.get": Record<string, never>;
  /** What counts of somebody; of who was never here, nothing. */
  "reliability.of": {
    role: ReliablePerson;
    subject: string;
  };
  /** Nothing counts any more, and a pause is over. Points stay, and what the office has blocked. Refused when nothing counts (`not_available`). */
  "reliability.reset": {
    role: ReliablePerson;
    subject: string;
    reason: string;
  };
  /** Refused if the pickup is the destination (`same_place`), for more passengers than a taxi takes (`too_many_passengers`), for a time that is over (`in_the_past`), less than 2 h (`too_soon`) or more than 48 h ahead (`too_far_ahead`), and outside the zones. */
  "reservation.make": {
    on_behalf_of?: Caller;
    pickup: Point;
    destination: Point;
    at: number;
    passengers: number;
    needs?: Capabilities;
    payment?: PaymentMethod;
  };
  "reservation.list": {
    on_behalf_of?: Caller;
  };
  /** Until 10 minutes before its time (`too_late` after that). A ride that is searched for or assigned by then is cancelled with it. */
  "reservation.cancel": {
    on_behalf_of?: Caller;
    reservation: string;
  };
  /** A citizen asks the bus of a line to stop: at a stop of the line (`stop`) or at a place (`lat` and `lon`). A line that is driven on request, and a run of a line's timetable, is asked ahead, by as long as an answer may take, while nobody drives it, too, and the first run of a day until it begins: `answer_by` is the wanted time then, until there is a driver. A tour that ends leaves its requests to the next: `stop.pending` with a reason. The same again, with the key or without, is the same request. */
  "stop.request": {
    on_behalf_of?: Caller;
    line: string;
    stop?: string;
    lat?: number;
    lon?: number;
    /** When, Unix milliseconds; left out: when the bus comes by next. The reply says for when it was taken: the time of the next round, if the bus has gone by; that of the run that is due about then, if nobody drives; that of the first run of the day, if it was asked for before that, an hour at most, or shortly before the time when it passes. */
    at?: number;
    /** 1 when left out. */
    passengers?: number;
    name: string;
    number?: string;
    address?: string;
    help?: Help;
    /** The way back, asked for at once: a request of its own, later than the first. `stop`, or `lat` and `lon`. */
    back?: {
      stop?: string;
      lat?: number;
      lon?: number;
      at: number;
      passengers?: number;
    };
  };
  /** A citizen takes an open request back. */
  "stop.cancel": {
    on_behalf_of?: Caller;
    request: string;
  };
  /** The driver will stop there. */
  "stop.accept": {
    request: string;
    /** With every other request of its place that is in the same state. */
    all?: boolean;
  };
  /** The driver will not stop there; also after having accepted. */
  "stop.decline": {
    request: string;
    /** With every other request of its place that is in the same state. */
    all?: boolean;
  };
  /** Who asked has got on. */
  "stop.complete": {
    request: string;
    /** With every other request of its place that is in the same state. */
    all?: boolean;
  };
  /** Nobody came. Only at or after the pickup time, after `stop.arrived`, and once the bus has stood there for a while by the hub's clock. */
  "stop.noshow": {
    request: string;
    /** With every other request of its place that is in the same state. */
    all?: boolean;
  };
  /** What its sender does not want to be told; replaces what was wished before. Proximity, changes of route and ETA are then not sent at all; answers, requests and reminders come marked `silent`. Quiet hours count for all kinds but the ETA. */
  "notify.set": {
    /** None of them is the same as an empty list. */
    mute?: NotificationKinds | unknown[];
    quiet?: Quiet;
  };
  /** Where its sender is reached who has no connection: a `PushSubscription` of a browser, made with the key of `/v1/push/key`. Offers, answers, alerts and reminders are sent there, encrypted so that only that browser reads them. Kept for 90 days after it was said last; whoever else had the endpoint has it no more. */
  "push.subscribe": {
    endpoint: string;
    keys: PushKeys;
  };
  /** Nothing is sent there any more. One that is not there is none any more, too. */
  "push.unsubscribe": {
    endpoint: string;
  };
  /** A notice to many people: each gets `notice` on the own channel, at once or when it is back. All means all who were here within a week; with `zone`, only drivers and only those in its queue. */
  "broadcast": {
    to: Audience;
    zone?: string;
    text: string;
  };
  /** Who waits in a zone's queue, in order: at most 500 drivers. */
  "office.queue": {
    zone: string;
  };
  /** What the hub knows of a driver of a taxi or minibus. */
  "office.driver": {
    driver: string;
  };
  /** What is known of a ride, for as long as it is kept. */
  "office.ride": {
    ride: string;
  };
  /** The driver becomes unavailable, and is told why. One that is on a ride, or has bookings, is refused. */
  "office.remove": {
    driver: string;
    reason: string;
  };
  /** A driver that was taken out, or has lost its place, waits again in the zone where it is, with `zone` in no other. Its rank: `rank`, or the end if so many do not wait; without it the old place of the last hour, or the end. One that waits is moved to `rank`. It must be connected; pauses that it must make are over. */
  "office.put": {
    driver: string;
    zone?: string;
    /** Place in the queue; 1 is asked next. */
    rank?: number;
    reason: string;
  };
  /** Asks this driver for a ride that is searched for, whoever's turn it is; who is asked for it now is no more. It may wait in another zone. If it does not accept, the search goes on as it would have. */
  "office.offer": {
    ride: string;
    driver: string;
  };
  /** Takes a ride that nobody is aboard of from its driver, who is told why and keeps its turn. It is offered to `driver`, or searched for again, first in line; the driver who had it is not asked by the hub again. */
  "office.reassign": {
    ride: string;
    driver?: string;
    reason: string;
  };
  /** Of a ride, of a booking in a minibus, or of a reservation. Driver and passenger are told why. It counts against nobody, and the driver of a ride keeps its turn. With passengers aboard it is refused. */
  "office.cancel": {
    ride?: string;
    booking?: string;
    reservation?: string;
    reason: string;
  };
  /** Ends a ride, or a booking, whose passengers are aboard and whose driver does not end it. The taxi is unavailable then, and its driver is told why. */
  "office.end": {
    ride?: string;
    booking?: string;
    reason: string;
  };
  /** A blocked driver can't be available, a blocked passenger can't ask for a ride, seats or a stop; both are refused with `forbidden`. What is under way is finished. Sent again it replaces the block. */
  "office.block": {
    role: BlockedRole;
    subject: string;
    reason: string;
    /** Unix ms, in the future: then it ends by itself. Without it the block is for good. */
    until?: number;
  };
  /** Ends a block. */
  "office.unblock": {
    role: BlockedRole;
    subject: string;
  };
  /** Closes every connection of a person, at all workers: with code 4403, or with `revoke` 4401, and the reason. With `revoke` no token that was issued to it up to now counts any more; a new one does. Without it who has a token may come back: block it, or revoke. */
  "office.session_end": {
    role: Role;
    subject: string;
    reason: string;
    revoke?: boolean;
  };
  /** A page of what operators did, the newest first. */
  "office.audit": {
    from?: string;
    /** Entries of a page; 50 without it. */
    limit?: number;
  };
  /** A page of what has been, the latest first: rides of taxis, bookings of seats in minibuses, stops on request, reservations, tours of buses, alarms, reports of incidents. The records follow by a few seconds. `record`: the one row of that id. Rows of rides, bookings and reservations can be chosen by driver, passenger and zone, stops by driver, passenger and line, tours by driver and line, alarms by the driver or passenger who has raised them. From `start_time` until before `end_time`: when it was asked for; of a reservation, when the taxi is to come; of a tour, when it began; of an alarm or a report, when it was sent. */
  "records.list": {
    of: "rides" | "bookings" | "stops" | "reservations" | "tours" | "alarms" | "reports";
    driver?: string;
    passenger?: string;
    zone?: string;
    line?: string;
    record?: string;
    start_time?: number;
    end_time?: number;
    /** The `next` of the page before. */
    from?: string;
    /** Rows of a page; 50 without it. */
    limit?: number;
  };
  /** Danger: rings at the operators until one acknowledges it. It is taken on a ride or not; the hub finds ride, vehicle and tour itself, and the vehicle's place without `lat` and `lon`. While one is open it is brought up to date, no second one. The other side of the ride is not told. */
  "sos": {
    ride?: string;
    text?: string;
    lat?: number;
    lon?: number;
  };
  /** The sender says that there is no danger. It stays open, and rings until an operator acknowledges it: somebody may have been made to say so. */
  "sos.cancel": Record<string, never>;
  /** The alarms that are open, those that ring first; or those that were closed, the newest first. At most 100. */
  "sos.list": {
    /** Those that were closed, as long as they are kept. */
    closed?: boolean;
  };
  /** A person looks after it: it rings no more, and its sender is told. */
  "sos.acknowledge": {
    sos: string;
    note?: string;
  };
  /** Ends it, and its sender is told. */
  "sos.close": {
    sos: string;
    note: string;
  };
  /** Tells the office what happened. With `anonymous` the hub keeps nothing of who sent it. */
  "report.send": {
    category: ReportCategory;
    text: string;
    ride?: string;
    vehicle?: string;
    anonymous?: boolean;
  };
  /** A page of the reports that are open, or were closed, the newest first. */
  "report.list": {
    from?: string;
    /** Entries of a page; 50 without it. */
    limit?: number;
    /** Those that were closed, as long as they are kept. */
    closed?: boolean;
  };
  /** It is dealt with. */
  "report.close": {
    report: string;
    note: string;
  };
  /** Replaces the record whole: what is not given is gone. Past the last day of a paper the driver can't go available or begin a tour; without a date nothing ends. `driver` is the subject of its token; `vehicle` must be registered, and without it the driver drives the one of its own name. */
  "drivers.set": {
    driver: string;
    name: string;
    phone?: string;
    company?: string;
    photo?: string;
    licence?: string;
    licence_until?: string;
    medical_until?: string;
    vehicle?: string;
    capabilities?: Capabilities;
  };
  /** The record of a driver. */
  "drivers.get": {
    driver: string;
  };
  /** A page of the records, in the order of ids; with `ends_by` of those one of whose papers ends by that day, in the order in which they end. */
  "drivers.list": {
    from?: string;
    /** Records of a page; 50 without it. */
    limit?: number;
    ends_by?: string;
  };
  /** The record is gone, with all that it says of a person. */
  "drivers.remove": {
    driver: string;
  };
  /** Replaces the record whole: what is not given is gone. The code of its sign stays, unless `new_code` says that the sign is lost. */
  "vehicles.set": {
    vehicle: string;
    plate: string;
    registration?: string;
    company?: string;
    model?: string;
    colour?: string;
    capabilities?: Capabilities;
    /** Makes a new code; the one before is no vehicle's any more. */
    new_code?: boolean;
  };
  /** The record of a vehicle, with the code of its sign. */
  "vehicles.get": {
    vehicle: string;
  };
  /** A page of the records, in the order of ids. */
  "vehicles.list": {
    from?: string;
    /** Records of a page; 50 without it. */
    limit?: number;
  };
  /** The record is gone, and the code of its sign is no vehicle's any more. Drivers whose records name it get another one first. */
  "vehicles.remove": {
    vehicle: string;
  };
  /** What a taxi would cost, or seats in the minibus `vehicle`, as who books them now would be told. Of a taxi `at`: when it begins, else now; `reserved`: it is to be reserved, which may cost more. */
  "fare.estimate": {
    pickup: Point;
    destination: Point;
    passengers: number;
    /** Unix ms, before the year 3000. */
    at?: number;
    reserved?: boolean;
    vehicle?: string;
  };
  /** What became of the payment of a trip; by services whose token has the scope `payments`. `reference`: how the service calls the payment; one in which something looks like the number of a card is refused, and another one for a trip that is paid. */
  "payment.report": {
    trip: string;
    state: PaymentState;
    reference?: string;
  };
  /** The receipt of a trip: one's own, or for operators any. */
  "receipt.get": {
    trip: string;
  };
  /** Stars for who drove, or for the passengers, once a side. `route_stars`: what a passenger thinks of the route that its minibus went on. */
  "trip.rate": {
    trip: string;
    stars: number;
    route_stars?: number;
    comment?: string;
  };
  /** What people think of somebody: operators name whom, with `role` and `subject`; others get their own. */
  "ratings.get": {
    role?: "driver" | "passenger";
    subject?: string;
  };
  /** Trips, the latest first: one's own, or of whom operators name with `role` and `subject`. `from`: the `next` of the page before. */
  "trips.list": {
    from?: string;
    limit?: number;
    role?: "driver" | "passenger";
    subject?: string;
  };
}

/** The `ok` of each command. */
export interface Replies {
  "hello": {
    session: string;
    role: Role;
    subject: string;
    city: string;
    /** Subscribed by this hello. */
    channels: string[];
    heartbeat_s: number;
    time: number;
    /** Where each channel stands: from here on everything is pushed. The place to resume from if nothing more came. */
    seq: Record<string, string>;
  };
  "position": {
    /** Only when the fix was not used: older than the last one, stored on the device for too long, sent before, or too far from the last one for the time between (believed when the next one agrees). Of a passenger also why the pickup stays: no vehicle is on its way, or it is there; the pickup moved just now, or often enough; the fix is less than 20 m from it, too far from where it was asked for, or too coarse. */
    ignored?: "late" | "old" | "duplicate" | "jump" | "no_pickup" | "arrived" | "soon" | "near" | "far" | "inaccurate";
  };
  "driver.available": {
    state: "available";
    zone: string;
    rank: number;
    size: number;
  } | {
    state: "available";
    seats: number;
    capacity: number;
  };
  "driver.unavailable": {
    state: "unavailable";
  };
  "offer.seen": {
    ride: string;
    expires_in_ms: number;
    expires_at: number;
  };
  "offer.accept": {
    ride: string;
    pickup: Point;
    passengers: number;
    needs?: Capabilities;
    contact?: Contact;
    payment?: PaymentMethod;
    destination?: Point;
  };
  "offer.decline": {
    ride: string;
  };
  "ride.aboard": {
    ride: string;
  };
  "ride.end": {
    ride: string;
    state: "available";
    zone: string;
    rank: number;
    size: number;
    receipt?: string;
    fare?: Fare;
    payment?: Payment;
  } | {
    ride: string;
    state: "unavailable";
    /** Why there is no queue to join: outside_zones, blocked (by the office), or rate_limited: too many rides were ended at once, given back or not come for, and driver.available says for how long. */
    reason: string;
    receipt?: string;
    fare?: Fare;
    payment?: Payment;
  };
  "ride.noshow": {
    ride: string;
    state: "available";
    zone: string;
    rank: number;
    size: number;
  } | {
    ride: string;
    state: "unavailable";
    /** Why there is no queue to join: blocked. */
    reason: string;
  };
  "ride.request": {
    ride: string;
    zone: string;
    state: "searching";
    until?: number;
    fare?: Fare;
  };
  "ride.cancel": {
    ride: string;
    state: "cancelled";
  };
  "ride.search": {
    ride: string;
    state: "searching";
  };
  /** `link`: of the page for friends, below the address of the hub. What follows `#` is the secret, for `GET /v1/follow`. */
  "ride.share": {
    ride: string;
    link: string;
  };
  "ride.unshare": {
    ride: string;
  };
  /** With `seq` for a topic or the city's events: where the reader stands, and the place to resume from if nothing more came. */
  "subscribe": {
    channel: string;
    seq?: string;
  };
  "unsubscribe": {
    channel: string;
  };
  "watch": {
    channel: "near";
    /** How many squares of some 400 m the circle touches. */
    cells: number;
    /** A later `watch` came before this one was read: the circle stays where it is until that one's reply, and `cells` is what it has. */
    replaced?: true;
  };
  "unwatch": {
    channel: "near";
  };
  "seats.set": {
    /** Free now. */
    seats: number;
  };
  "route.set": {
    route: RouteOrNone;
    way?: Way;
  };
  "publish": {
    seq: string;
  };
  "tour.start": Tour;
  "tour.end": {
    tour: string;
    state: "ended";
  };
  "stop.next": Tour;
  "stop.previous": Tour;
  "seat.book": {
    booking: string;
    vehicle: string;
    passengers: number;
    state: "pending";
    fare?: Fare;
  };
  "seat.request": {
    booking: string;
    passengers: number;
    state: "searching";
    until: number;
  };
  "seat.accept": {
    booking: string;
    pickup: Point;
    contact?: Contact;
    destination: Point;
    payment?: PaymentMethod;
    passengers: number;
  };
  "seat.decline": {
    booking: string;
  };
  "seat.cancel": {
    booking: string;
    state: "cancelled";
  };
  "seat.aboard": {
    booking: string;
    seats: number;
  };
  "seat.end": {
    booking: string;
    seats: number;
    receipt?: string;
    fare?: Fare;
    payment?: Payment;
  };
  "vehicle.get": {
    vehicle: string;
    kind: "minibus";
    state: StateDriverState;
    status: StateStatus;
    seats: number;
    capacity: number;
    route: RouteOrNone;
    way?: Way;
    position?: Fix;
  };
  "line.eta": {
    line: string;
    /** The next that come, by time: those of buses on their way, and of the schedule those of a day. */
    arrivals: ({
      pattern: string;
      headsign?: string;
      trip?: string;
      tour?: string;
      bus?: string;
      /** Nothing but the schedule says so: no bus is on this run, or nobody knows where it is. */
      scheduled: boolean;
      /** From the bus, along its way. */
      distance_m?: number;
      eta: {
        at: number;
        /** 1 of 10 buses is earlier. */
        early?: number;
        /** 1 of 10 buses is later. */
        late?: number;
        clock: string;
      };
    })[];
  };
  "advice.get": {
    days: number;
    /** `rank` is there for who waits; `wait_s` is absent when it is more than two hours. */
    here?: {
      zone: string;
      expected: number;
      later: number;
      waiting: number;
      rank?: number;
      wait_s?: number;
    };
    zones: ZoneAdvice[];
  };
  "reliability.get": Reliability;
  "reliability.of": ReliabilityOf;
  "reliability.reset": {
    role: ReliablePerson;
    subject: string;
    audit: string;
  };
  "reservation.make": Reservation;
  "reservation.list": {
    reservations: Reservation[];
  };
  "reservation.cancel": {
    reservation: string;
    state: "cancelled";
  };
  "stop.request": {
    eta?: PlaceEta;
    request: string;
    line: string;
    state: "requested" | "accepted";
    at: number;
    passengers: number;
    /** The driver answers until then, or the request lapses. */
    answer_by: number;
    back?: string;
  };
  "stop.cancel": {
    request: string;
    state: "cancelled";
  };
  "stop.accept": {
    /** Those that were answered. With `all` the first that is refused ends it. */
    requests: string[];
    state: "accepted";
  };
  "stop.decline": {
    /** Those that were answered. With `all` the first that is refused ends it. */
    requests: string[];
    state: "declined";
  };
  "stop.complete": {
    /** Those that were answered. With `all` the first that is refused ends it. */
    requests: string[];
    state: "completed";
  };
  "stop.noshow": {
    /** Those that were answered. With `all` the first that is refused ends it. */
    requests: string[];
    state: "no_show";
  };
  "notify.set": Wishes;
  "push.subscribe": {
    /** How many its sender has now. */
    subscriptions: number;
  };
  "push.unsubscribe": {
    /** How many its sender has now. */
    subscriptions: number;
  };
  "broadcast": {
    notice: string;
    /** How many are told, one after the other: some 2,000 a second. */
    people: number;
  };
  "office.queue": {
    zone: string;
    /** Of the whole queue. */
    size: number;
    /** There are more than are listed. */
    more: boolean;
    drivers: ({
      driver: string;
      rank: number;
      /** away: the link is lost, or nothing was heard; it keeps the place and is asked nothing. */
      state: "waiting" | "offered" | "away";
      since?: number;
      offer?: string;
      position?: Fix;
    })[];
  };
  "office.driver": {
    driver: string;
    kind: "taxi" | "minibus";
    state: StateDriverState;
    connected: boolean;
    zone?: string;
    rank?: number;
    size?: number;
    since?: number;
    ride?: string;
    offer?: string;
    seats?: number;
    position?: Fix;
    /** It is asked nothing: the link is lost, nothing was heard, or it did not show an offer. */
    away?: {
      since: number;
      why: "connection_lost" | "stale" | "undelivered";
    };
    blocked?: Block;
  };
  "office.ride": {
    ride: string;
    state: "searching" | "offered" | "accepted" | "aboard" | "ended" | "cancelled" | "noshow" | "failed";
    passenger: string;
    zone: string;
    driver?: string;
    offered_to?: string;
    pickup: Point;
    destination?: Point;
    passengers: number;
    needs?: Capabilities;
    requested_at: number;
    accepted_at?: number;
    arrived_at?: number;
    aboard_at?: number;
    closed_at?: number;
  };
  "office.remove": {
    driver: string;
    state: "unavailable";
    audit: string;
  };
  "office.put": {
    driver: string;
    state: "available";
    zone: string;
    rank: number;
    size: number;
    audit: string;
  };
  "office.offer": {
    ride: string;
    driver: string;
    state: "offered";
    audit: string;
  };
  "office.reassign": {
    ride: string;
    driver?: string;
    /** `offered` to `driver`, or `searching`. */
    state: "offered" | "searching";
    audit: string;
  };
  "office.cancel": {
    ride?: string;
    booking?: string;
    reservation?: string;
    state: "cancelled";
    audit: string;
  };
  "office.end": {
    ride?: string;
    booking?: string;
    state: "ended";
    audit: string;
  };
  "office.block": {
    role: BlockedRole;
    subject: string;
    since: number;
    until?: number;
    state?: StateDriverState;
    audit: string;
  };
  "office.unblock": {
    role: BlockedRole;
    subject: string;
    audit: string;
  };
  "office.session_end": {
    role: Role;
    subject: string;
    revoked: boolean;
    audit: string;
  };
  "office.audit": {
    entries: ({
      id: string;
      time: number;
      operator: string;
      command: "office.remove" | "office.put" | "office.offer" | "office.reassign" | "office.cancel" | "office.end" | "office.block" | "office.unblock" | "office.session_end" | "ride.request" | "ride.cancel" | "ride.search" | "seat.book" | "seat.request" | "seat.cancel" | "stop.request" | "stop.cancel" | "reservation.make" | "reservation.cancel" | "tour.end" | "broadcast" | "sos.acknowledge" | "sos.close" | "report.close" | "drivers.set" | "drivers.remove" | "vehicles.set" | "vehicles.remove" | "reliability.reset";
      /** On whom or what: `driver:<id>`, `passenger:<id>`, `ride:<id>`, `booking:<id>`, `request:<id>`, `reservation:<id>`, `tour:<id>`, `vehicle:<id>`; of a notice `zone:<id>`, or to whom. */
      target: string;
      reason?: string;
      before: AuditFacts;
      after: AuditFacts;
    })[];
    /** The `from` of the next page; absent when there is none. */
    next?: string;
  };
  "records.list": {
    records: PastRecord[];
    /** The `from` of the next page; absent when there is none. */
    next?: string;
  };
  "sos": {
    sos: string;
    state: "open" | "acknowledged";
    /** Its sender has said that there is no danger. */
    cancelled: boolean;
    /** Connections of operators that read `office` now. */
    watching: number;
  };
  "sos.cancel": {
    sos: string;
    state: "open" | "acknowledged";
    /** Its sender has said that there is no danger. */
    cancelled: boolean;
    /** Connections of operators that read `office` now. */
    watching: number;
  };
  "sos.list": {
    alarms: Alarm[];
    /** There are more than are listed. */
    more: boolean;
  };
  "sos.acknowledge": {
    sos: string;
    state: "acknowledged";
    audit: string;
  };
  "sos.close": {
    sos: string;
    state: "closed";
    audit: string;
  };
  "report.send": {
    report: string;
  };
  "report.list": {
    reports: Report[];
    next?: string;
  };
  "report.close": {
    report: string;
    state: "closed";
    audit: string;
  };
  "drivers.set": {
    driver: string;
    /** False: the record was the same already, and nothing was written. */
    changed: boolean;
    audit?: string;
  };
  "drivers.get": DriverRecord;
  "drivers.list": {
    drivers: DriverRecord[];
    next?: string;
  };
  "drivers.remove": {
    driver: string;
    audit: string;
  };
  "vehicles.set": {
    vehicle: string;
    code: string;
    /** False: the record was the same already, and nothing was written. */
    changed: boolean;
    audit?: string;
  };
  "vehicles.get": VehicleRecord;
  "vehicles.list": {
    vehicles: VehicleRecord[];
    next?: string;
  };
  "vehicles.remove": {
    vehicle: string;
    audit: string;
  };
  "fare.estimate": {
    /** Null where the city has set none. */
    fare: TripFare | null;
    distance_m: number;
    duration_s: number;
    is_estimate: true;
  };
  "payment.report": {
    trip: string;
    receipt: string;
    payment: Payment;
  };
  "receipt.get": Trip;
  "trip.rate": {
    trip: string;
    stars: number;
    route_stars?: number;
  };
  "ratings.get": {
    role: Side;
    subject: string;
    count: number;
    /** Null for none; to who was rated by tenths. `count` and `mean` are told to who was rated five ratings at once, when each is a day old. */
    mean: number | null;
  };
  "trips.list": {
    trips: Trip[];
    next?: string;
  };
}

/** `data` of what comes on one's own channel, by its type. */
export interface OwnMessages {
  "queue.joined": {
    zone: string;
    rank: number;
    size: number;
    reason: "available" | "ended" | "moved" | "recovered" | "restored" | "gave_back" | "operator";
  };
  "queue.left": {
    zone: string;
    reason: "unavailable" | "moved" | "outside_zones" | "connection_lost" | "stale" | "undelivered" | "operator";
    text?: string;
  };
  "offer.made": {
    silent?: Silent;
    ride: string;
    zone: string;
    passengers: number;
    needs?: Capabilities;
    expires_in_ms: number;
    expires_at: number;
  };
  "offer.withdrawn": {
    ride: string;
    reason: "expired" | "undelivered" | "cancelled";
  };
  "ride.assigned": {
    ride: string;
    pickup: Point;
    passengers: number;
    needs?: Capabilities;
    contact?: Contact;
    payment?: PaymentMethod;
    destination?: Point;
  };
  "ride.pickup_moved": {
    ride: string;
    position?: Point;
  };
  "ride.confirm_aboard": {
    ride: string;
  };
  "ride.cancelled": {
    ride: string;
    by: "passenger" | "driver" | "operator";
    reason: string;
    state?: "unavailable";
    text?: string;
  } | {
    ride: string;
    by: "passenger" | "driver" | "operator";
    reason: "passenger" | "noshow" | "operator";
    text?: string;
  };
  "tour.ended": {
    tour: string;
    /** Lost: nothing was heard of it for long. */
    reason: "driver" | "operator" | "lost";
  };
  "seat.requested": {
    silent?: Silent;
    booking: string;
    passengers: number;
    length_m: number;
    distance_m?: number;
    detour_m?: number;
    fare?: Fare;
    payment?: PaymentMethod;
    expires_in_ms: number;
    expires_at: number;
  };
  "seat.withdrawn": {
    booking: string;
    reason: "no_answer" | "undelivered" | "cancelled" | "full" | "offline";
  };
  "seat.assigned": {
    booking: string;
    pickup: Point;
    contact?: Contact;
    destination: Point;
    passengers: number;
    payment?: PaymentMethod;
  };
  "seat.waiting": {
    booking: string;
    passengers: number;
    distance_m: number;
  };
  "seat.pickup_moved": {
    booking: string;
    position?: Point;
  };
  "seat.confirm_aboard": {
    booking: string;
  };
  "seat.aboard": {
    booking: string;
    passengers: number;
  };
  "seat.ended": {
    booking: string;
    fare?: Fare;
    receipt?: string;
    payment?: Payment;
    /** Absent: the driver has ended it. */
    reason?: "operator";
    text?: string;
  } | {
    booking: string;
    fare?: Fare;
    receipt?: string;
    payment?: Payment;
    /** Absent: the driver has ended it. */
    reason?: "operator";
  };
  "seat.cancelled": {
    booking: string;
    by: "passenger" | "driver" | "operator";
    reason: "passenger" | "driver" | "driver_lost" | "operator";
    text?: string;
  };
  "seats.changed": {
    taken: number;
    seats: number;
    capacity: number;
    delta: number;
    reason: string;
    booking?: string;
  };
  "stop.requested": {
    silent?: Silent;
    tour: string;
    request: string;
    state: "requested";
    quiet: boolean;
    answer_by: number;
    places?: StopPlaces;
  };
  "stop.unanswered": {
    tour: string;
    request: string;
    answer_by: number;
    places?: StopPlaces;
  };
  "stop.withdrawn": {
    tour: string;
    request: string;
    reason: "cancelled" | "unanswered" | "passed" | "no_driver" | "not_served" | "line_changed" | "line_removed" | "taken_over";
    places?: StopPlaces;
  };
  "stop.list": {
    tour: string;
    request: string;
    state: "accepted" | "declined" | "completed" | "no_show";
    reason: "accepted" | "declined" | "completed" | "no_show" | "taken_over";
    places?: StopPlaces;
  };
  "notify.changed": Wishes;
  "notice": {
    silent?: Silent;
    notice: string;
    text: string;
    zone?: string;
  };
  "advice.wait": {
    zone: string;
    expected: number;
    later: number;
    waiting: number;
    distance_m: number;
    wait_s: number;
    from: string;
    here_s: number;
  };
  "reliability.warned": ReliabilityNews;
  "reliability.paused": ReliabilityNews;
  "payment.changed": {
    trip: string;
    receipt: string;
    payment: Payment;
  };
  "sos.acknowledged": {
    sos: string;
  };
  "sos.closed": {
    sos: string;
  };
  "ride.searching": {
    ride: string;
    zone: string;
    round: number;
    reason: "requested" | "next_round" | "waiting" | "driver_cancelled" | "driver_lost" | "operator";
    until?: number;
  };
  "ride.accepted": {
    silent?: Silent;
    ride: string;
    taxi: string;
    /** Null when no fix of the taxi is known yet. */
    position: Fix | null;
    /** Null when it cannot be estimated. */
    eta_s: number | null;
    card?: Card;
    pickup?: Point;
    destination?: Point;
    passengers?: number;
    requested_at?: number;
  };
  "ride.failed": {
    silent?: Silent;
    ride: string;
    code: "no_driver" | "timeout" | "zone_empty" | "seats_full";
    detail: string;
  };
  "ride.near": {
    ride: string;
    taxi: string;
    distance_m: number;
    confidence: Confidence;
  };
  "ride.arrived": {
    silent?: Silent;
    ride: string;
    taxi: string;
    distance_m: number;
    confidence: Confidence;
  };
  "ride.aboard": {
    ride: string;
    passengers: number;
  };
  "ride.ended": {
    ride: string;
    /** Absent: the driver has ended it. */
    reason?: "driver_lost" | "operator";
    receipt?: string;
    fare?: Fare;
    payment?: Payment;
  };
  "ride.driver_lost": {
    silent?: Silent;
    ride: string;
    taxi: string;
    since: number;
    until: number;
  };
  "ride.driver_back": {
    silent?: Silent;
    ride: string;
    taxi: string;
  };
  "seat.pending": {
    booking: string;
    vehicle: string;
    passengers: number;
    fare?: Fare;
  };
  "seat.confirmed": {
    silent?: Silent;
    booking: string;
    vehicle: string;
    passengers: number;
    position: Fix | null;
    eta_s: number | null;
    fare?: Fare;
    card?: Card;
  };
  "seat.declined": {
    silent?: Silent;
    booking: string;
    vehicle: string;
    reason: "declined" | "no_answer" | "full" | "offline";
  };
  "seat.searching": {
    booking: string;
    passengers: number;
    reason: "requested" | "declined" | "no_answer" | "undelivered" | "full" | "offline";
    until: number;
    fare?: Fare;
  };
  "seat.failed": {
    booking: string;
    silent?: Silent;
    reason: "no_driver" | "timeout";
    detail: string;
  };
  "seat.near": {
    booking: string;
    vehicle: string;
    distance_m: number;
    confidence: Confidence;
  };
  "seat.arrived": {
    silent?: Silent;
    booking: string;
    vehicle: string;
    distance_m: number;
    confidence: Confidence;
  };
  "seat.driver_lost": {
    silent?: Silent;
    booking: string;
    vehicle: string;
    since: number;
    until: number;
  };
  "seat.driver_back": {
    silent?: Silent;
    booking: string;
    vehicle: string;
  };
  "route.changed": {
    booking: string;
    vehicle: string;
    route: RouteOrNone;
    way?: Way;
  };
  "reservation.made": Reservation;
  "reservation.reminder": {
    reservation: string;
    at: number;
    local: string;
    silent?: Silent;
    /** Until the meeting time, rounded up. */
    minutes: number;
    state: "open" | "searching" | "assigned";
  };
  "reservation.searching": {
    reservation: string;
    at: number;
    local: string;
    ride: string;
    /** `no_driver_yet` comes 8 and 5 minutes before; the others when a driver is looked for again, first in line. */
    reason: "begun" | "no_driver_yet" | "driver_cancelled" | "driver_lost" | "operator";
    /** Until the meeting time, rounded up. */
    minutes: number;
    until: number;
  };
  "reservation.waiting": {
    reservation: string;
    at: number;
    local: string;
    ride?: string;
    booking?: string;
    reason: "already_requested" | "rate_limited";
    until: number;
  };
  "reservation.assigned": {
    reservation: string;
    at: number;
    local: string;
    silent?: Silent;
    ride: string;
    taxi: string;
    /** Null when no fix of the taxi is known yet. */
    position: Fix | null;
    /** Null when it cannot be estimated. */
    eta_s: number | null;
    card?: Card;
  };
  "reservation.failed": {
    reservation: string;
    at: number;
    local: string;
    silent?: Silent;
    ride?: string;
    code: "no_driver" | "timeout" | "zone_empty" | "seats_full" | "already_requested" | "rate_limited" | "forbidden";
    detail: string;
  };
  "reservation.cancelled": {
    reservation: string;
    at: number;
    local: string;
    ride?: string;
    by: "passenger" | "driver" | "operator";
    /** `noshow`: nobody came to the pickup. */
    reason?: "noshow";
    text?: string;
  };
  "stop.pending": {
    eta?: PlaceEta;
    request: string;
    line: string;
    state: "requested";
    at: number;
    lat: number;
    lon: number;
    stop?: string;
    passengers: number;
    back?: string;
    bus?: string;
    answer_by: number;
    reason?: "tour_ended";
  };
  "stop.accepted": {
    eta?: PlaceEta;
    silent?: Silent;
    request: string;
    line: string;
    state: "accepted";
    at: number;
    lat: number;
    lon: number;
    stop?: string;
    passengers: number;
    back?: string;
    bus?: string;
  };
  "stop.declined": {
    silent?: Silent;
    request: string;
    line: string;
    state: "declined";
    at: number;
    lat: number;
    lon: number;
    stop?: string;
    passengers: number;
    back?: string;
    bus?: string;
  };
  "stop.expired": {
    silent?: Silent;
    request: string;
    line: string;
    state: "expired";
    at: number;
    lat: number;
    lon: number;
    stop?: string;
    passengers: number;
    back?: string;
    bus?: string;
    reason: "unanswered" | "passed" | "no_driver" | "not_served" | "line_changed" | "line_removed";
  };
  "stop.reminder": {
    eta?: PlaceEta;
    silent?: Silent;
    request: string;
    line: string;
    state: "accepted";
    at: number;
    lat: number;
    lon: number;
    stop?: string;
    passengers: number;
    back?: string;
    bus?: string;
  };
  "stop.near": {
    eta?: PlaceEta;
    request: string;
    line: string;
    state: "accepted";
    at: number;
    lat: number;
    lon: number;
    stop?: string;
    passengers: number;
    back?: string;
    bus?: string;
    distance_m: number;
  };
  "stop.arrived": {
    silent?: Silent;
    eta?: PlaceEta;
    request: string;
    line: string;
    state: "accepted";
    at: number;
    lat: number;
    lon: number;
    stop?: string;
    passengers: number;
    back?: string;
    bus?: string;
    distance_m: number;
  };
  "stop.completed": {
    request: string;
    line: string;
    state: "completed";
    at: number;
    lat: number;
    lon: number;
    stop?: string;
    passengers: number;
    back?: string;
    bus?: string;
  };
  "stop.noshow": {
    request: string;
    line: string;
    state: "no_show";
    at: number;
    lat: number;
    lon: number;
    stop?: string;
    passengers: number;
    back?: string;
    bus?: string;
  };
  "stop.cancelled": {
    request: string;
    line: string;
    state: "cancelled";
    at: number;
    lat: number;
    lon: number;
    stop?: string;
    passengers: number;
    back?: string;
    bus?: string;
  };
  "queue.rank": {
    zone: string;
    rank: number;
    size: number;
    /** What moved the rank. */
    reason: string;
  };
  "ride.eta": {
    ride: string;
    taxi: string;
    eta_s: number;
    early_s: number;
    late_s: number;
    distance_m: number;
    at: number;
  };
  /** To the bus's own driver: a stop was reached, or something was changed by another device. */
  "tour": Tour;
  "seat.eta": {
    booking: string;
    vehicle: string;
    eta_s: number;
    early_s: number;
    late_s: number;
    distance_m: number;
    at: number;
  };
  /** The bus that comes for a request is expected at another time than was told last. */
  "stop.eta": {
    request: string;
    line: string;
    bus: string;
    eta: PlaceEta;
  };
  "seat.stops": {
    stops: ({
      booking: string;
      what: "pickup" | "drop_off";
      lat: number;
      lon: number;
    })[];
  };
  /** All that is true of the channel now. */
  "snapshot": {
    state: StateDriverState;
    zone?: string;
    rank?: number;
    size?: number;
    notify?: Wishes;
    /** Only of a minibus, as all that follows up to `bookings`. */
    kind?: "minibus";
    capacity?: number;
    taken?: number;
    seats?: number;
    route?: string;
    way?: Way;
    request?: {
      booking: string;
      passengers: number;
      length_m: number;
      distance_m?: number;
      detour_m?: number;
      fare?: Fare;
      payment?: PaymentMethod;
      expires_in_ms: number;
      expires_at: number;
    };
    bookings?: ({
      booking: string;
      state: "confirmed" | "aboard";
      pickup: Point;
      contact?: Contact;
      destination: Point;
      passengers: number;
      payment?: PaymentMethod;
      notified: Notified;
    })[];
    offer?: {
      ride: string;
      zone: string;
      passengers: number;
      needs?: Capabilities;
      expires_in_ms: number;
      expires_at: number;
    };
    ride?: {
      ride: string;
      state: "accepted" | "aboard";
      pickup: Point;
      passengers: number;
      notified: Notified;
      needs?: Capabilities;
      contact?: Contact;
      payment?: PaymentMethod;
      destination?: Point;
    };
  } | {
    notify?: Wishes;
    tour?: Tour;
    places?: StopPlaces;
  } | {
    notify?: Wishes;
    /** A seat in a minibus, while it is open. `searching`: of any one, with `until` and without `vehicle`. */
    booking?: {
      booking: string;
      vehicle?: string;
      state: "pending" | "searching" | "confirmed" | "aboard";
      until?: number;
      passengers: number;
      fare?: Fare;
      notified: Notified;
      position?: Fix;
      driver_lost?: DriverLost;
      card?: Card;
    };
    ride: {
      ride: string;
      state: "searching" | "offered" | "accepted" | "aboard";
      zone: string;
      passengers: number;
      needs?: Capabilities;
      until?: number;
      taxi?: string;
      /** Null when no fix of the taxi is known yet. */
      position?: Fix | null;
      /** Null when it cannot be estimated. */
      eta_s?: number | null;
      notified?: Notified;
      driver_lost?: DriverLost;
      card?: Card;
    } | null;
    /** Open requests for stops, by pickup time; absent when there is none. */
    requests?: StopRequest[];
    /** Open reservations, by time; absent when there is none. */
    reservations?: Reservation[];
  };
}

/** `data` of what comes on `office`. */
export interface OfficeEvents {
  "sos.raised": Alarm;
  "sos.updated": Alarm;
  "sos.acknowledged": {
    sos: string;
    by: string;
    at: number;
    note?: string;
  };
  "sos.closed": {
    sos: string;
    by: string;
    at: number;
    note: string;
  };
  "caller.told": {
    passenger: string;
    name?: string;
    number?: string;
    event: string;
    ride?: string;
    booking?: string;
    request?: string;
    taxi?: string;
    vehicle?: string;
    bus?: string;
    line?: string;
    zone?: string;
    at?: number;
    answer_by?: number;
    eta_s?: number;
    distance_m?: number;
    by?: string;
    reason?: string;
    code?: string;
    detail?: string;
    text?: string;
    card?: Card;
    reservation?: string;
    local?: string;
    minutes?: number;
  };
  "report.sent": {
    report: string;
    category: ReportCategory;
  };
  "papers.ending": {
    driver: string;
    paper: Paper;
    until: string;
    days: number;
  };
}

/** `data` of what comes on `line:…`. */
export interface LineMessages {
  "schedule.changed": {
    tour: string;
    bus: string;
    reason: "late" | "early" | "skipped" | "restored" | "ended";
    /** With `late` and `early`: by so many, when that has changed; `late` by 0: on time again. */
    minutes?: number;
    delay_s?: number;
    /** Of the stop that is skipped, or served after all (restored). */
    index?: number;
    stop?: string;
  };
  /** A bus of the line, whenever anything of it has changed. Ended: it is to be forgotten. */
  "bus": Tour;
  "snapshot": {
    line: string;
    buses: Tour[];
  };
}

/** `data` of what comes on `events:…`. */
export interface CityEvents {
  /** An operator has done something by hand; the entry of the audit. */
  "audit": {
    /** Of the entry in the audit. */
    id: string;
    /** Who did it. */
    operator: string;
    /** What the operator did, by its name in the commands. */
    command: string;
    /** On whom or what, as `driver:<id>`. */
    target?: string;
    /** The reason that an operator gave. */
    reason?: string;
    /** How things stood before the act, as far as it concerns them. */
    before?: AuditFacts;
    /** How things stood after the act, as far as it concerns them. */
    after?: AuditFacts;
  };
  /** Lines, buses, stops or routes have changed. */
  "catalog.changed": {
    /** Of the catalog. */
    version: string;
    /** The lists that have changed, and when. */
    changed: Record<string, number>;
  };
  /** A driver can't be reached. */
  "driver.away": {
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Why. One of few, which may become more. */
    reason?: string;
  };
  /** A driver can be reached again. */
  "driver.back": {
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
  };
  /** A minibus takes no more bookings. */
  "driver.offline": {
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Why. One of few, which may become more. */
    reason?: string;
  };
  /** A minibus takes bookings. */
  "driver.online": {
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Why. One of few, which may become more. */
    reason?: string;
  };
  /** An operator has written down who a driver is, anew or for the first time. */
  "driver.registered": {
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Of the driver. */
    name?: string;
    /** Of the driver. */
    phone?: string;
    /** Whose car it is, or whom the driver works for. */
    company?: string;
    /** Where the picture of the driver is. */
    photo?: string;
    /** Its number. */
    licence?: string;
    /** Its last day. */
    licence_until?: string;
    /** The last day of the medical certificate. */
    medical_until?: string;
    /** A taxi, a minibus or a bus. */
    vehicle?: string;
    capabilities?: Capabilities;
    /** Who did it. */
    by: string;
    /** When it was written down, Unix ms. */
    at: number;
  };
  /** An operator has taken out the record of a driver. */
  "driver.removed": {
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
  };
  /** A notice was sent to many. */
  "notify.sent": {
    /** The notice. */
    notice: string;
    /** Who did it. */
    operator: string;
    /** To whom a notice goes. */
    to: string;
    /** By its id. */
    zone?: string;
    /** What an operator or a passenger wrote. */
    text?: string;
    /** How many the notice was for. */
    people: number;
  };
  /** The driver has declined. */
  "offer.declined": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
  };
  /** The driver saw the offer and did not answer in time. */
  "offer.expired": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
  };
  /** A driver is asked for a ride. */
  "offer.made": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Which search for a driver it is, from 1. */
    round: number;
    /** How many drivers this search has asked, this one included. */
    attempt: number;
    /** Why. One of few, which may become more. */
    reason?: string;
  };
  /** The offer is on the driver's screen. */
  "offer.seen": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
  };
  /** The offer did not come to the driver's screen in time. */
  "offer.undelivered": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
  };
  /** The driver is asked no more. */
  "offer.withdrawn": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Why. One of few, which may become more. */
    reason?: string;
  };
  /** A paper of a driver ends in three months, in 30 days, in 7 or today, or is entered with less left. */
  "papers.ending": {
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Which one. */
    paper?: Paper;
    /** The last day of a paper. */
    until?: string;
    /** Until the last one of a paper, today 0; negative: it is over. */
    days?: number;
  };
  /** A service has said what became of the payment of a trip. */
  "payment.changed": {
    /** In a taxi. */
    ride?: string;
    /** Seats in a minibus. */
    booking?: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** Of a trip. */
    receipt: string;
    /** `pending`, `paid`, `failed` or `refunded`. */
    payment_state: string;
  };
  /** A driver went to the bottom of the queue. */
  "queue.bottom": {
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** By its id. */
    zone: string;
    /** The arrival number in the queue: the lowest is first. */
    score: number;
    /** Why. One of few, which may become more. */
    reason?: string;
  };
  /** A driver waits in the queue of a zone. */
  "queue.joined": {
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** By its id. */
    zone: string;
    /** The arrival number in the queue: the lowest is first. */
    score: number;
    /** Why. One of few, which may become more. */
    reason?: string;
  };
  /** A driver has left the queue. */
  "queue.left": {
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** By its id. */
    zone: string;
    /** Why. One of few, which may become more. */
    reason?: string;
  };
  /** A driver who waits first was passed over five times, or ten, as its vehicle has too few seats or lacks what is needed. */
  "queue.passed_over": {
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** By its id. */
    zone: string;
    /** How often, since it came into this queue. */
    times: number;
  };
  /** A passenger who did not come too often, or a driver who gave back too often, is paused for a while. */
  "reliability.paused": {
    /** Whose ride or booking it is. */
    passenger?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver?: string;
    /** What it was: `no_shows`, `late_cancels` or `give_backs`. */
    kind?: string;
    /** How many of them count, this one included. */
    total?: number;
    /** When the pause ends, Unix ms. */
    paused_until?: number;
  };
  /** A passenger or a driver was told how often it was. */
  "reliability.warned": {
    /** Whose ride or booking it is. */
    passenger?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver?: string;
    /** What it was: `no_shows`, `late_cancels` or `give_backs`. */
    kind?: string;
    /** How many of them count, this one included. */
    total?: number;
  };
  /** An operator has closed a report. */
  "report.closed": {
    /** An incident report. */
    report: string;
    /** Who did it. */
    operator: string;
  };
  /** A report has come. */
  "report.sent": {
    /** An incident report. */
    report: string;
    /** What the report is about. */
    category: ReportCategory;
  };
  /** A driver has accepted the ride of a reservation. */
  "reservation.assigned": {
    /** A taxi for a time ahead. */
    reservation: string;
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
  };
  /** A reservation is off. */
  "reservation.cancelled": {
    /** A taxi for a time ahead. */
    reservation: string;
    /** In a taxi. */
    ride?: string;
    /** By its id. */
    zone: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw. */
    by: string;
    /** Why. One of few, which may become more. */
    reason?: string;
    /** What an operator or a passenger wrote. */
    text?: string;
  };
  /** No taxi was found for a reservation. */
  "reservation.failed": {
    /** A taxi for a time ahead. */
    reservation: string;
    /** In a taxi. */
    ride?: string;
    /** By its id. */
    zone: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** An error code of the contract. */
    code: string;
  };
  /** A taxi is reserved for a time ahead. */
  "reservation.made": {
    /** A taxi for a time ahead. */
    reservation: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** By its id. */
    zone: string;
    /** The pickup time that was asked for, Unix ms. */
    at: number;
    /** How many people. */
    passengers: number;
    /** Where a passenger wants to be picked up, degrees north, WGS 84. */
    lat?: number;
    /** Where a passenger wants to be picked up, degrees east, WGS 84. */
    lon?: number;
    /** Where a passenger wants to go, degrees north, WGS 84. */
    to_lat?: number;
    /** Where a passenger wants to go, degrees east, WGS 84. */
    to_lon?: number;
    /** `cash` or `digital`. */
    payment?: string;
  };
  /** A driver is searched for a reservation. */
  "reservation.searching": {
    /** A taxi for a time ahead. */
    reservation: string;
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** Whose ride or booking it is. */
    passenger?: string;
  };
  /** The passengers are in the car. */
  "ride.aboard": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** How many people. */
    passengers?: number;
  };
  /** A driver has accepted. */
  "ride.accepted": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
  };
  /** The taxi is at the pickup. */
  "ride.arrived": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** To the place of pickup, m. */
    distance_m: number;
  };
  /** The passenger or an operator has cancelled. */
  "ride.cancelled": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver?: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw. */
    by: string;
    /** What an operator or a passenger wrote. */
    text?: string;
    /** Since its driver said that the passenger is aboard, s. */
    aboard_s?: number;
    /** By the meter since then, m. */
    driven_m?: number;
  };
  /** The driver of a ride can be reached again. */
  "ride.driver_back": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
  };
  /** The driver of a ride can't be reached. */
  "ride.driver_lost": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
  };
  /** The ride is over. */
  "ride.ended": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** Why. One of few, which may become more. */
    reason?: string;
    /** What an operator or a passenger wrote. */
    text?: string;
    /** Of a trip. */
    receipt?: string;
    /** `cash` or `digital`. */
    payment?: string;
    /** `pending`, `paid`, `failed` or `refunded`. */
    payment_state?: string;
    /** In hundredths of the currency. */
    amount?: number;
    /** By its three letters. */
    currency?: string;
  };
  /** No taxi was found. */
  "ride.failed": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** An error code of the contract. */
    code: string;
  };
  /** The taxi is 500 m from the pickup. */
  "ride.near": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** To the place of pickup, m. */
    distance_m: number;
  };
  /** Nobody came to the pickup. */
  "ride.noshow": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
  };
  /** The passenger has walked while the taxi comes. */
  "ride.pickup_moved": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** From where the pickup was asked for, m. */
    moved_m: number;
  };
  /** A passenger asks for a taxi. */
  "ride.requested": {
    /** In a taxi. */
    ride: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** By its id. */
    zone: string;
    /** How many people. */
    passengers: number;
    /** Where a passenger wants to be picked up, degrees north, WGS 84. */
    lat?: number;
    /** Where a passenger wants to be picked up, degrees east, WGS 84. */
    lon?: number;
    /** Where a passenger wants to go, degrees north, WGS 84. */
    to_lat?: number;
    /** Where a passenger wants to go, degrees east, WGS 84. */
    to_lon?: number;
    /** What the vehicle must have. */
    needs?: Capabilities;
  };
  /** A taxi is searched anew. */
  "ride.searching": {
    /** In a taxi. */
    ride: string;
    /** By its id. */
    zone: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver?: string;
    /** Which search for a driver it is, from 1. */
    round: number;
    /** Why. One of few, which may become more. */
    reason: string;
  };
  /** A bus is late or early, leaves a stop out, or has ended its tour. */
  "schedule.changed": {
    /** Of a bus. */
    tour: string;
    /** By its id in the catalog. */
    bus: string;
    /** By its id in the catalog. */
    line: string;
    /** Why. One of few, which may become more. */
    reason: string;
    /** Of the stop in the pattern, from 0. */
    index?: number;
    /** By its id in the catalog. */
    stop?: string;
    /** By so many it is late or early. */
    minutes?: number;
    delay_s?: number;
  };
  /** The passengers have got on. */
  "seat.aboard": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** How many people. */
    passengers: number;
  };
  /** The minibus is at the pickup. */
  "seat.arrived": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** To the place of pickup, m. */
    distance_m: number;
  };
  /** The driver of a minibus is asked for seats. */
  "seat.asked": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
  };
  /** A booking was taken back. */
  "seat.cancelled": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw. */
    by: string;
    /** Why. One of few, which may become more. */
    reason: string;
    /** What an operator or a passenger wrote. */
    text?: string;
    /** Of a minibus, as its driver has announced it. */
    route?: string;
  };
  /** The driver has promised the seats. */
  "seat.confirmed": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** How many people. */
    passengers: number;
  };
  /** The booking has come to nothing. */
  "seat.declined": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** Why. One of few, which may become more. */
    reason: string;
    /** Of a minibus, as its driver has announced it. */
    route?: string;
    /** Where a passenger wanted to be picked up: the middle of a cell of some 500 m, `<lat>,<lon>`. */
    from_cell?: string;
    /** Where a passenger wanted to go: the middle of a cell of some 500 m, `<lat>,<lon>`. */
    to_cell?: string;
  };
  /** The driver of a booking can be reached again. */
  "seat.driver_back": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
  };
  /** The driver of a booking can't be reached. */
  "seat.driver_lost": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
  };
  /** The passengers have got off. */
  "seat.ended": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** Of a minibus, as its driver has announced it. */
    route?: string;
    /** Of a trip. */
    receipt?: string;
    /** `cash` or `digital`. */
    payment?: string;
    /** `pending`, `paid`, `failed` or `refunded`. */
    payment_state?: string;
    /** In hundredths of the currency. */
    amount?: number;
    /** By its three letters. */
    currency?: string;
    /** Why. One of few, which may become more. */
    reason?: string;
    /** What an operator or a passenger wrote. */
    text?: string;
  };
  /** The minibus is 500 m from the pickup. */
  "seat.near": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** To the place of pickup, m. */
    distance_m: number;
  };
  /** The passenger has walked while the minibus comes. */
  "seat.pickup_moved": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** From where the pickup was asked for, m. */
    moved_m: number;
  };
  /** A passenger asks for seats in a minibus. */
  "seat.requested": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** How many people. */
    passengers: number;
  };
  /** A request for any minibus goes on: this driver is asked next. */
  "seat.searching": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** Why. One of few, which may become more. */
    reason: string;
  };
  /** The request is on the driver's screen. */
  "seat.seen": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
  };
  /** The request did not come to the driver's screen in time. */
  "seat.undelivered": {
    /** Seats in a minibus. */
    booking: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
  };
  /** A request for seats was refused: none was free, or no minibus goes there. Once in ten minutes for each passenger. */
  "seat.unmet": {
    /** By its id. */
    zone?: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** How many people. */
    passengers: number;
    /** Why. One of few, which may become more. */
    reason: string;
    /** Of a minibus, as its driver has announced it. */
    route?: string;
    /** Where a passenger wanted to be picked up: the middle of a cell of some 500 m, `<lat>,<lon>`. */
    from_cell?: string;
    /** Where a passenger wanted to go: the middle of a cell of some 500 m, `<lat>,<lon>`. */
    to_cell?: string;
  };
  /** Seats of a minibus or a bus were taken or became free: of a bus with its tour, bus and line, of a minibus with its driver. */
  "seats.changed": {
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver?: string;
    /** How many seats are taken. */
    taken: number;
    /** How many are free; of a bus how many there are. */
    seats: number;
    /** By how many the taken seats have changed. */
    delta?: number;
    /** Why: `book` and its like, or what the driver gave as reason. */
    reason?: string;
    /** Seats in a minibus. */
    booking?: string;
    /** Of the seats of a minibus: the highest is the latest. */
    version?: number;
    /** Of a bus. */
    tour?: string;
    /** By its id in the catalog. */
    bus?: string;
    /** By its id in the catalog. */
    line?: string;
  };
  /** More seats would be taken than there are: the books are wrong. */
  "seats.clamped": {
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** How many seats are taken. */
    taken: number;
    /** Seats for passengers. */
    capacity: number;
    /** Why: `book` and its like, or what the driver gave as reason. */
    reason?: string;
    /** Seats in a minibus. */
    booking?: string;
  };
  /** An operator looks after an alarm. */
  "sos.acknowledged": {
    /** An alarm. */
    sos: string;
    /** Who did it. */
    operator: string;
  };
  /** Who raised an alarm has taken it back. */
  "sos.cancelled": {
    /** An alarm. */
    sos: string;
  };
  /** An operator has ended an alarm. */
  "sos.closed": {
    /** An alarm. */
    sos: string;
    /** Who did it. */
    operator: string;
  };
  /** Somebody is in danger; once more, when that was taken back, or was over. */
  "sos.raised": {
    /** An alarm. */
    sos: string;
    /** Of who raised the alarm. */
    role: Role;
    /** Who raised the alarm. */
    subject?: string;
    /** In a taxi. */
    ride?: string;
    /** Seats in a minibus. */
    booking?: string;
    /** Of a bus. */
    tour?: string;
    /** A taxi, a minibus or a bus. */
    vehicle?: string;
  };
  /** Who raised an alarm has pressed again. */
  "sos.updated": {
    /** An alarm. */
    sos: string;
  };
  /** The bus will stop. */
  "stop.accepted": {
    /** For a stop. */
    request: string;
    /** By its id in the catalog. */
    line: string;
    /** Of a bus. */
    tour?: string;
    /** By its id in the catalog. */
    bus?: string;
    /** Who asked for the stop. */
    citizen?: string;
  };
  /** The bus is at the place that was asked for. */
  "stop.arrived": {
    /** For a stop. */
    request: string;
    /** By its id in the catalog. */
    line: string;
    /** Of a bus. */
    tour: string;
    /** By its id in the catalog. */
    bus?: string;
    /** To the place of pickup, m. */
    distance_m: number;
  };
  /** A request for a stop was taken back. */
  "stop.cancelled": {
    /** For a stop. */
    request: string;
    /** By its id in the catalog. */
    line: string;
    /** Of a bus. */
    tour?: string;
    /** By its id in the catalog. */
    bus?: string;
    /** Who asked for the stop. */
    citizen?: string;
  };
  /** Who asked for the stop has got on. */
  "stop.completed": {
    /** For a stop. */
    request: string;
    /** By its id in the catalog. */
    line: string;
    /** Of a bus. */
    tour?: string;
    /** By its id in the catalog. */
    bus?: string;
    /** Who asked for the stop. */
    citizen?: string;
  };
  /** The driver will not stop. */
  "stop.declined": {
    /** For a stop. */
    request: string;
    /** By its id in the catalog. */
    line: string;
    /** Of a bus. */
    tour?: string;
    /** By its id in the catalog. */
    bus?: string;
    /** Who asked for the stop. */
    citizen?: string;
  };
  /** A request for a stop has come to nothing. */
  "stop.expired": {
    /** For a stop. */
    request: string;
    /** By its id in the catalog. */
    line: string;
    /** Of a bus. */
    tour?: string;
    /** By its id in the catalog. */
    bus?: string;
    /** Who asked for the stop. */
    citizen?: string;
    /** Why. One of few, which may become more. */
    reason: string;
  };
  /** The bus is 500 m from the place that was asked for. */
  "stop.near": {
    /** For a stop. */
    request: string;
    /** By its id in the catalog. */
    line: string;
    /** Of a bus. */
    tour: string;
    /** By its id in the catalog. */
    bus?: string;
    /** To the place of pickup, m. */
    distance_m: number;
  };
  /** Nobody came to the stop. */
  "stop.noshow": {
    /** For a stop. */
    request: string;
    /** By its id in the catalog. */
    line: string;
    /** Of a bus. */
    tour?: string;
    /** By its id in the catalog. */
    bus?: string;
    /** Who asked for the stop. */
    citizen?: string;
  };
  /** A bus has passed a stop of its line. */
  "stop.passed": {
    /** Of a bus. */
    tour: string;
    /** By its id in the catalog. */
    bus: string;
    /** By its id in the catalog. */
    line: string;
    /** Which sequence of stops of the line. */
    pattern?: string;
    /** Of the stop in the pattern, from 0. */
    index: number;
    /** By its id in the catalog. */
    stop: string;
    /** Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw. */
    by: string;
    delay_s?: number;
  };
  /** A citizen was reminded of the bus. */
  "stop.reminder": {
    /** For a stop. */
    request: string;
    /** By its id in the catalog. */
    line: string;
    /** Of a bus. */
    tour?: string;
    /** By its id in the catalog. */
    bus?: string;
  };
  /** The tour is over before the stop: another bus is asked. */
  "stop.reopened": {
    /** For a stop. */
    request: string;
    /** By its id in the catalog. */
    line: string;
    /** Of a bus. */
    tour?: string;
    /** By its id in the catalog. */
    bus?: string;
    /** Who asked for the stop. */
    citizen?: string;
    /** Why. One of few, which may become more. */
    reason: string;
  };
  /** A citizen asks a bus to stop. */
  "stop.requested": {
    /** For a stop. */
    request: string;
    /** By its id in the catalog. */
    line: string;
    /** Of a bus. */
    tour?: string;
    /** By its id in the catalog. */
    bus?: string;
    /** Who asked for the stop. */
    citizen?: string;
    /** The pickup time that was asked for, Unix ms. */
    at: number;
    /** How many people. */
    passengers: number;
    /** Where a passenger wants to be picked up, degrees north, WGS 84. */
    lat?: number;
    /** Where a passenger wants to be picked up, degrees east, WGS 84. */
    lon?: number;
    /** By its id in the catalog. */
    stop?: string;
    /** The request of the way back. */
    back?: string;
  };
  /** Another tour will serve the stop. */
  "stop.taken_over": {
    /** For a stop. */
    request: string;
    /** By its id in the catalog. */
    line: string;
    /** Of a bus. */
    tour: string;
    /** By its id in the catalog. */
    bus?: string;
    /** Who asked for the stop. */
    citizen?: string;
    /** The tour that it was to be served by. */
    from?: string;
  };
  /** The driver has not answered yet. */
  "stop.unanswered": {
    /** For a stop. */
    request: string;
    /** By its id in the catalog. */
    line: string;
    /** Of a bus. */
    tour?: string;
    /** By its id in the catalog. */
    bus?: string;
  };
  /** A tour is over. */
  "tour.ended": {
    /** Of a bus. */
    tour: string;
    /** By its id in the catalog. */
    bus: string;
    /** By its id in the catalog. */
    line: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Why. One of few, which may become more. */
    reason: string;
  };
  /** A tour has begun. */
  "tour.started": {
    /** Of a bus. */
    tour: string;
    /** By its id in the catalog. */
    bus: string;
    /** By its id in the catalog. */
    line: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Which sequence of stops of the line. */
    pattern?: string;
    /** Of the timetable. */
    trip?: string;
  };
  /** Who rode has rated who drove, or the other way round. */
  "trip.rated": {
    /** In a taxi. */
    ride?: string;
    /** Seats in a minibus. */
    booking?: string;
    /** By its id. */
    zone?: string;
    /** A taxi or a minibus, which is named like its driver; of a bus its driver. */
    driver: string;
    /** Whose ride or booking it is. */
    passenger?: string;
    /** Who did it: `passenger`, `driver`, `operator`, or `position` for what the hub saw. */
    by: string;
    /** 1 to 5. */
    stars?: number;
    /** Of a minibus, as its driver has announced it. */
    route?: string;
    /** 1 to 5: what a passenger thinks of the route. */
    route_stars?: number;
    /** What an operator or a passenger wrote. */
    text?: string;
  };
  /** An operator has written down what a vehicle is, anew or for the first time. */
  "vehicle.registered": {
    /** A taxi, a minibus or a bus. */
    vehicle: string;
    /** Of the car. */
    plate: string;
    /** Under which number it is registered. */
    registration?: string;
    /** Whose car it is, or whom the driver works for. */
    company?: string;
    /** Of the car. */
    model?: string;
    /** Of the car. */
    colour?: string;
    capabilities?: Capabilities;
    /** Of the vehicle. Who knows it could print the sign. */
    code?: string;
    /** Who did it. */
    by: string;
    /** When it was written down, Unix ms. */
    at: number;
  };
  /** An operator has taken out the record of a vehicle. */
  "vehicle.removed": {
    /** A taxi, a minibus or a bus. */
    vehicle: string;
  };
}

/** `data` of what comes on `catalog`. */
export interface CatalogEvents {
  "catalog.changed": {
    version: string;
    /** The lists that are not as they were, and since when; `Last-Modified` of the list is no earlier. */
    changed: Record<string, number>;
  };
}

export type HubError = {
  code: ErrorCode;
  /** The same for every error of this code. */
  title: string;
  /** What happened this time, and what to do. */
  detail: string;
  /** Whether the same command may succeed when sent again later. */
  retry: boolean;
  /** The field that was wrong. */
  field?: string;
  /** Where it is known, as with `rate_limited`: from when on the same command is taken, ms from now. `retry` is true then. */
  retry_after_ms?: number;
};

export type PaymentMethod = "cash" | "digital";

/** Of operators only: somebody who telephones, for whom it is asked. Each number is a passenger of its own, `tel:` and its digits, with 00 for +; write it always with or always without the country. */
export type Caller = {
  name: string;
  /** 3 to 20 digits. */
  number: string;
};

/** What a driver or a vehicle is good for. */
export type Capabilities = string[];

export type Point = {
  lat: number;
  lon: number;
};

/** Which vehicles are wanted; all that is asked for must hold. */
export type Filter = {
  kind?: StateKind[];
  state?: StateDriverState[];
  /** At least so many free; a vehicle that does not tell its seats does not match. */
  seats?: number;
  route?: string;
};

export type StateKind = "taxi" | "minibus" | "bus";

export type StateDriverState = "available" | "busy" | "unavailable";

export type WayPoints = Point[];

export type ReliablePerson = "driver" | "passenger";

/** What help is needed: wheelchair, baggage, shopping, … */
export type Help = string[];

export type NotificationKinds = ("proximity" | "eta" | "route" | "answers" | "requests" | "reminders" | "advice")[];

/** Every day from one minute to another, over midnight if `to` is the earlier, by the clock of a time zone, when that is put forward or back too: that of its name in the IANA's database, or else that of the catalog (`agency_timezone` of a GTFS feed), or else UTC. */
export type Quiet = {
  from: number;
  to: number;
  time_zone?: string;
};

/** By which only the browser reads what is sent (RFC 8291), in Base64 for URLs. */
export type PushKeys = {
  /** A point of the curve P-256, not compressed: 65 bytes. */
  p256dh: string;
  /** 16 bytes. */
  auth: string;
};

/** Drivers are those of taxis and minibuses. */
export type Audience = "drivers" | "bus_drivers" | "passengers";

/** Drivers are those of taxis and minibuses. */
export type BlockedRole = "driver" | "passenger" | "bus_driver";

export type Role = "driver" | "passenger" | "bus_driver" | "operator" | "service";

export type ReportCategory = "driving" | "behaviour" | "vehicle" | "accessibility" | "lost_property" | "other";

export type PaymentState = "pending" | "paid" | "failed" | "refunded";

/** Whom to fetch, and where to call: of who has asked by telephone. */
export type Contact = {
  name: string;
  number: string;
};

/** What all passengers pay together; `amount` in hundredths of the currency. */
export type Fare = {
  amount: number;
  currency: string;
};

export type Payment = {
  method: PaymentMethod;
  state: PaymentState;
  reference?: string;
};

export type RouteOrNone = string | null;

/** The way that a driver has announced. */
export type Way = {
  start: Point;
  via?: WayPoints;
  end: Point;
};

/** A bus on its tour; `pattern` is absent on a line that is driven on request only. */
export type Tour = {
  tour: string;
  bus: string;
  line: string;
  pattern?: string;
  trip?: string;
  state: "running" | "ended";
  position?: Fix;
  /** It is driving elsewhere: the position is true, the rest may not be. */
  off_route: boolean;
  seats: {
    total: number;
    taken: number;
    free: number;
    /** How many per cent are free. */
    band: "100-50" | "49-25" | "24-0";
  };
  /** Where the bus is, or comes to next; absent behind the last. */
  next_stop?: {
    /** In the pattern, from 0. */
    index: number;
    stop: string;
  };
  delay_s?: number;
  /** When it will be at the stops to come, as far as that is known. */
  etas: ({
    index: number;
    stop: string;
    at: number;
    /** 1 of 10 buses is earlier. */
    early?: number;
    /** 1 of 10 buses is later. */
    late?: number;
    clock?: string;
  })[];
};

/** A position and when it was measured. */
export type Fix = {
  lat: number;
  lon: number;
  at: number;
};

/** What a minibus does. */
export type StateStatus = "en_route" | "picking_up" | "full";

/** A zone to wait in. `expected`: requests in the next 60 minutes; `later`: in the 60 after them; `distance_m`: to its middle, by the straight line. */
export type ZoneAdvice = {
  zone: string;
  expected: number;
  later: number;
  waiting: number;
  distance_m: number;
  wait_s: number;
};

/** What counts of somebody. Of passengers: `no_shows`, `late_cancels`, `points`, `deposit`; of drivers: `give_backs`. `warn_at` and `pause_at`: with how many a warning or a pause follows; absent: never. */
export type Reliability = {
  window_days: number;
  total: number;
  no_shows?: number;
  late_cancels?: number;
  give_backs?: number;
  /** For the kilometres of rides. */
  points?: number;
  /** Services may want one. */
  deposit?: boolean;
  warn_at?: number;
  pause_at?: number;
  paused_until?: number;
  role?: ReliablePerson;
  subject?: string;
};

/** As `reliability`, and whose. A service whose token lacks the scope `events:personal` gets only whether a passenger's `deposit` is wanted. */
export type ReliabilityOf = {
  window_days: number;
  total?: number;
  no_shows?: number;
  late_cancels?: number;
  give_backs?: number;
  points?: number;
  deposit?: boolean;
  warn_at?: number;
  pause_at?: number;
  paused_until?: number;
  role: ReliablePerson;
  subject: string;
};

/** A taxi for a time ahead. `local` is `at` by the clock of `time_zone`; `search_at`, when a driver is looked for at the latest; `ride` is there from then on; `payment`, if it is not in cash; `fare`, an estimate, where a tariff is set. */
export type Reservation = {
  reservation: string;
  state: "open" | "searching" | "assigned";
  zone: string;
  pickup: Point;
  destination: Point;
  at: number;
  local: string;
  time_zone: string;
  passengers: number;
  needs?: Capabilities;
  payment?: PaymentMethod;
  search_at: number;
  ride?: string;
  fare?: Fare;
};

/** When the bus will be there. Absent where it can't be said yet: without a position of the last minutes, off the route, or on a round before the one that is meant. */
export type PlaceEta = {
  at: number;
  /** 1 of 10 buses is earlier. */
  early: number;
  /** 1 of 10 buses is later. */
  late: number;
  clock?: string;
};

/** What a person does not want to be told. */
export type Wishes = {
  mute?: NotificationKinds;
  quiet?: Quiet;
};

/** Why, by which operator, since when; `until` where it ends by itself. */
export type Block = {
  reason: string;
  by: string;
  since: number;
  until?: number;
};

/** How things stood, as far as the act concerns them; `why` and `until` are of a block. */
export type AuditFacts = {
  state?: string;
  zone?: string;
  rank?: number;
  ride?: string;
  passenger?: string;
  driver?: string;
  blocked?: boolean;
  until?: number;
  why?: string;
  bus?: string;
  line?: string;
  notice?: string;
  people?: number;
  text?: string;
  /** Whether there is a record. */
  registered?: boolean;
  vehicle?: string;
  company?: string;
  licence_until?: string;
  medical_until?: string;
  plate?: string;
  registration?: string;
  /** The vehicle's sign has a new code. */
  new_code?: true;
  /** What of the record has changed, by the names of its fields. */
  changed?: string[];
  total?: number;
};

/** What is recorded of something that has been; without what is not known, or what its kind has not. `outcome`: how it ended; absent while it goes on, of tours, and of a reservation that became a ride, whose row tells it. */
export type PastRecord = {
  /** Of the ride, booking, request, reservation, tour, alarm or report. */
  id: string;
  passenger?: string;
  driver?: string;
  zone?: string;
  line?: string;
  route?: string;
  tour?: string;
  stop?: string;
  ride?: string;
  bus?: string;
  pattern?: string;
  trip?: string;
  passengers?: number;
  aboard?: number;
  from_lat?: number;
  from_lon?: number;
  to_lat?: number;
  to_lon?: number;
  lat?: number;
  lon?: number;
  requested_at?: number;
  offered_at?: number;
  accepted_at?: number;
  asked_at?: number;
  confirmed_at?: number;
  wanted_at?: number;
  near_at?: number;
  arrived_at?: number;
  aboard_at?: number;
  at?: number;
  made_at?: number;
  searching_at?: number;
  assigned_at?: number;
  started_at?: number;
  ended_at?: number;
  outcome?: string;
  ended_by?: string;
  reason?: string;
  offers?: number;
  rounds?: number;
  given_back?: number;
  reopened?: number;
  receipt?: string;
  /** In hundredths of the currency. */
  fare?: number;
  currency?: string;
  payment?: string;
  payment_state?: string;
  stars_of_driver?: number;
  stars_of_passenger?: number;
  route_stars?: number;
  payment_reference?: string;
  /** What the trip was thought to cost when it was asked for, in hundredths. */
  estimate?: number;
  fare_parts?: FareParts;
  /** When the trip ended, on the city's clock. */
  local_time?: string;
  to_zone?: string;
  distance_m?: number;
  plate?: string;
  driver_name?: string;
  company?: string;
  comment_on_driver?: string;
  comment_on_passenger?: string;
  role?: Role;
  subject?: string;
  booking?: string;
  vehicle?: string;
  /** What who raised the alarm, or reported, has written. */
  text?: string;
  category?: ReportCategory;
  raised_at?: number;
  cancelled_at?: number;
  acknowledged_at?: number;
  acknowledged_by?: string;
  acknowledged_note?: string;
  closed_at?: number;
  closed_by?: string;
  closed_note?: string;
  sent_at?: number;
};

export type FareParts = ({
  name: "flag_fall" | "distance" | "time" | "slab" | "minimum" | "night" | "passengers" | "booking" | "toll";
  amount: number;
  zone?: string;
})[];

/** Who is in danger, where, and with whom. `ride`, `booking` or `tour` is the one that the sender is on; `vehicle` is a taxi, a minibus or a bus. */
export type Alarm = {
  sos: string;
  state: "open" | "acknowledged" | "closed";
  role: "passenger" | "driver" | "bus_driver";
  subject: string;
  at: number;
  /** How often it has rung. */
  rings: number;
  /** How often its sender has sent something new. */
  presses: number;
  text?: string;
  position?: Fix;
  /** Whose place that is. */
  position_of?: "sender" | "vehicle";
  ride?: string;
  booking?: string;
  tour?: string;
  line?: string;
  vehicle?: string;
  driver?: string;
  passenger?: string;
  /** When its sender said that there is no danger. */
  cancelled?: number;
  acknowledged?: OfficeAct;
  closed?: OfficeAct;
};

/** Which operator did it, when, and what for. */
export type OfficeAct = {
  by: string;
  at: number;
  note?: string;
};

/** `role` and `subject` are absent when it was sent anonymously. */
export type Report = {
  report: string;
  at: number;
  category: ReportCategory;
  text: string;
  role?: Role;
  subject?: string;
  ride?: string;
  vehicle?: string;
  closed?: OfficeAct;
};

/** What the office has of a driver. The dates are the last days on which its papers are valid. */
export type DriverRecord = {
  driver: string;
  name: string;
  phone?: string;
  company?: string;
  photo?: string;
  licence?: string;
  licence_until?: string;
  medical_until?: string;
  vehicle?: string;
  capabilities?: Capabilities;
  by: string;
  at: number;
};

/** What the office has of a vehicle. */
export type VehicleRecord = {
  vehicle: string;
  plate: string;
  registration?: string;
  company?: string;
  model?: string;
  colour?: string;
  capabilities?: Capabilities;
  code: string;
  by: string;
  at: number;
};

/** Amounts in hundredths of the currency; the parts add up to `amount`. */
export type TripFare = {
  amount: number;
  currency: string;
  parts?: FareParts;
};

/** A ride, or a booking of seats in a minibus, that has ended. `passenger` is for operators; `stars` are those that its reader has given, `route_stars` what its passenger thinks of the route. A minibus has no zones. */
export type Trip = {
  trip: string;
  kind: "taxi" | "minibus";
  receipt: string;
  driver: string;
  card?: Card;
  passenger?: string;
  passengers: number;
  route?: string;
  from_zone?: string;
  to_zone?: string;
  began_at?: number;
  ended_at: number;
  local?: string;
  distance_m?: number;
  duration_s: number;
  /** Null: none was told. */
  fare: TripFare | null;
  estimate?: Fare;
  payment: Payment;
  stars?: number;
  route_stars?: number;
};

/** Who comes, as far as the office has registered it: name and picture of the driver, and what to know the car by. */
export type Card = {
  name?: string;
  photo?: string;
  plate?: string;
  registration?: string;
  model?: string;
  colour?: string;
  company?: string;
  capabilities?: Capabilities;
  code?: string;
};

export type Side = "driver" | "passenger";

/** The lowest rung of the ladder that was told: 0 none, 500 near, 20 arrived. */
export type Notified = 0 | 500 | 20;

/** The driver's list, by pickup time. Requests within 50 m of each other and 10 minutes are one place. */
export type StopPlaces = ({
  place: string;
  at: number;
  lat: number;
  lon: number;
  stop?: string;
  /** Of all its requests. */
  passengers: number;
  requests: ({
    request: string;
    state: "requested" | "accepted";
    at: number;
    passengers: number;
    name: string;
    number?: string;
    address?: string;
    help?: Help;
    notified: Notified;
    back?: string;
    answer_by?: number;
  })[];
})[];

/** The driver is away since `since`; the hub waits for it until `until`. */
export type DriverLost = {
  since: number;
  until: number;
};

/** A citizen's open request. `back` is the other one of a way there and back; `answer_by` while it waits for an answer. */
export type StopRequest = {
  eta?: PlaceEta;
  request: string;
  line: string;
  state: StopState;
  at: number;
  lat: number;
  lon: number;
  stop?: string;
  passengers: number;
  back?: string;
  bus?: string;
  answer_by?: number;
  notified?: Notified;
};

export type StopState = "requested" | "accepted" | "declined" | "expired" | "completed" | "no_show" | "cancelled";

/** Of a kind that is muted, or in quiet hours: show it, but notify nobody. */
export type Silent = true;

/** What counts after one more of a `kind`; `until`: when a pause ends. */
export type ReliabilityNews = {
  kind: "no_shows" | "late_cancels" | "give_backs";
  window_days: number;
  total: number;
  no_shows?: number;
  late_cancels?: number;
  give_backs?: number;
  points?: number;
  deposit?: boolean;
  warn_at?: number;
  pause_at?: number;
  until?: number;
};

/** How sure the alert is, by the accuracy of the fixes: high up to 20 m, else low; medium when the car stood there, or at 500 m. */
export type Confidence = "high" | "medium" | "low";

export type Paper = "licence" | "medical";

/** The closed list; `x-error-codes` of asyncapi.yaml says what each means. */
export type ErrorCode = "bad_message" | "unknown_command" | "unauthenticated" | "forbidden" | "not_found" | "outside_zones" | "zones_unknown" | "zone_empty" | "too_many_passengers" | "already_requested" | "same_place" | "in_the_past" | "too_soon" | "too_far_ahead" | "too_late" | "offer_expired" | "offer_taken" | "seats_full" | "not_available" | "no_driver" | "outside_hours" | "not_bookable" | "stop_passed" | "off_route" | "no_position" | "clock_skew" | "bad_position" | "rate_limited" | "unavailable" | "internal";
