import Dispatch
import EventLoop
import Glibc
import Records
import Synchronization

/// Reads the city's records for a worker, on a thread of its own: a database that is slow or away keeps nobody waiting but who asks, and them
/// not for long. All calls come on the worker's loop.
final class RecordsReader {
    /// What came of a reading.
    struct Answer: Sendable {
        let rows: Result<[[SQLValue]], DatabaseFailure>
        /// So long it has kept a processor of this machine, and a server of the database, ns.
        var busyNs: UInt64 = 0
    }

    /// `@unchecked Sendable` because it is used on one queue only, one reading after the other.
    private final class Connection: @unchecked Sendable {
        private let location: StoreLocation
        private let city: String
        private var store: RecordStore?
        /// The tables were waited for in vain: nobody waits for them again before they are there.
        private var isUnmade = false
        /// So long a server has worked for all its readings, ns.
        private(set) var serverNs: UInt64 = 0

        init(_ location: StoreLocation, city: String) { (self.location, self.city) = (location, city) }

        /// A connection that was kept may have been lost meanwhile; then a new one reads.
        func rows(_ query: RecordQuery) -> Result<[[SQLValue]], DatabaseFailure> {
            do throws(DatabaseFailure) {
                if let store {
                    do throws(DatabaseFailure) {
                        return .success(try read(query, store))
                    } catch {
                        guard store.isLost else { throw error }
                        close()
                    }
                }
                let opened = try open()
                store = opened
                return .success(try read(query, opened))
            } catch {
                if store?.isLost == true { close() }
                return .failure(error)
            }
        }

        /// The first operators of a hub ask while its recorder still makes the tables: they wait for those.
        private func open() throws(DatabaseFailure) -> RecordStore {
            let until = DispatchTime.now().uptimeNanoseconds + RecordsReader.makingNs
            while true {
                do throws(DatabaseFailure) {
                    let store = try RecordStore.reader(location, city: city, withinSeconds: RecordsReader.readingS)
                    isUnmade = false
                    return store
                } catch {
                    guard error.kind == .unmade, !isUnmade else { throw error }
                    isUnmade = DispatchTime.now().uptimeNanoseconds >= until
                    usleep(RecordsReader.lookUs)
                }
            }
        }

        private func read(_ query: RecordQuery, _ store: RecordStore) throws(DatabaseFailure) -> [[SQLValue]] {
            let before = store.serverNs
            defer { serverNs += store.serverNs - before }
            return try store.rows(query)
        }

        func close() {
            store?.close()
            store = nil
        }
    }

    /// Who waits.
    private final class Question {
        let askedAt: UInt64
        let isOver = Over()
        var then: ((Answer) -> Void)?

        init(askedAt: UInt64, then: @escaping (Answer) -> Void) {
            (self.askedAt, self.then) = (askedAt, then)
        }
    }

    /// Whether anybody still waits for an answer. Any thread.
    private final class Over: Sendable {
        private let isSet = Atomic(false)

        var isTrue: Bool { isSet.load(ordering: .relaxed) }
        func set() { isSet.store(true, ordering: .relaxed) }
    }

    private let loop: EventLoop
    private let location: StoreLocation
    private let city: String
    private var queue: DispatchQueue
    private var connection: Connection
    /// In the order in which they came.
    private var waiting: [Question] = []
    private var usedAt: UInt64?

    /// Who asks when so many wait is refused.
    private static let mostWaiting = 16
    /// So long a reading may take, s; and so long anybody waits, ms.
    private static let readingS = 5
    private static let longestMs: UInt64 = 10_000
    /// So long tables are waited for that are being made, ns, and how often it is looked for them, µs.
    private static let makingNs: UInt64 = 4_000_000_000
    private static let lookUs: UInt32 = 50_000
    /// Nobody asks for so long: the connection is given back, ms.
    private static let idleMs: UInt64 = 60_000

    init(_ loop: EventLoop, _ location: StoreLocation, city: String) {
        (self.loop, self.location, self.city) = (loop, location, city)
        (queue, connection) = Self.thread(location, city)
    }

    private static func thread(_ location: StoreLocation, _ city: String) -> (DispatchQueue, Connection) {
        (DispatchQueue(label: "kerbside.records"), Connection(location, city: city))
    }

    /// False: too many wait already. Otherwise `then` is called once, later.
    func read(_ query: RecordQuery, _ then: @escaping (Answer) -> Void) -> Bool {
        guard waiting.count < Self.mostWaiting else { return false }
        usedAt = loop.now
        let question = Question(askedAt: loop.now, then: then)
        waiting.append(question)
        let answer = LoopAnswer { self.answer(question, $0) }
        queue.async { [connection, loop, isOver = question.isOver] in
            guard !isOver.isTrue else { return }
            let since = RecordsReader.threadTime() + connection.serverNs
            let rows = connection.rows(query)
            let result = Answer(rows: rows, busyNs: RecordsReader.threadTime() + connection.serverNs - since)
            loop.submit { answer.give(result) }
        }
        return true
    }

    /// CPU time of the calling thread, ns.
    private static func threadTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private func answer(_ question: Question, _ result: Answer) {
        waiting.removeAll { $0 === question }
        guard let then = question.then else { return }
        question.then = nil
        question.isOver.set()
        then(result)
    }

    /// Each second.
    func second() {
        if let oldest = waiting.first {
            guard loop.now - oldest.askedAt > Self.longestMs else { return }
            return giveUp()
        }
        guard let usedAt, loop.now - usedAt > Self.idleMs else { return }
        self.usedAt = nil
        queue.async { [connection] in connection.close() }
    }

    /// The database does not even say that it can't: its thread is left to itself, reads for nobody any more, and ends when it is through with what
    /// it waits for: to connect, and for a few statements, each with its end.
    private func giveUp() {
        let all = waiting
        queue.async { [connection] in connection.close() }
        (queue, connection) = Self.thread(location, city)
        let none = Answer(rows: .failure(DatabaseFailure(.unavailable, "no answer within 10 s")))
        for question in all { answer(question, none) }
    }
}
