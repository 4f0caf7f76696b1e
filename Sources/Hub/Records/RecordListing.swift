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
    /// It was said that the records can't be read.
    private var isTroubled = false

    /// What a reading took is owed up to so many times what one has at once.
    private static let mostOwed = 5.0

    init(_ services: WorkerServices) {
        self.services = services
        location = StoreLocation(url: services.settings.store.url, data: services.settings.data.dir)
        reader = RecordsReader(services.loop, location, city: services.settings.city.id)
    }

    func second() { reader.second() }

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
        guard asking.insert(subject).inserted else {
            refuse(
                session, message.id, .rateLimited,
                "Your last reading of the records is under way: wait for its answer.",
                retryAfterMs: 500)
            return true
        }
        if question.from == nil {
            // Looking leaves no entry in the audit; who reads the past of people is to be found all the same.
            log.notice("records are read", metadata: ["operator": "\(identity.subject)", "of": "\(question.of)"])
        }
        let isTaken = reader.read(query.withOneMore) { answer in
            self.asking.remove(subject)
            self.services.budgets.charge(
                CommandPrice.records(busyNs: answer.busyNs), ofReader: subject, most: Self.mostOwed)
            self.tell(answer.rows, of: query, message, session)
        }
        if !isTaken {
            asking.remove(subject)
            refuse(
                session, message.id, .unavailable, "Others are reading the records now; ask again.", retryAfterMs: 1000)
        }
        return true
    }

    private func tell(
        _ result: Result<[[SQLValue]], DatabaseFailure>, of query: RecordQuery, _ message: ClientMessage,
        _ session: Session
    ) {
        switch result {
        case .success(let rows):
            isTroubled = false
            if sessions.has(session) { answer(.ok(Self.page(rows, of: query)), to: message, session) }
        case .failure(let failure):
            if !isTroubled { log.warning("the records can't be read for operators: \(failure)") }
            isTroubled = true
            guard sessions.has(session) else { return }
            refuse(session, message.id, .unavailable, "The records can't be read now; ask again.", retryAfterMs: 5000)
        }
    }

    /// rows: of a query with one more (`withOneMore`), which says whether there is a next page.
    private static func page(_ rows: [[SQLValue]], of query: RecordQuery) -> [UInt8] {
        let shown = rows.prefix(Int(query.limit))
        var json = JSONWriter()
        json.beginObject()
        json.key("records")
        json.beginArray()
        for row in shown { query.write(row, into: &json) }
        json.endArray()
        if rows.count > shown.count, let last = shown.last, let next = query.place(of: last) {
            json.member("next", "\(next)")
        }
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
}
