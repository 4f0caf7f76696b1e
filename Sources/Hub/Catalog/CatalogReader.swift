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
            guard catalog.cache.useNext(words[1], at: Int64(words[2]) ?? 0) else {
                // Begun after it was announced.
                if words[1] != catalog.version { catalog.cache.fallBehind() }
                return readCatalog()
            }
            isInUse(catalog.current)
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
            if let next = self.catalog.cache.next, next.catalog.version == marks.version {
                self.catalog.cache.use(next.catalog, marks)
                return self.isInUse(next.catalog)
            }
            self.catalog.cache.fallBehind()
            self.read(CatalogReading(version: marks.version, keys: self.keys)) { reading in
                self.catalog.cache.prepare(reading)
                // Another version may have come into use meanwhile.
                self.readCatalog()
            }
        }
    }

    /// It is from now on: says so to who has brought it.
    private func isInUse(_ catalog: Catalog) {
        log.info("catalog", metadata: ["version": "\(catalog.version)", "lines": "\(catalog.lines.count)"])
        count("used", catalog.version)
        tellLater()
    }

    private func tellLater() { tellAt = loop.now + Self.tellAfterMs }

    private func count(_ part: String, _ version: String) {
        let key = RedisArgument(keys.catalog(version, part))
        commands.send(["INCR", key]) { _ in }
        commands.send(["EXPIRE", key, 60]) { _ in }
    }

    private func prepareCatalog(_ version: String) {
        let reading = CatalogReading(version: version, keys: keys)
        reading.isAwaited = true
        read(reading) { reading in
            self.catalog.cache.prepare(reading)
            self.wait(noLongerFor: reading)
            // It may have taken the place of a reading of the one in use.
            self.readCatalog()
        }
    }

    /// It is read here, or will be when it is to be used: whoever wants to use it need not wait for this worker.
    private func wait(noLongerFor reading: CatalogReading?) {
        guard let reading, reading.isAwaited else { return }
        reading.isAwaited = false
        count("ready", reading.catalog.version)
    }

    /// Reads a version; a later one that is asked for takes the place of one that is not done.
    private func read(_ reading: CatalogReading, then: @escaping (CatalogReading) -> Void) {
        wait(noLongerFor: beingRead)
        beingRead = reading
        guard !reading.catalog.version.isEmpty else {
            beingRead = nil
            return then(reading)
        }
        for question in reading.questions {
            commands.send(question) { result in
                guard self.beingRead === reading else { return }
                guard case .success(let reply) = result else { return self.readCatalogLater() }
                if reading.take(reply) { self.readLines(reading, then) }
            }
        }
    }

    private func readLines(_ reading: CatalogReading, _ then: @escaping (CatalogReading) -> Void) {
        guard let question = reading.nextLine else {
            beingRead = nil
            if let problem = reading.problem {
                wait(noLongerFor: reading)
                log.error("the catalog \(reading.catalog.version) can't be taken: \(problem); the old one stays")
                return catalog.cache.giveUp()
            }
            return then(reading)
        }
        commands.send(question) { result in
            guard self.beingRead === reading else { return }
            guard case .success(let reply) = result else { return self.readCatalogLater() }
            reading.takeLine(reply)
            self.readLines(reading, then)
        }
    }

    /// Redis went away meanwhile: when it is back, `onUp` of the connection reads it. An overload passes.
    private func readCatalogLater() {
        beingRead = nil
        isDue = true
    }

    func second() {
        guard commands.isUp else { return }
        if isDue {
            isDue = false
            readCatalog()
        }
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
        guard catalog.isKnown else {
            return .problem(503, "Not ready", "The lines are not read yet; ask again in a second.")
        }
        guard let list else { return changes(request) }
        let page: [UInt8]
        let tag: String
        if parts.count == 2 {
            guard let id = PercentText.decoded(parts[1]), let entry = catalog.cache.page(list, entry: id) else {
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
