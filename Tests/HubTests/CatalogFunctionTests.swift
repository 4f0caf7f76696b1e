import Domain
import RedisLink
import Testing
import Wire

@testable import Hub

/// catalog.lua against a real Redis, and what `CatalogText` writes for it.
@Suite struct CatalogFunctionTests {
    private func catalog(_ version: String, stop: String = "Alpha") -> Catalog {
        let points = [GeoPoint(lat: 52, lon: 13), GeoPoint(lat: 52, lon: 13.01)]
        let pattern = LinePattern(
            id: "p", shape: points,
            stops: [PatternStop(stop: "a", distance: 0), PatternStop(stop: "b", distance: 684.6)])
        let times = [StopTime(arrival: 28_800, departure: 28_800), StopTime(arrival: 29_100, departure: 29_100)]
        return Catalog(
            lines: [
                "L": Line(
                    id: "L", name: "1", patterns: [pattern],
                    trips: [LineTrip(id: "t", pattern: 0, service: "d", times: times)])
            ],
            stops: [
                "a": Stop(id: "a", name: stop, point: points[0]), "b": Stop(id: "b", name: "Beta", point: points[1]),
            ],
            buses: [:],
            services: ["d": Service(weekdays: 127, start: ServiceDate(days: 0), end: ServiceDate(days: 30_000))],
            timeZone: "Europe/Berlin", version: version)
    }

    private func stage(_ city: TestCity, _ catalog: Catalog) async throws {
        for command in CatalogText(keys: Keys(city: "test")).staging(catalog) { try await city.send(command) }
    }

    private func read(_ city: TestCity, _ version: String) async throws -> CatalogReading {
        let reading = CatalogReading(version: version, keys: Keys(city: "test"))
        for question in reading.questions { _ = reading.take(try await city.send(question)) }
        while let question = reading.nextLine { reading.takeLine(try await city.send(question)) }
        return reading
    }

    @Test("B1 A catalog is taken into use whole: kept, told once, and read as it was written")
    func use() async throws {
        try await TestCity.run { city in
            try await stage(city, catalog("v1"))
            #expect(
                try await city.raw(["TTL", "{test}:catalog:v1:lines"]).int ?? 0 > 3000, "vanishes if nobody uses it")
            let outcome = try await city.command("catalog_use", "v1", "")
            #expect(outcome["changed"]?.elements?.count == 4)
            #expect(try await city.raw(["TTL", "{test}:catalog:v1:lines"]).int == -1)
            #expect(try await city.raw(["TTL", "{test}:catalog:v1:meta"]).int == -1)
            #expect(try await city.told("catalog").isEmpty, "not before all workers use it")
            #expect(try await city.command("catalog_tell", "v1").isOK)
            let last = try await city.last("catalog.changed", "catalog")
            #expect(last?["version"]?.text == "v1")
            #expect(last?["changed"]?["stops"]?.integer == 1_800_000_000_000)
            let reading = try await read(city, "v1")
            #expect(reading.problem == nil)
            #expect(reading.catalog == catalog("v1"))
            // Again is no change.
            #expect(try await city.command("catalog_use", "v1", "").isOK)
            #expect(try await city.command("catalog_tell", "v1").isOK)
            #expect(try await city.told("catalog").count == 1)
        }
    }

    @Test("B1 What an import has written vanishes by itself wherever it is stopped, and what is in use never does")
    func stopped() async throws {
        try await TestCity.run { city in
            let commands = CatalogText(keys: Keys(city: "test")).staging(catalog("v1"))
            func lifetimes() async throws -> [String: Int64] {
                var found: [String: Int64] = [:]
                for key in try await city.raw(["KEYS", "{test}:catalog:v1:*"]).array?.compactMap(\.text) ?? [] {
                    found[key] = try await city.raw(["TTL", key]).int
                }
                return found
            }
            for count in 1...commands.count {
                for command in commands.prefix(count) { try await city.send(command) }
                // As Redis does when the connection ends; refused where no transaction is open.
                _ = try? await city.raw(["DISCARD"])
                let found = try await lifetimes()
                #expect(found.values.allSatisfy { $0 > 3000 }, "after \(count) commands: \(found)")
                if count < commands.count, !found.isEmpty { try await city.raw(["DEL"] + found.keys) }
            }
            _ = try await city.command("catalog_use", "v1", "")
            let kept = try await lifetimes()
            #expect(kept.count == 4 && kept.values.allSatisfy { $0 == -1 }, "\(kept)")
        }
    }

    @Test("B1 Only what differs has changed, and what was in use before expires")
    func changes() async throws {
        try await TestCity.run { city in
            try await stage(city, catalog("v1"))
            _ = try await city.command("catalog_use", "v1", "")
            try await city.advance(5000)
            try await stage(city, catalog("v2", stop: "Omega"))
            let outcome = try await city.command("catalog_use", "v2", "v1")
            // The line's summary names its ends.
            #expect(outcome["changed"]?.elements?.compactMap(\.text) == ["lines", "stops"])
            let marks = CatalogMarks(try await city.raw(["HGETALL", "{test}:catalog"]))
            #expect(marks.version == "v2")
            #expect(marks.changed[.stops] == 1_800_000_005_000 && marks.changed[.routes] == 1_800_000_000_000)
            #expect(try await city.raw(["TTL", "{test}:catalog:v1:stops"]).int ?? 0 > 3000)

            var own = CatalogMarks(try await city.raw(["HGETALL", "{test}:catalog"]))
            try await stage(city, catalog("v3"))
            _ = try await city.command("catalog_use", "v3", "v2")
            // In the same second: a second later, as the date of an answer has no less.
            own.advance(to: "v3", try await read(city, "v3").digests, at: 1_800_000_006_000)
            #expect(
                own == CatalogMarks(try await city.raw(["HGETALL", "{test}:catalog"])), "a worker comes to the same")
        }
    }

    @Test("B1 Whoever brings a version and is gone before it is told loses no change: the next one tells it first")
    func leftUntold() async throws {
        try await TestCity.run { city in
            try await stage(city, catalog("v1"))
            _ = try await city.command("catalog_use", "v1", "")
            try await stage(city, catalog("v2", stop: "Omega"))
            _ = try await city.command("catalog_use", "v2", "v1")
            #expect(try await city.last("catalog.changed", "catalog")?["version"]?.text == "v1")
            #expect(try await city.command("catalog_tell", "v1").isOK, "late, and no more its turn")
            #expect(try await city.told("catalog").count == 1)
            _ = try await city.command("catalog_tell", "v2")
            #expect(try await city.last("catalog.changed", "catalog")?["version"]?.text == "v2")
            #expect(try await city.told("catalog").count == 2)
        }
    }

    @Test("B1 The same catalog under another version changes nothing, and is told to nobody")
    func same() async throws {
        try await TestCity.run { city in
            try await stage(city, catalog("v1"))
            _ = try await city.command("catalog_use", "v1", "")
            try await stage(city, catalog("v2"))
            let outcome = try await city.command("catalog_use", "v2", "v1")
            #expect(outcome["version"]?.text == "v1")
            _ = try await city.command("catalog_tell", "v2")
            #expect(try await city.told("catalog").isEmpty)
            _ = try await city.command("catalog_tell", "v1")
            #expect(try await city.told("catalog").count == 1)
            #expect(try await city.field("catalog", "version") == "v1")
            #expect(try await city.raw(["TTL", "{test}:catalog:v1:stops"]).int == -1)
        }
    }

    @Test("B1 What is not whole, or comes after somebody else's change, is refused and changes nothing")
    func refused() async throws {
        try await TestCity.run { city in
            try await stage(city, catalog("v1"))
            _ = try await city.command("catalog_use", "v1", "")
            _ = try await city.command("catalog_tell", "v1")
            #expect(try await city.command("catalog_use", "nothing", "v1") == .refused("incomplete"))
            try await stage(city, catalog("v2", stop: "Omega"))
            #expect(try await city.command("catalog_use", "v2", "v0") == .refused("conflict"))
            try await city.raw(["HDEL", "{test}:catalog:v2:stops", "a"])
            #expect(try await city.command("catalog_use", "v2", "v1") == .refused("incomplete"))
            #expect(try await city.field("catalog", "version") == "v1")
            #expect(try await city.told("catalog").count == 1)
        }
    }

    @Test("A version of which something is missing or strange is not taken by a worker")
    func strange() async throws {
        for damage in [
            ["DEL", "{test}:catalog:v1:meta"], ["HDEL", "{test}:catalog:v1:stops", "a"],
            ["HSET", "{test}:catalog:v1:lines", "L", #"{"id":"L"}"#],
            ["HSET", "{test}:catalog:v1:lines", "L", "no json"],
            ["HSET", "{test}:catalog:v1:services", "d", "{}"], ["HDEL", "{test}:catalog:v1:lines", "L"],
        ] {
            try await TestCity.run { city in
                try await stage(city, catalog("v1"))
                try await city.raw(damage)
                #expect(try await read(city, "v1").problem != nil, "\(damage)")
            }
        }
    }
}
