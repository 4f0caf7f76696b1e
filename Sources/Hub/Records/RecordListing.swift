import EventLoop
import Logging
import Records
import Settings
import Wire

/// The city's past for its office: rides, bookings, stops, reservations and tours, out of the records. They follow what happens by a few
/// seconds.
final class RecordListing: Capability {
    let services: WorkerServices
    private let location: StoreLocation
    private let reader: RecordsReader
    /// Whose reading is under way, by the keys of their budgets: one each, whatever they come over.
    private var asking: Set<String> = []
    /// What each would ask for who goes on where its last page ends, by the same keys.
    private var next: [String: RecordQuery] = [:]
    private var told = ToldReadings()
    /// It was said that the records can't be read.
    private var isTroubled = false

    private static let mostNext = 1_000
    /// What a reading took is owed up to so many times what one has at once.
    private static let mostOwed = 5.0

    init(_ services: WorkerServices) {
        self.services = services
        location = StoreLocation(url: services.settings.store.url, data: services.settings.data.dir)
        reader = RecordsReader(services.loop, location, city: services.settings.city.id)
    }

    func second() {
        reader.second()
        for line in told.due(at: loop.now) { say(line) }
    }

    func ends() { for line in told.rest() { say(line) } }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .records(.list(let question)) = message.command else { return false }
        guard location != .none else {
            refuse(session, message.id, .notAvailable, "This hub keeps no records: its setting `store.url` is none.")
            return true
        }
        let query: RecordQuery
        do throws(ErrorReply) {
            query = try RecordQuery(question)
        } catch {
            refuse(session, message.id, error)
            return true
        }
        let subject = Budgets.key(of: identity.claims)
        if let debt = services.budgets.debt(forReadingsOf: subject, givingBack: 0) {
            refuse(session, message.id, debt)
            return true
        }
        guard asking.insert(subject).inserted else {
            refuse(
                session, message.id, .rateLimited,
                "Your last reading of the records is under way: wait for its answer.",
                retryAfterMs: 500)
            return true
        }
        if next[subject] != query.ofAnyLength { say(question, identity) }
        let isTaken = reader.read(query.withOneMore) { answer in
            self.asking.remove(subject)
            self.services.budgets.charge(
                CommandPrice.records(busyNs: answer.busyNs), forReadingsOf: subject, most: Self.mostOwed)
            self.tell(answer.rows, of: query, to: subject, message, session)
        }
        if !isTaken {
            asking.remove(subject)
            refuse(
                session, message.id, .unavailable, "Others are reading the records now; ask again.", retryAfterMs: 1000)
        }
        return true
    }

    /// Looking leaves no entry in the audit; who reads the past of people is to be found all the same. Who turns the pages is told of once.
    private func say(_ question: RecordQuestion, _ identity: Identity) {
        let fields: [(name: String, isThere: Bool)] = [
            ("driver", question.driver != nil), ("passenger", question.passenger != nil),
            ("zone", question.zone != nil), ("line", question.line != nil), ("record", question.record != nil),
            ("start_time", question.startTime != nil), ("end_time", question.endTime != nil),
            ("from", question.from != nil),
        ]
        // Not whose: the log is for other eyes.
        let by = Set(fields.filter { $0.isThere }.map { $0.name })
        if let line = told.add(identity.subject, of: "\(question.of)", by: by, at: loop.now) { say(line) }
    }

    private func say(_ line: ToldReadings.Line) {
        var facts: Logger.Metadata = ["operator": "\(line.operator)", "of": "\(line.of)"]
        if !line.by.isEmpty { facts["by"] = "\(line.by.sorted().joined(separator: ", "))" }
        if line.times > 1 { facts["times"] = "\(line.times)" }
        log.notice("records are read", metadata: facts)
    }

    private func tell(
        _ result: Result<[[SQLValue]], DatabaseFailure>, of query: RecordQuery, to subject: String,
        _ message: ClientMessage, _ session: Session
    ) {
        switch result {
        case .success(let rows):
            isTroubled = false
            guard sessions.has(session) else { return }
            let end = query.end(of: rows)
            if next.count >= Self.mostNext { next = [:] }
            next[subject] = end.map { query.ofAnyLength.going(on: $0) }
            answer(.ok(Self.page(rows, of: query, next: end)), to: message, session)
        case .failure(let failure):
            if !isTroubled { log.warning("the records can't be read for operators: \(failure)") }
            isTroubled = true
            guard sessions.has(session) else { return }
            refuse(session, message.id, .unavailable, "The records can't be read now; ask again.", retryAfterMs: 5000)
        }
    }

    private static func page(_ rows: [[SQLValue]], of query: RecordQuery, next: RecordQuery.Place?) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("records")
        json.beginArray()
        for row in rows.prefix(Int(query.limit)) { query.write(row, into: &json) }
        json.endArray()
        if let next { json.member("next", "\(next)") }
        json.endObject()
        return json.bytes
    }
}

extension RecordQuery {
    /// Throws what the rows of that kind don't have.
    fileprivate init(_ question: RecordQuestion) throws(ErrorReply) {
        self.init(question.of)
        let missing = choose(
            driver: question.driver, passenger: question.passenger, zone: question.zone, line: question.line,
            record: question.record)
        if let missing {
            throw ErrorReply(
                code: .badMessage, field: missing.rawValue,
                detail: "field `\(missing)`: \(question.of) have none; leave it out")
        }
        if let from = question.from {
            guard let place = Place(from) else {
                throw ErrorReply(
                    code: .badMessage, field: "from", detail: "field `from`: expected the `next` of the page before")
            }
            after = place
        }
        from = question.startTime
        to = question.endTime
        limit = Int64(question.limit)
        isTimed = true
    }

    fileprivate var withOneMore: RecordQuery {
        var query = self
        query.limit += 1
        return query
    }

    /// Where a page ends; nil: it is the last. `rows`: of the query with one more, which says so.
    fileprivate func end(of rows: [[SQLValue]]) -> Place? {
        let shown = rows.prefix(Int(limit))
        guard rows.count > shown.count else { return nil }
        return shown.last.flatMap { place(of: $0) }
    }

    /// What is asked, however long the pages are.
    fileprivate var ofAnyLength: RecordQuery {
        var query = self
        query.limit = 0
        return query
    }

    fileprivate func going(on place: Place) -> RecordQuery {
        var query = self
        query.after = place
        return query
    }
}
