import Domain
import RedisLink
import Wire

/// What the hash `catalog` says: which version is in use, and since when each list is as it is.
struct CatalogMarks: Equatable {
    /// Empty: there never was one.
    var version = ""
    /// Unix ms of hub time.
    var changed: [CatalogList: Int64] = [:]
    var digests: [CatalogList: String] = [:]

    init() {}

    /// Of HGETALL.
    init(_ reply: RedisReply) {
        version = reply["version"].text ?? ""
        for list in CatalogList.allCases {
            changed[list] = reply["changed:" + list.rawValue].int
            digests[list] = reply["digest:" + list.rawValue].text
        }
    }

    /// After another version has been taken into use; the function has said the same of each list.
    mutating func advance(to version: String, _ digests: [CatalogList: String], at time: Int64) {
        for list in CatalogList.allCases where self.digests[list] != digests[list] { changed[list] = time }
        self.digests = digests
        self.version = version
    }
}

/// Puts a version together as its parts are read, one line at a time: between two lines Redis serves others.
///
/// A worker has the answers taken on a thread. `@unchecked Sendable` because it is used by one at a time: the loop leaves it to
/// the thread with each answer, until the thread says that it is done with that. Meanwhile the loop uses `version` and
/// `isAwaited`, which the thread does not change.
final class CatalogReading: @unchecked Sendable {
    let version: String
    private(set) var catalog: Catalog
    /// Of it, once they are made.
    private(set) var pages = CatalogPages(Catalog())
    /// Those that most clients ask for, likewise.
    private(set) var lists: [CatalogList: [UInt8]] = [:]
    private let keys: Keys
    private var lines: [String] = []
    private var replies: [RedisReply] = []
    private(set) var digests: [CatalogList: String] = [:]
    /// Somebody waits until it is read before it is taken into use.
    var isAwaited = false
    /// Why it can't be taken, for the log.
    private(set) var problem: String?

    init(version: String, keys: Keys) {
        self.version = version
        catalog = Catalog(version: version)
        self.keys = keys
    }

    /// What is to be asked first; the answers go to ``take(_:)``, in this order.
    var questions: [[RedisArgument]] {
        func key(_ part: String) -> RedisArgument { RedisArgument(keys.catalog(version, part)) }
        return [
            ["HGETALL", key("meta")], ["HGETALL", key("stops")], ["HGETALL", key("buses")],
            ["HGETALL", key("services")], ["HKEYS", key("lines")],
        ]
    }

    /// True when all questions are answered.
    func take(_ reply: RedisReply) -> Bool {
        replies.append(reply)
        guard replies.count == questions.count else { return false }
        take()
        replies = []
        return true
    }

    private func take() {
        guard let zone = replies[0]["time_zone"].text else {
            problem = "it is not there any more"
            return
        }
        catalog.timeZone = zone
        for list in CatalogList.allCases { digests[list] = replies[0]["digest:" + list.rawValue].text }
        catalog.stops = entries(replies[1], Stop.init)
        catalog.buses = entries(replies[2], Bus.init)
        catalog.services = entries(replies[3], Service.init)
        lines = replies[4].array?.compactMap(\.text) ?? []
        let counts = ["stops": catalog.stops.count, "buses": catalog.buses.count, "services": catalog.services.count]
        for (part, count) in counts where replies[0][part].int != Int64(count) { lacks(part) }
        if replies[0]["lines"].int != Int64(lines.count) { lacks("lines") }
    }

    /// What is to be asked when only the buses are wanted; `takeBuses` gets the answers.
    var questionsOfBuses: [[RedisArgument]] { [questions[0], questions[2]] }

    func takeBuses(_ replies: [RedisReply]) {
        catalog.buses = entries(replies[1], Bus.init)
        if replies[0]["buses"].int != Int64(catalog.buses.count) { lacks("buses") }
    }

    /// The next line to be asked for; nil when all are there.
    var nextLine: [RedisArgument]? {
        guard problem == nil, let line = lines.last else { return nil }
        return ["HGET", RedisArgument(keys.catalog(version, "lines")), RedisArgument(line)]
    }

    func takeLine(_ reply: RedisReply) {
        let id = lines.removeLast()
        guard let bytes = reply.bytes, let json = try? JSONValue(parsing: bytes), let line = Line(json) else {
            problem = "line \(id) is missing, or of another form"
            return
        }
        let stops = line.patterns.lazy.flatMap(\.stops).map(\.stop)
        guard stops.allSatisfy({ catalog.stops[$0] != nil }) else {
            problem = "line \(id) names a stop that is not there"
            return
        }
        catalog.lines[id] = line
    }

    /// When all is there: which lines stop where takes a big city's catalog a second.
    func makePages() {
        pages = CatalogPages(catalog)
        for list in [CatalogList.lines, .buses, .stops] { lists[list] = pages.list(list) }
    }

    /// Frees what was read: a big city's catalog takes a second.
    func forget() {
        catalog = Catalog(version: version)
        pages = CatalogPages(Catalog())
        lists = [:]
        lines = []
        replies = []
    }

    private func lacks(_ part: String) { problem = problem ?? "not all \(part) are there, or of another form" }

    private func entries<T>(_ reply: RedisReply, _ make: (JSONValue) -> T?) -> [String: T] {
        let flat = reply.array ?? []
        var entries: [String: T] = [:]
        for index in stride(from: 0, to: flat.count - 1, by: 2) {
            guard let id = flat[index].text, let bytes = flat[index + 1].bytes,
                let json = try? JSONValue(parsing: bytes), let entry = make(json)
            else { continue }
            entries[id] = entry
        }
        return entries
    }
}
