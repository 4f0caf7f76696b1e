import Domain
import EventLoop
import Foundation
import RedisLink
import Settings
import TestSupport
import Testing
import Wire

@testable import Hub

/// A city in a private Redis of its own, its functions called as a worker calls them. Hub time is set forward by hand.
actor TestCity {
    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.loop.asUnownedSerialExecutor() }
    private let directory: String
    // Lazy because they belong to the loop, and an actor's init does not run on it.
    private lazy var redis = EmbeddedRedis(loop: thread.loop, directory: directory)
    private lazy var connection = RedisConnection(
        loop: thread.loop, endpoint: .unix(path: directory + "/redis.sock"), limits: limits)
    private let library = FunctionLibrary(RedisLibrary.code)
    private let keys = Keys(city: "test")
    // A machine that stands still for seconds is no fault of what is tried, and a link that is given up loses pushes.
    private let limits = {
        var limits = RedisLimits()
        limits.commandTimeoutMs = 60_000
        limits.heartbeatDeadAfterMs = 60_000
        return limits
    }()

    private init(thread: LoopThread, directory: String) {
        self.thread = thread
        self.directory = directory
    }

    /// Runs `body` with a fresh city, and ends its Redis whatever happens.
    static func run(_ body: @Sendable (TestCity) async throws -> Void) async throws {
        let directory = "/tmp/kb-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let thread = try LoopThread()
        let city = TestCity(thread: thread, directory: directory)
        let result: Result<Void, any Error>
        do {
            try await city.start()
            try await body(city)
            try await city.holdLogAgainstCatalogue()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await city.stop()
        thread.stop()
        try? FileManager.default.removeItem(atPath: directory)
        try result.get()
    }

    private func start() async throws {
        try await redis.start()
        await withCheckedContinuation { continuation in
            connection.onUp = { continuation.resume() }
            connection.start()
        }
        connection.onUp = nil
        // Without a version they are read at each call, so that a test may change one. Hub time stands still but for `advance`.
        let clock: [RedisArgument] = ["clock_scale", 0, "clock_real", 0, "clock_hub", 1_800_000_000_000]
        try await send(["HSET", RedisArgument(keys.settings)] + RedisSettings(Settings()).fields + clock)
    }

    /// Whatever the functions have logged, the catalogue has it.
    private func holdLogAgainstCatalogue() async throws {
        for entry in try await raw(["XRANGE", keys.events, "-", "+"]).array ?? [] {
            let type = try #require(entry[1]["type"].text)
            guard let kind = EventCatalogue.kind(type) else {
                Issue.record("the catalogue has no event \(type)")
                continue
            }
            let data = try JSONValue(parsing: try #require(entry[1]["data"].bytes))
            let strangers = (data.members?.keys ?? []).filter { !kind.fields.contains($0) }
            #expect(strangers.isEmpty, "fields of \(type) that the catalogue does not have")
        }
    }

    private func stop() async {
        connection.close()
        await withCheckedContinuation { continuation in redis.stop { continuation.resume() } }
    }

    /// Loads the functions anew, as a hub does that has written other settings.
    func load() async throws {
        let failure = await withCheckedContinuation { continuation in
            library.load(on: connection) { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
    }

    @discardableResult
    func raw(_ words: [String]) async throws -> RedisReply {
        try await connection.send(words.map { RedisArgument($0) })
    }

    @discardableResult
    func send(_ command: [RedisArgument]) async throws -> RedisReply { try await connection.send(command) }

    @discardableResult
    func call(_ function: String, _ arguments: [String]) async throws -> RedisReply {
        try await call(function, with: arguments.map { RedisArgument($0) })
    }

    @discardableResult
    func call(_ function: String, with arguments: [RedisArgument]) async throws -> RedisReply {
        try await withCheckedThrowingContinuation { continuation in
            library.call(function, keys: [RedisArgument(keys.settings)], arguments: arguments, on: connection) {
                continuation.resume(with: $0)
            }
        }
    }

    /// Calls the function of a command: its reply's `ok`, or the code that refused it.
    func command(_ function: String, _ arguments: String...) async throws -> Outcome {
        try await command(function, with: arguments)
    }

    func command(_ function: String, with arguments: [String]) async throws -> Outcome {
        let reply = try await call(function, arguments)
        switch RedisFunctions.answer(.success(reply)) {
        case .ok(let json): return .ok(try JSONValue(parsing: json))
        case .refused(let code, _, _): return .refused(code)
        default: throw Surprise("\(function) answered \(reply)")
        }
    }

    enum Outcome: Equatable {
        case ok(JSONValue)
        case refused(String)

        subscript(field: String) -> JSONValue? { if case .ok(let value) = self { value[field] } else { nil } }
        var isOK: Bool { if case .ok = self { true } else { false } }
    }

    // MARK: what tests do often

    /// A catalog of these lines, JSON by id, comes into use.
    func catalog(_ version: String, _ lines: [String: String], replacing: String) async throws {
        let prefix = keys.prefix + "catalog:" + version + ":"
        for (id, json) in lines { try await raw(["HSET", prefix + "lines", id, json]) }
        try await raw(
            ["HSET", prefix + "meta", "time_zone", "UTC", "lines", "\(lines.count)", "stops", "0", "buses", "0"]
                + ["services", "0", "digest:lines", version])
        _ = try await command("catalog_use", version, replacing)
    }

    func connect(_ drivers: String...) async throws {
        for driver in drivers { try await call("session_hello", ["driver", driver, "s-\(driver)", "w", ""]) }
    }

    /// Connected and available in the zone, in this order.
    func queue(_ zone: String, _ drivers: String...) async throws {
        for driver in drivers {
            try await call("session_hello", ["driver", driver, "s-\(driver)", "w", ""])
            _ = try await command("driver_available", driver, zone, "", "", "")
        }
    }

    /// by: as `callers.once` takes it; needs: words, a space between; near: zones, a line break between; wait: "1" to wait on.
    func request(
        _ passenger: String, _ ride: String, _ zone: String, passengers: Int = 2, key: String = "", by: String = "",
        needs: String = "", near: String = "", wait: String = ""
    ) async throws -> Outcome {
        try await command(
            "ride_request", passenger, ride, zone, "45.1", "9.1", String(passengers), "", "", key, by, needs, near, wait
        )
    }

    /// A ride that this driver, whose turn it is in zone 14, has accepted.
    func assign(_ ride: String, of passenger: String, to driver: String) async throws {
        _ = try await request(passenger, ride, "14")
        #expect(try await command("offer_accept", driver, ride, "", "").isOK)
    }

    /// A position of the driver's own session, at 9.1 degrees east.
    func position(_ driver: String, _ lat: String, at: Int) async throws {
        try await call("positions_take", [driver, "s-\(driver)", lat, "9.1", String(at), "", "", "", ""])
    }

    /// Sets hub time forward.
    func advance(_ milliseconds: Int) async throws {
        try await raw(["HINCRBY", keys.settings, "clock_hub", String(milliseconds)])
    }

    func sweep() async throws { try await call("city_sweep", ["w", "5000", "", ""]) }

    /// Sweeps, and answers whether it says that more is due. offset, clock: the city's, empty: not known yet.
    func hasMore(offset: String = "", clock: String = "") async throws -> Bool {
        try await call("city_sweep", ["w", "5000", offset, clock])[6].int == 1
    }

    func order(_ zone: String) async throws -> [String] {
        (try await raw(["ZRANGE", keys.queue(zone), "0", "-1"])).array?.compactMap(\.text) ?? []
    }

    /// The types told on a channel, without the mark that opens it.
    func told(_ channel: String) async throws -> [String] {
        let entries = try await raw(["XRANGE", keys.prefix + "ch:" + channel, "-", "+"]).array ?? []
        return entries.compactMap { $0[1]["type"].text }.filter { $0 != "opened" }
    }

    /// `data` of the last event of a type on a channel.
    func last(_ type: String, _ channel: String) async throws -> JSONValue? {
        try await last(type, in: keys.prefix + "ch:" + channel)
    }

    /// `data` of the last event of a type in the log.
    func logged(_ type: String) async throws -> JSONValue? { try await last(type, in: keys.events) }

    private func last(_ type: String, in stream: String) async throws -> JSONValue? {
        let entries = try await raw(["XRANGE", stream, "-", "+"]).array ?? []
        guard let entry = entries.last(where: { $0[1]["type"].text == type }), let data = entry[1]["data"].text else {
            return nil
        }
        return try JSONValue(parsing: data)
    }

    /// How often Redis has carried out a command so far.
    func calls(of command: String) async throws -> Int {
        let lines = try await raw(["INFO", "commandstats"]).text?.split(separator: "\r\n") ?? []
        let line = lines.first { $0.hasPrefix("cmdstat_\(command):calls=") }
        return line?.split(separator: "=").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    }

    func field(_ key: String, _ field: String) async throws -> String? {
        try await raw(["HGET", keys.prefix + key, field]).text
    }

    /// What is published on a partition while `body` runs.
    func heard(on partition: String, _ body: @Sendable () async throws -> Void) async throws -> [Push] {
        let subscriber = RedisSubscriber(
            loop: thread.loop, endpoint: .unix(path: directory + "/redis.sock"), heartbeat: connection, limits: limits)
        defer { subscriber.close() }
        var heard: [Push] = []
        subscriber.onMessage = { _, payload in Push.each(in: payload) { heard.append($0) } }
        subscriber.start()
        await withCheckedContinuation { continuation in
            subscriber.subscribe([keys.push(partition)]) { continuation.resume() }
        }
        try await body()
        // Published before this, and delivered in order: when the mark is heard, so is everything before it.
        let mark = Push(channel: "mark", seq: "", type: "mark", time: 0, meta: "", data: [])
        try await raw(["PUBLISH", keys.push(partition), String(decoding: mark.encoded, as: UTF8.self)])
        while !heard.contains(where: { $0.channel == "mark" }) { try await raw(["PING"]) }
        return heard
    }

    /// Who has an open offer of the ride.
    func offered(_ ride: String) async throws -> String? {
        try await field("ride:" + ride, "state") == "offered" ? try await field("ride:" + ride, "offered_to") : nil
    }

    /// I1 to I4 and I6 over everything that is in Redis; each broken one in words.
    func brokenInvariants() async throws -> [String] {
        var broken: [String] = []
        var queued: [String: Int] = [:]
        for key in try await raw(["KEYS", keys.prefix + "queue:*"]).array?.compactMap(\.text) ?? [] {
            for driver in try await order(String(key.dropFirst((keys.prefix + "queue:").count))) {
                queued[driver, default: 0] += 1
            }
        }
        var busyWith: [String: Int] = [:]
        var openOf: [String: Int] = [:]
        for key in try await raw(["KEYS", keys.prefix + "ride:*"]).array?.compactMap(\.text) ?? [] {
            let state = try await raw(["HGET", key, "state"]).text ?? ""
            if ["accepted", "aboard"].contains(state), let driver = try await raw(["HGET", key, "driver"]).text {
                busyWith[driver, default: 0] += 1
            }
            if ["searching", "offered", "accepted", "aboard"].contains(state),
                let passenger = try await raw(["HGET", key, "passenger"]).text
            {
                openOf[passenger, default: 0] += 1
            }
        }
        for key in try await raw(["KEYS", keys.prefix + "vehicle:*"]).array?.compactMap(\.text) ?? [] {
            let driver = String(key.dropFirst((keys.prefix + "vehicle:").count))
            let state = try await raw(["HGET", key, "state"]).text ?? ""
            if try await raw(["HGET", key, "kind"]).text == "bus" { continue }
            if try await raw(["HGET", key, "kind"]).text == "minibus" {
                broken += try await brokenSeats(of: driver)
                continue
            }
            if try await raw(["HGET", key, "blocked"]).text?.hasPrefix("0 ") == true, queued[driver] != nil {
                broken.append("\(driver) is blocked for good, and in a queue")
            }
            if (state == "available") != (queued[driver] == 1) {
                broken.append("I1: \(driver) is \(state) and in \(queued[driver] ?? 0) queues")
            }
            if (state == "busy") != (busyWith[driver] == 1) {
                broken.append("I2: \(driver) is \(state) and on \(busyWith[driver] ?? 0) rides")
            }
        }
        for (passenger, count) in openOf where count > 1 {
            broken.append("I4: \(passenger) has \(count) open requests")
        }
        return broken
    }

    /// A minibus waits in no queue; its bookings' seats are within what is taken, and that with what is held within what
    /// there is (C47).
    private func brokenSeats(of driver: String) async throws -> [String] {
        func number(_ key: String, _ name: String) async throws -> Int { Int(try await field(key, name) ?? "") ?? -1 }
        func members(_ key: String) async throws -> [String] {
            (try await raw(["ZRANGE", keys.prefix + key + ":" + driver, "0", "-1"])).array?.compactMap(\.text) ?? []
        }
        let vehicle = "vehicle:" + driver
        let (capacity, taken) = (try await number(vehicle, "capacity"), try await number(vehicle, "taken"))
        let (held, free) = (try await number(vehicle, "held"), try await number(vehicle, "seats"))
        var booked = 0
        for booking in try await members("bookings") { booked += try await number("booking:" + booking, "seats") }
        var waiting = try await members("seatwaiting")
        if let asking = try await field(vehicle, "asking") { waiting.append(asking) }
        var asked = 0
        for booking in waiting { asked += try await number("booking:" + booking, "passengers") }
        let isRight =
            0 <= booked && booked <= taken && taken + held <= capacity && free == capacity - taken && held == asked
        return isRight
            ? [] : ["C47: \(driver) has \(taken) + \(held) of \(capacity), booked \(booked), asked \(asked)"]
    }
}

struct Surprise: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
