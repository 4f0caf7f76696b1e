import Dispatch
import EventLoop
import Records

/// Reads the city's records for a worker, on a thread of its own: a database that is slow or away keeps nobody waiting but who asks.
/// All calls come on the worker's loop.
final class RecordsReader {
    /// `@unchecked Sendable` because it is used on `queue` only, one reading after the other.
    private final class Connection: @unchecked Sendable {
        private let location: StoreLocation
        private let city: String
        private var store: RecordStore?

        init(_ location: StoreLocation, city: String) { (self.location, self.city) = (location, city) }

        /// One that has failed is opened anew for the next.
        func rows(_ query: RecordQuery) -> Result<[[SQLValue]], DatabaseFailure> {
            do throws(DatabaseFailure) {
                if let store { return .success(try store.rows(query)) }
                let opened = try RecordStore.reader(location, city: city)
                store = opened
                return .success(try opened.rows(query))
            } catch {
                close()
                return .failure(error)
            }
        }

        func close() {
            store?.close()
            store = nil
        }
    }

    /// `@unchecked Sendable` because it goes through another thread, and is called on the loop.
    private struct Answer: @unchecked Sendable {
        let give: (Result<[[SQLValue]], DatabaseFailure>) -> Void
    }

    private let loop: EventLoop
    private let queue = DispatchQueue(label: "kerbside.records")
    private let connection: Connection
    private var waiting = 0
    private var usedAt: UInt64?

    /// Who asks when so many wait is refused.
    private static let mostWaiting = 16
    /// Nobody asks for so long: the connection is given back, ms.
    private static let idleMs: UInt64 = 60_000

    init(_ loop: EventLoop, _ location: StoreLocation, city: String) {
        self.loop = loop
        connection = Connection(location, city: city)
    }

    /// False: too many wait already. Otherwise `then` is called once, later.
    func read(_ query: RecordQuery, _ then: @escaping (Result<[[SQLValue]], DatabaseFailure>) -> Void) -> Bool {
        guard waiting < Self.mostWaiting else { return false }
        waiting += 1
        usedAt = loop.now
        let answer = Answer { result in
            self.waiting -= 1
            then(result)
        }
        queue.async { [connection, loop] in
            let result = connection.rows(query)
            loop.submit { answer.give(result) }
        }
        return true
    }

    /// Each second.
    func second() {
        guard let usedAt, waiting == 0, loop.now - usedAt > Self.idleMs else { return }
        self.usedAt = nil
        queue.async { [connection] in connection.close() }
    }
}
