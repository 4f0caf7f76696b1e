import Dispatch
import Domain
import EventLoop
import Logging
import RedisLink
import Telemetry
import WebSocketServer
import Wire

/// The catalog in this worker: read at the start and when it changes, answered over HTTP.
///
/// A new version is announced before it is taken into use (`read`) and each worker says when it has it. At `use` all change
/// over and say so; then who has brought it has `catalog.changed` told: whoever hears that finds the new lists.
final class CatalogReader: MessageListener {
    let services: WorkerServices
    private let news: [UInt8]
    /// The version that is being read, if one is.
    private var beingRead: CatalogReading?
    /// It could not be read; tried again within a second.
    private var isDue = false
    /// By then who has brought the version has had it told, or is gone.
    private var tellAt: UInt64?
    /// What is read is taken apart and put together here, and what is used no more is freed: of a big city's each is a second and
    /// more, in which a worker would tell nobody anything.
    private let thread = DispatchQueue(label: "kerbside.catalog")
    private static let tellAfterMs = UInt64(CatalogStore.workersMs) * 3 / 2

    init(_ services: WorkerServices) {
        self.services = services
        news = Array(services.keys.catalogNews.utf8)
    }

    func redisIsUp() { readCatalog() }
    func subscriptionBack() { readCatalog() }

    func onMessage(_ channel: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Bool {
        guard channel.elementsEqual(news) else { return false }
        heard(payload)
        return true
    }

    private func heard(_ payload: UnsafeRawBufferPointer) {
        let words = String(decoding: payload, as: UTF8.self).split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("read", 2): prepareCatalog(words[1])
        case ("use", 3):
            guard let spent = catalog.cache.useNext(words[1], at: Int64(words[2]) ?? 0) else {
                // Begun after it was announced, or not done with it.
                if words[1] != catalog.version { catalog.cache.fallBehind() }
                return readCatalog()
            }
            isInUse(spent)
        default: break
        }
    }

    /// Takes the version in use, if it is not that already. Called whenever news may have been missed.
    private func readCatalog() {
        guard commands.isUp else { return }
        commands.send(["HGETALL", RedisArgument(keys.catalog)]) { result in
            guard case .success(let reply) = result else { return self.readCatalogLater() }
            let marks = CatalogMarks(reply)
            if reply["untold"].text != nil { self.tellLater() }
            if marks.version == self.catalog.version { return self.catalog.cache.mark(marks) }
            if let next = self.catalog.cache.next, next.version == marks.version {
                return self.isInUse(self.catalog.cache.use(next, marks))
            }
            self.catalog.cache.fallBehind()
            // When it is read this is called again.
            if self.beingRead?.version == marks.version { return }
            self.read(CatalogReading(version: marks.version, keys: self.keys)) { reading in
                self.prepare(reading)
                // Another version may have come into use meanwhile.
                self.readCatalog()
            }
        }
    }

    private func prepare(_ reading: CatalogReading) {
        if let unused = catalog.cache.prepare(reading) { thread.async { unused.forget() } }
    }

    /// The catalog is from now on: says so to who has brought it.
    private func isInUse(_ spent: SpentCatalog) {
        thread.async { spent.free() }
        let lines = catalog.current.lines.count
        log.info("catalog", metadata: ["version": "\(catalog.version)", "lines": "\(lines)"])
        count("used", catalog.version)
        tellLater()
    }

    private func tellLater() { tellAt = loop.now + Self.tellAfterMs }

    private func count(_ part: String, _ version: String) {
        let key = RedisArgument(keys.catalog(version, part))
        commands.send(["INCR", key]) { _ in }
        commands.send(["EXPIRE", key, RedisArgument(2 * CatalogStore.longestMs / 1000)]) { _ in }
    }

    private func prepareCatalog(_ version: String) {
        let reading = CatalogReading(version: version, keys: keys)
        reading.isAwaited = true
        read(reading) { reading in
            self.prepare(reading)
            self.wait(noLongerFor: reading)
            // It may have taken the place of a reading of the one in use.
            self.readCatalog()
        }
    }

    /// It is read here, or will be when it is to be used: whoever wants to use it need not wait for this worker.
    private func wait(noLongerFor reading: CatalogReading?) {
        guard let reading, reading.isAwaited else { return }
        reading.isAwaited = false
        count("ready", reading.version)
    }

    /// Reads a version; a later one that is asked for takes the place of one that is not done.
    private func read(_ reading: CatalogReading, then: @escaping (CatalogReading) -> Void) {
        wait(noLongerFor: beingRead)
        endReading()
        guard !reading.version.isEmpty else { return then(reading) }
        log.info("reading the lines", metadata: ["version": "\(reading.version)"])
        beingRead = reading
        tellReading()
        for question in reading.questions {
            ask(
                question, for: reading, taking: { $0.take($1) },
                then: { isWhole in if isWhole { self.readLines(reading, then) } })
        }
    }

    private func readLines(_ reading: CatalogReading, _ then: @escaping (CatalogReading) -> Void) {
        if let problem = reading.problem {
            let isAnnounced = reading.isAwaited
            wait(noLongerFor: reading)
            log.error("the catalog \(reading.version) can't be taken: \(problem); the old one stays")
            endReading()
            // One that is announced may have taken the place of a reading of the one in use.
            return isAnnounced ? readCatalog() : catalog.cache.giveUp()
        }
        guard let question = reading.nextLine else {
            return aside(
                reading, { $0.makePages() },
                then: { _ in
                    self.log.info("read the lines", metadata: ["version": "\(reading.version)"])
                    self.beingRead = nil
                    then(reading)
                })
        }
        ask(question, for: reading, taking: { $0.takeLine($1) }, then: { _ in self.readLines(reading, then) })
    }

    /// Has the answer taken on the thread. `then` gets what `take` answers, on the loop.
    private func ask<Found: Sendable>(
        _ question: [RedisArgument], for reading: CatalogReading,
        taking take: @escaping @Sendable (CatalogReading, RedisReply) -> Found, then: @escaping (Found) -> Void
    ) {
        commands.send(question) { result in
            guard self.beingRead === reading else { return }
            guard case .success(let reply) = result else { return self.readCatalogLater() }
            self.aside(reading, { take($0, reply) }, then: then)
        }
    }

    /// Calls `then` on the loop with what `work` finds on the thread, if the reading still goes on.
    private func aside<Found: Sendable>(
        _ reading: CatalogReading, _ work: @escaping @Sendable (CatalogReading) -> Found,
        then: @escaping (Found) -> Void
    ) {
        let answer = LoopAnswer<Found> { found in
            if self.beingRead === reading { then(found) }
        }
        thread.async { [loop] in
            let found = work(reading)
            loop.submit { answer.give(found) }
        }
    }

    /// What has been read of it is used no more.
    private func endReading() {
        guard let reading = beingRead else { return }
        beingRead = nil
        thread.async { reading.forget() }
    }

    /// Redis went away meanwhile: when it is back, `onUp` of the connection reads it. An overload passes.
    private func readCatalogLater() {
        endReading()
        isDue = true
    }

    /// Whoever waits for the version to be read sees that it is.
    private func tellReading() {
        guard let beingRead else { return }
        let key = RedisArgument(keys.catalog(beingRead.version, "reading"))
        commands.send(["SET", key, 1, "PX", RedisArgument(CatalogStore.readingMs)]) { _ in }
    }

    func second() {
        guard commands.isUp else { return }
        if isDue {
            isDue = false
            readCatalog()
        }
        tellReading()
        guard let tellAt, loop.now >= tellAt else { return }
        self.tellAt = nil
        functions.call("catalog_tell", ["version": RedisArgument(catalog.version)]) { result in
            if case .failure = result { self.tellLater() }
        }
    }

    // MARK: HTTP

    /// `/v1/lines`, `/v1/lines/<id>` and so on, and `/v1/changes`. With `ETag` and `Last-Modified`, 304 when the client has it.
    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        guard request.path.hasPrefix("/v1/"), let response = response(to: request) else { return false }
        answer(response)
        return true
    }

    private func response(to request: HTTPRequest) -> HTTPResponse? {
        let parts = request.path.utf8.split(separator: 47, maxSplits: 4, omittingEmptySubsequences: false).dropFirst(2)
            .map { String(Substring($0)) }
        guard let name = parts.first, parts.count <= 2 else { return nil }
        let list = CatalogList(rawValue: name)
        guard list != nil || name == "changes" && parts.count == 1 else { return nil }
        guard catalog.isKnown else { return .linesNotRead }
        guard let list else { return changes(request) }
        let page: [UInt8]
        let tag: String
        if parts.count == 2 {
            guard let id = PercentText.decoded(parts[1]), let entry = catalog.cache.page(list, entry: id) else {
                guard !catalog.isBehind else { return .linesNotRead }
                return .problem(404, "Not found", "There is no such entry in /v1/\(name).")
            }
            page = entry.bytes
            tag = entry.tag
        } else {
            page = catalog.cache.page(list)
            tag = catalog.cache.marks.digests[list] ?? "\(CatalogPages.form)-" + CatalogPages.digest(page)
        }
        // An entry of one list may show another's: a stop its lines, a line the names of its stops.
        let changed = parts.count == 2 ? catalog.cache.marks.changed.values.max() : catalog.cache.marks.changed[list]
        return conditional(request, page, tag: tag, changed: changed)
    }

    /// When each list changed last, and its ETag: one small request tells a client which lists to ask for.
    private func changes(_ request: HTTPRequest) -> HTTPResponse {
        let marks = catalog.cache.marks
        var json = JSONWriter()
        json.beginObject()
        json.member("version", catalog.version)
        for list in CatalogList.allCases {
            json.key(escaping: list.rawValue)
            json.beginObject()
            json.member("changed", marks.changed[list] ?? 0)
            json.member("etag", "\"\(marks.digests[list] ?? "")\"")
            json.endObject()
        }
        json.endObject()
        return conditional(
            request, json.bytes, tag: CatalogPages.digest(json.bytes), changed: marks.changed.values.max())
    }

    private func conditional(_ request: HTTPRequest, _ page: [UInt8], tag: String, changed: Int64?) -> HTTPResponse {
        let seconds = Int((changed ?? 0) / 1000)
        let etag = "\"\(tag)\""
        // Kept by clients, and asked about each time: a change is to be seen at once.
        let headers = [
            ("ETag", etag), ("Last-Modified", HTTPResponse.date(seconds)), ("Cache-Control", "no-cache"),
        ]
        let conditions = HTTPConditions(request)
        guard !conditions.has(etag: etag, changed: seconds) else { return HTTPResponse(status: 304, headers: headers) }
        return HTTPResponse(status: 200, contentType: "application/json", headers: headers, body: page)
    }
}
