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
        let isTaken = reader.read(query) { result in
            guard self.sessions.has(session) else { return }
            switch result {
            case .success(let rows):
                self.answer(.ok(Self.page(rows, of: query)), to: message, session)
            case .failure(let failure):
                self.log.warning("records.list: \(failure)")
                self.refuse(
                    session, message.id, .unavailable, "The records can't be read now; ask again.", retryAfterMs: 2000)
            }
        }
        if !isTaken {
            refuse(
                session, message.id, .unavailable, "Others are reading the records now; ask again.", retryAfterMs: 1000)
        }
        return true
    }

    private static func page(_ rows: [[SQLValue]], of query: RecordQuery) -> [UInt8] {
        let columns = query.kind.columns
        var json = JSONWriter()
        json.beginObject()
        json.key("records")
        json.beginArray()
        for row in rows {
            json.beginObject()
            for (column, value) in zip(columns, row) { write(column, value, &json) }
            json.endObject()
        }
        json.endArray()
        if rows.count == query.limit, let next = query.place(of: rows[rows.count - 1]) {
            json.member("next", "\(next)")
        }
        json.endObject()
        return json.bytes
    }

    private static func write(_ column: String, _ value: SQLValue, _ json: inout JSONWriter) {
        switch value {
        case .null: break
        case .integer(let number):
            json.key(escaping: column)
            json.integer(number)
        case .real(let number):
            json.key(escaping: column)
            json.double(number)
        case .text(let text):
            json.key(escaping: column)
            json.string(text)
        }
    }
}

extension RecordQuery {
    /// Throws what the rows of that kind don't have.
    fileprivate init(_ question: RecordQuestion) throws(ErrorReply) {
        self.init(Kind(question.of))
        for (filter, value) in [
            (Filter.driver, question.driver), (.passenger, question.passenger), (.zone, question.zone),
            (.line, question.line),
        ] {
            guard let value, !only(filter, value) else { continue }
            throw ErrorReply(
                code: .badMessage, field: filter.rawValue,
                detail: "field `\(filter)`: \(question.of) have none; leave it out")
        }
        if let from = question.from {
            guard let place = Place(from) else {
                throw ErrorReply(
                    code: .badMessage, field: "from", detail: "field `from`: expected the `next` of the page before")
            }
            after = place
        }
        self.from = question.startTime
        to = question.endTime
        limit = Int64(question.limit)
        isTimed = true
    }
}

extension RecordQuery.Kind {
    fileprivate init(_ kind: RecordQuestion.Kind) {
        switch kind {
        case .rides: self = .rides
        case .bookings: self = .bookings
        case .stops: self = .stops
        case .reservations: self = .reservations
        case .tours: self = .tours
        }
    }
}
