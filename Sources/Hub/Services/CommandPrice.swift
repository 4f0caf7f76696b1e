import Domain
import WebSocketServer
import Wire

/// What commands cost, in tokens of the subject's ``Budget``. One token is about what a position costs: a message read and a part
/// of a batch. Others cost by what they make Redis, this worker and other people's phones do (measured on one core; a position
/// takes 20 µs in all).
enum CommandPrice {
    /// Before it is carried out. What is only known then is charged besides: see the others here.
    static func of(_ command: Command) -> Double {
        switch command {
        // A token to verify, a snapshot to read; each channel that is resumed is a history to look into, or the city's whole log.
        case .session(.hello(_, let resume)):
            resume.reduce(6) { $0 + ($1.channel.hasPrefix(Channel.events) ? 5 : 1) }
        // Rings somebody, and writes some thirty keys and entries before it is over.
        case .seats(.seatBook), .reservations(.make): 5
        // And looks for a driver of the zone, and around it; when it is off, for another ride for that driver.
        case .rides(.rideRequest): 8
        case .rides(.rideCancel): 5
        // And reads some fields of the tours of its line, 5 to 10 µs of Redis each.
        case .stops(.stopRequest): 8
        // Looks for minibuses, and is charged for each: see `minibuses`.
        case .seats(.seatRequest): 5
        // Undoes that, or takes its driver away, and rings the next one; or tells a driver all that it is still asked for.
        case .rides(.driverUnavailable), .rides(.offerDecline), .seats(.seatCancel), .stops(.stopCancel),
            .reservations(.cancel):
            3
        // With `all` it reads each request of the tour, 60 at most, before it answers the first.
        case .stops(.stopAnswer(_, _, let all)): all ? 10 : 3
        // Reads up to 20 of them.
        case .reservations(.list): 10
        // Looks through the zones of the city.
        case .advice(.get): 5
        // Reads what counts of one person, or sets it back.
        case .reliability(.get), .reliability(.of): 2
        case .reliability(.reset): 20
        // Asks, or asks anew, for each request that waits on the line.
        case .tours(.tourStart), .tours(.tourEnd): 5
        // Looks for a driver for each ride that waits in the zone; or gives a ride back and rings the next one.
        case .rides(.driverAvailable), .rides(.rideSearch): 5
        case .seats(.seatsSet), .rides(.rideShare), .rides(.rideUnshare): 2
        // With its way, which may be some KB.
        case .seats(.vehicleGet): 3
        // Told to every connection of the subject, and kept in its history.
        case .notifications(.notifySet): 5
        // Told to the passengers and to every worker, each of which finds out for whom it leads where they want to go.
        case .seats(.routeSet): 5
        // Looks into the timetable of the line (`LineIndex`); see `patterns`, `tours` and `passes`, too.
        case .lines(.lineEta): 3
        // Tells all readers of the line its new times; a bus that comes to its next stop needs it once a minute.
        case .tours(.stopNext(let skip)): skip ? 5 : 3
        case .tours(.stopPrevious): 5
        // Each of many people is told.
        case .broadcasts(.broadcast): 50
        // Rings the next driver, and is kept for long.
        case .office(.remove), .office(.put), .office(.offer), .office(.reassign), .office(.cancel), .office(.end),
            .office(.block), .office(.unblock), .office(.endSession):
            20
        // Reads all that is kept of one: 20 to 70 µs of Redis, and as much of this worker.
        case .office(.ride), .office(.driver), .registry(.driver), .registry(.vehicle): 3
        // Reads up to 500 vehicles, or 100 entries.
        case .office(.queue), .office(.audit): 10
        // Rings at the operators; what one person may make them hear is bounded (sos.lua). Of alarms most are free: see `alarmsAtOnce`.
        case .safety(.sos), .safety(.cancel): 3
        case .safety(.acknowledge), .safety(.close), .safety(.closeReport): 5
        // Reads up to 100 alarms or reports; is kept for weeks.
        case .safety(.list), .safety(.reports), .safety(.report): 10
        // Writes a record and its indexes, and the cards of up to twenty drivers; reads up to 100 records.
        case .registry(.setDriver), .registry(.setVehicle), .registry(.removeDriver), .registry(.removeVehicle): 20
        case .registry(.drivers), .registry(.vehicles): 10
        // A fare is reckoned here, by up to 200 places on the way; a trip is read, and more of them; a rating or a payment is written and told.
        case .trips(.estimate): 4
        case .trips(.receipt), .trips(.ratings): 2
        case .trips(.list(_, let limit, _)): 2 + Double(limit) / 2
        case .trips(.rate), .trips(.report): 3
        // A point of the curve is checked, and both are kept for months.
        case .push(.subscribe): 10
        case .push(.unsubscribe): 3
        // Up to 100 rows of the database, which other processes may need, too; what takes longer is charged: see `records`.
        case .records(.list): records
        // Checked, counted, kept in a history, and told to every worker.
        case .topics(.publish): 3
        // With `since` it reads a history; of the city's log it reads where that ends.
        case .channels(.subscribe(let channel, _, let since)):
            since == nil && !channel.hasPrefix(Channel.events) ? 2 : 5
        default: 1
        }
    }

    /// At least, by what there is to read, as it came or as JSON: the worst of messages, a list of numbers with exponents, needs some
    /// 0.03 ms for a KiB (0.06 in `data` of a binary one, which is read twice), most a tenth of it.
    static func size(_ bytes: Int) -> Double { Double(bytes) / 4096 }

    /// Of what a command's answer has to tell beyond a page of memory: read in Redis, copied, encoded and sent. A hundred records of drivers are
    /// 150 KB, and a millisecond of each.
    static func answer(_ bytes: Int) -> Double { bytes > 4096 ? Double(bytes) / 4096 : 0 }

    /// Before hello nobody answers for a connection: so many messages are read at once, none longer than a token and what it
    /// resumes take.
    static let strangersMessages = 8.0
    static let strangersBytes = 16_384

    /// An alarm is taken whatever its sender has left of the rate, so often at once and so often a second; beyond it costs what others do.
    static let alarmsAtOnce = 6.0
    static let alarmsPerSecond = 0.5

    /// Of a request over HTTP, besides its command: a head to read, and a token to verify.
    static let request = 1.0

    /// Of a reading over HTTP that is no command: what a hello reads of one channel; and of how all stands that a passenger has asked for,
    /// which may be twenty stops and as many reservations.
    static let snapshot = 2.0
    static let requests = 10.0

    /// Of what a hello tells of one's own, beyond a page of memory: each reservation and request is a hash of Redis' and an object of JSON.
    static func snapshot(bytes: Int) -> Double { 5 * answer(bytes) }

    /// Of the figures of so many days, of each of which Redis is asked whether there are any; and of the table that is made of them: a megabyte
    /// takes a worker some 30 ms.
    static func figures(days: Int) -> Double { request + 4 + Double(days) }
    static func figures(bytes: Int) -> Double { Double(bytes) / 1024 }
    /// And of what was read of a day that has some, whatever the answer is: the reading itself, which is a turn of the worker and of a thread, some
    /// 0.25 ms; names and values, each of which takes Redis and the worker 0.6 to 1.9 µs, and their bytes.
    static func figures(read parts: Int, bytes: Int) -> Double { 3 + Double(parts) / 16 + Double(bytes) / 4096 }

    /// Of an event on a topic, besides its command: sent to each who reads it. One token's 900 events a second to 180 connections of its own were seven
    /// times the wait of everybody else.
    static func readers(_ count: Int, bytes: Int) -> Double {
        Double(max(0, count - 25)) / 25 * (1 + Double(bytes) / 4096)
    }

    /// Of the data of an event on a topic, beyond a few lines: given to a function, kept in the history and in Redis' log on the disk, and told to
    /// every worker. Whoever has a service's rate writes at most half a MiB of it a second by a worker for long; at 1 for each 2 KiB two workers wrote
    /// 2.3 MB of log a second for one service.
    static func published(bytes: Int) -> Double { Double(max(0, bytes - 1024)) / 512 }

    /// Of cells to follow, for `watch` and for the channel of a zone. One that is `new` to this worker is subscribed in Redis, read from there
    /// and left again, 15 to 20 µs in all; for one that it follows already only its reader is counted, 2 µs. Who has a service's rate pays for
    /// those as much: one such token moved the circles of forty connections as fast as others paid for one.
    static func cells(new: Int, followed: Int, of role: Role) -> Double {
        Double(new) / 4 + Double(followed) / (role == .operator || role == .service ? 4 : 20)
    }

    /// Of the ways that are compared with where the reader of a circle wants to go. However many there are, who moves the map once a
    /// second, as circles move, can pay for it and has most of the rate left.
    static func ways(_ count: Int) -> Double { min(Double(count) / 100, 5) }

    /// Of a reading of the records that takes a processor longer than a page by an index does, which is paid before. One token's readings of
    /// 100 ms each were twenty times the wait of everybody else. What a server of the database takes is as dear: it may be on this machine, and the recorder
    /// needs it, too. It is its own time, so a slow way to it costs nothing.
    static func records(busyNs: UInt64) -> Double { max(0, Double(busyNs) / 20_000 - records) }
    private static let records = 20.0

    /// Of the tours of a line, of each of which `line.eta` reads some fields, and afterwards of the times that a bus will pass the place, each of
    /// which is found on its way: 20 µs of Redis each, of which an app that asks each 10 s has enough.
    static func tours(_ count: Int) -> Double { Double(count) }
    static func passes(_ count: Int) -> Double { Double(count) }

    /// Of the open requests for stops of a tour, each of which a position of its bus is held against: 50 µs of Redis each, of which a bus that sends
    /// one a second with 60 requests has enough.
    static func held(_ requests: Int) -> Double { Double(requests) / 4 }

    /// Of the patterns of a line, along each of which a place is looked for: 15 µs each.
    static func patterns(_ count: Int) -> Double { Double(count) / 4 }

    /// Of the alarms that `sos.list` reads, of what `report.list` does, and of the trips that are read with an operator's rate: 40 µs of Redis for
    /// each KiB.
    static func listed(_ bytes: Int) -> Double { Double(bytes) / 1024 }

    /// Of the drivers of a queue that `office.queue` reads.
    static func queued(_ count: Int) -> Double { Double(count) / 4 }

    /// Of the minibuses that `seat.request` looks at, with the ways that they have announced: read from Redis, and held against the lines. A way
    /// may be some KB, four of which take the worker 20 µs and Redis as much.
    static func minibuses(_ count: Int, bytes: Int) -> Double { Double(count) / 2 + Double(bytes) / 4096 }

    /// Of what a channel's reader missed, by its entries or by their bytes: read from Redis and sent. Of what a
    /// feed or a line begins with, and of what is read over HTTP, too.
    static func missed(_ count: Int, bytes: Int = 0) -> Double { max(Double(count) / 50, Double(bytes) / 16_384) }

    /// Of the own channel: read for one alone, while a page of a topic is encoded once for all who stand there.
    static func resumed(_ count: Int, bytes: Int) -> Double { 2.5 * missed(count, bytes: bytes) }
}

/// What a subject may still do: role and name, whichever of its connections to this worker does it, and whether it
/// has just come back.
///
/// Each worker keeps its own: asking Redis for each message would cost more than most commands do, and connections are limited.
final class Budget {
    let key: String
    /// What all guests of its network have together, from which each of them pays, too.
    let group: Budget?
    var bucket: TokenBucket
    /// What is read of its connections.
    let inbound: InboundRate
    /// What it may have refused, as a message has to be read to be refused. As much again as it may do.
    var refusals: TokenBucket
    /// Of figures and records what is only known as they are read, and of a map what is more than is taken at once (`take(cells:)`). Who
    /// owes for that waits with the next ones, and with no command: an operator who has looked at a year must hear alarms.
    private(set) var readings: TokenBucket
    /// What these were charged for since they were paid last.
    private var owed: Owed = []
    /// Alarms that cost nothing else.
    var alarms = TokenBucket(capacity: CommandPrice.alarmsAtOnce, perSecond: CommandPrice.alarmsPerSecond)
    /// A part of that. Who asks for no more, be it refused or not, asks for little; and a group keeps so much for such members besides, when
    /// the others have taken all.
    private var little: TokenBucket
    /// Of a group: members.
    var sessions = 0

    /// bucket: a full one.
    init(
        key: String, bucket: TokenBucket, inbound: InboundRate,
        group: Budget? = nil
    ) {
        self.key = key
        self.inbound = inbound
        self.group = group
        group?.sessions += 1
        self.bucket = bucket
        (refusals, readings) = (bucket, bucket)
        little = Self.little(of: bucket)
    }

    private static func little(of bucket: TokenBucket) -> TokenBucket {
        TokenBucket(capacity: bucket.capacity / 4, perSecond: bucket.perSecond / 4)
    }

    /// Takes a price, or nothing.
    func take(_ price: Double, at now: Int64) -> Bool {
        guard let group else { return bucket.take(price, at: now) }
        let isLittle = little.take(price, at: now)
        if !isLittle { little.charge(price, at: now) }
        guard bucket.take(price, at: now) else { return false }
        if group.bucket.take(price, at: now) || isLittle && group.little.take(price, at: now) { return true }
        bucket.giveBack(price)
        return false
    }

    /// Whether `take` would take a price now. Whoever only asks has nothing taken, nor of `little`.
    private func has(_ price: Double, at now: Int64) -> Bool {
        guard bucket.wait(for: price, at: now) == 0 else { return false }
        guard let group, group.bucket.wait(for: price, at: now) > 0 else { return true }
        return little.wait(for: price, at: now) == 0 && group.little.wait(for: price, at: now) == 0
    }

    func giveBack(_ price: Double) {
        bucket.giveBack(price)
        group?.bucket.giveBack(price)
    }

    /// Takes what something has cost, whatever is left.
    func charge(_ price: Double, at now: Int64, most fillings: Double = 1) {
        bucket.charge(price, at: now, most: fillings)
        group?.bucket.charge(price, at: now, most: fillings)
    }

    /// What is taken at once of what cells cost: at most a quarter of a full bucket, so that who opens a map can ask for a ride there.
    func atOnce(ofCells price: Double) -> Double { min(price, bucket.capacity / 4) }

    /// Milliseconds until cells may be followed that cost more than is taken at once; 0 for others.
    func wait(forCells price: Double, at now: Int64) -> Int64 {
        atOnce(ofCells: price) < price ? readings.wait(for: 0, at: now) : 0
    }

    /// Takes the price of cells, or nothing: what is taken at once, and the rest as a debt for which the next cells wait that cost so much.
    /// A circle that waits asks in each slice, which is no message of its watcher: `little` is left to what the watcher sends.
    func take(cells price: Double, at now: Int64) -> Bool {
        let first = atOnce(ofCells: price)
        guard wait(forCells: price, at: now) == 0, has(first, at: now), take(first, at: now) else { return false }
        oweRest(ofCells: price, at: now)
        return true
    }

    /// Of a guest it is taken at once from what the guests of its network have together.
    func oweRest(ofCells price: Double, at now: Int64) {
        let rest = price - atOnce(ofCells: price)
        guard rest > 0 else { return }
        owe(rest, for: .map, at: now, most: Self.mostOwedForCells)
        group?.bucket.charge(rest, at: now)
    }

    private static let mostOwedForCells = 10.0

    /// What the readings of a budget are charged for.
    struct Owed: OptionSet {
        let rawValue: UInt8
        static let tables = Owed(rawValue: 1)
        static let map = Owed(rawValue: 2)
    }

    /// Charges the readings. `fillings`: see ``TokenBucket/charge(_:at:most:)``.
    func owe(_ price: Double, for what: Owed, at now: Int64, most fillings: Double = 1) {
        if readings.wait(for: 0, at: now) == 0 { owed = [] }
        owed.insert(what)
        readings.charge(price, at: now, most: fillings)
    }

    /// What has yet to be paid, for who has to wait.
    var debt: String {
        switch owed {
        case .map: "What you have seen of the map has yet to be paid"
        case [.tables, .map]: "What you have read of figures and records, and seen of the map, has yet to be paid"
        default: "What you have read of figures and records has yet to be paid"
        }
    }

    /// Whether nothing is owed any more, so that the budget may be forgotten.
    func areReadingsPaid(at now: Int64) -> Bool { readings.isFull(at: now) }

    /// Milliseconds until `price` is there.
    func wait(for price: Double = 1, at now: Int64) -> Int64 {
        max(bucket.wait(for: price, at: now), group?.bucket.wait(for: price, at: now) ?? 0)
    }

    func renew(_ bucket: TokenBucket) {
        self.bucket = bucket
        (refusals, readings) = (bucket, bucket)
        little = Self.little(of: bucket)
    }
}
