import RedisLink
import Testing
import Wire

@testable import Hub

/// Long lists are read in portions (portions.lua), and answered as if they had been read at once; some of it against a real Redis.
@Suite struct ListPortionTests {
    /// A list as a worker reads it, and how many hashes each call read. `between` is done before each portion but the first.
    private func read(
        _ city: TestCity, _ function: String, _ arguments: FunctionArguments, rest: @escaping ListPortions.Rest,
        between: @Sendable () async throws -> Void = {}
    ) async throws -> (reply: JSONValue, hashes: [Int]) {
        var list = ListPortions(rest: rest)
        var (name, given, hashes) = (function, arguments.values, [Int]())
        while true {
            let before = try await city.calls(of: "hgetall")
            let reply = try await city.call(name, with: given)
            hashes.append(try await city.calls(of: "hgetall") - before)
            switch list.take(.success(reply)) {
            case .more(let next, let arguments):
                (name, given) = (next, arguments.values)
                try await between()
            case .over(.ok(let json)): return (try JSONValue(parsing: json), hashes)
            case .over(let answer): throw Surprise("\(name) answered \(answer)")
            }
        }
    }

    private static let closed = 1_800_000_000_000

    /// `r_0` to `r_<count - 1>` of `A`, one after the other.
    private func drive(_ city: TestCity, _ count: Int) async throws {
        for n in 0..<count {
            try await city.raw([
                "HSET", "{test}:ride:r_\(n)", "receipt", "2027-\(n)", "driver", "A", "passenger", "p\(n)", "zone", "14",
                "payment", "cash", "paid", "paid", "closed_at", "\(Self.closed + n)",
            ])
            try await city.raw(["ZADD", "{test}:trips:driver:A", "\(Self.closed + n)", "r_\(n)"])
        }
    }

    private func trips(
        _ city: TestCity, from: String = "", limit: Int, between: @Sendable () async throws -> Void = {}
    ) async throws -> (reply: JSONValue, hashes: [Int]) {
        try await read(
            city, "trip_list",
            [
                "role": "driver", "subject": "A", "from": RedisArgument(from), "limit": RedisArgument(limit),
                "reader": "operator",
            ], rest: { ("trip_rows", ["role": "driver", "subject": "A", "reader": "operator", "trips": $0]) },
            between: between)
    }

    private func ids(_ reply: JSONValue, _ list: String, _ name: String) -> [String] {
        reply[list]?.elements?.compactMap { $0[name]?.text } ?? []
    }

    @Test("M10: no call reads more than 25 trips, and a long page is what short ones are together")
    func pages() async throws {
        try await TestCity.run { city in
            try await drive(city, 120)
            let (long, hashes) = try await trips(city, limit: 100)
            #expect(hashes == [25, 25, 25, 25])
            #expect(ids(long, "trips", "trip") == (20..<120).reversed().map { "r_\($0)" })
            #expect(long["next"]?.text == "r_19")
            var (joined, from): ([JSONValue], String) = ([], "")
            for _ in 0..<5 {
                let page = try await city.command("trip_list", "driver", "A", from, "20", "operator")
                joined += page["trips"]?.elements ?? []
                from = page["next"]?.text ?? ""
            }
            #expect(joined == long["trips"]?.elements && from == "r_19")
            let (last, counts) = try await trips(city, from: "r_50", limit: 100)
            #expect(counts == [25, 25, 1])
            #expect(ids(last, "trips", "trip") == (0...50).reversed().map { "r_\($0)" } && last["next"] == nil)
            #expect(try await trips(city, limit: 25).hashes == [25])
            #expect(try await trips(city, limit: 26).hashes == [25, 1])
        }
    }

    @Test("M10: which trips a page has is settled when it is begun, whatever ends or goes while it is read")
    func changingPage() async throws {
        try await TestCity.run { city in
            try await drive(city, 120)
            let (reply, hashes) = try await trips(city, limit: 100) {
                // One ends; one is no longer kept, and the oldest go, with that at which the next page would begin.
                try await city.raw(["HSET", "{test}:ride:r_900", "receipt", "x", "driver", "A", "closed_at", "1"])
                try await city.raw(["ZADD", "{test}:trips:driver:A", "\(Self.closed + 900)", "r_900"])
                try await city.raw(["DEL", "{test}:ride:r_60"])
                try await city.raw(["ZREMRANGEBYRANK", "{test}:trips:driver:A", "0", "19"])
                // And this is somebody else's.
                try await city.raw(["HSET", "{test}:ride:r_61", "driver", "B"])
            }
            #expect(hashes == [25, 25, 25, 25])
            let kept = (20..<120).reversed().filter { $0 != 60 && $0 != 61 }
            #expect(ids(reply, "trips", "trip") == kept.map { "r_\($0)" })
            #expect(reply["next"]?.text == "r_19")
        }
    }

    @Test("M13: no call reads more than 25 alarms; what rings meanwhile is told once, what is closed no more")
    func alarms() async throws {
        try await TestCity.run { city in
            for n in 0..<60 {
                try await city.raw([
                    "HSET", "{test}:sos:s_\(n)", "role", "driver", "subject", "T\(n)", "at", "\(Self.closed)", "rings",
                    "1",
                ])
                try await city.raw(["ZADD", "{test}:sos", "\(n)", "s_\(n)"])
            }
            func list(
                _ closed: RedisArgument, between: @Sendable () async throws -> Void = {}
            ) async throws -> (reply: JSONValue, hashes: [Int]) {
                try await read(
                    city, "sos_list", ["closed": closed],
                    rest: { ("sos_rows", ["closed": closed, "alarms": $0]) }, between: between)
            }
            let (open, hashes) = try await list("") {
                // Two ring and come last; one is closed.
                try await city.raw(["ZADD", "{test}:sos", "100", "s_3", "101", "s_30"])
                try await city.raw(["ZREM", "{test}:sos", "s_40"])
                try await city.raw(["ZADD", "{test}:sos-closed", "1", "s_40"])
                try await city.raw(["HSET", "{test}:sos:s_40", "closed_by", "o1", "closed_at", "\(Self.closed)"])
            }
            #expect(hashes == [25, 25, 10])
            #expect(ids(open, "alarms", "sos") == (0..<60).filter { $0 != 40 }.map { "s_\($0)" })
            #expect(open["more"] == .bool(false))
            let over = try await list("1").reply
            #expect(ids(over, "alarms", "sos") == ["s_40"])
        }
    }

    // MARK: how portions are joined

    private func reply(_ texts: String...) -> Result<RedisReply, RedisFailure> {
        .success(.array(texts.map { .string(Array($0.utf8)) }))
    }

    private func rows(_ text: String) -> Result<RedisReply, RedisFailure> { .success(.string(Array(text.utf8))) }

    private func words(_ step: ListPortions.Step) -> String {
        switch step {
        case .more(let function, let arguments): "\(function) \(arguments.values.count)"
        case .over(.ok(let json)): String(decoding: json, as: UTF8.self)
        case .over(.refused(let code, _, _)): code
        case .over(.unavailable): "unavailable"
        case .over(.failed(let text)): "failed: \(text)"
        }
    }

    /// What each answer to a call makes of a list, and how many bytes it brought.
    private func steps(_ answers: Result<RedisReply, RedisFailure>...) -> ([String], [Int]) {
        var list = ListPortions(rest: { ("rows", ["ids": $0]) })
        var (told, brought): ([String], [Int]) = ([], [])
        for answer in answers {
            told.append(words(list.take(answer)))
            brought.append(list.brought)
        }
        return (told, brought)
    }

    @Test func `portions are joined as one reply, also those of which nothing is left`() {
        let (told, brought) = steps(reply("+{\"a\":[1,2", "]}", "i j", "k", "l"), rows("+3,4"), rows("+"), rows("+5"))
        #expect(told == ["rows 1", "rows 1", "rows 1", "{\"a\":[1,2,3,4,5]}"])
        #expect(brought == [11, 4, 0, 2] && brought.reduce(0, +) == told.last?.utf8.count)
        #expect(steps(reply("+{\"a\":[", "]}", "i", "j"), rows("+"), rows("+5")).0.last == "{\"a\":[5]}")
        #expect(steps(reply("+{\"a\":[", "]}", "i"), rows("+")).0.last == "{\"a\":[]}")
    }

    @Test func `a list that comes whole is the answer, and a refusal, too`() {
        let (whole, bytes) = steps(rows("+{\"a\":[1]}"))
        #expect(whole == ["{\"a\":[1]}"] && bytes == [9])
        #expect(steps(rows("-not_found\nNo such page.")).0 == ["not_found"])
        #expect(steps(.success(.array([]))).0 == ["failed: an answer of an unknown form"])
    }

    @Test func `a portion that fails is the answer to all of it`() {
        let first = reply("+{\"a\":[1", "]}", "i", "j")
        #expect(steps(first, rows("+2"), .failure(.timeout)).0 == ["rows 1", "rows 1", "unavailable"])
        let (told, brought) = steps(first, .failure(.server("ERR x")))
        #expect(told == ["rows 1", "failed: ERR x"] && brought == [9, 0])
    }
}
