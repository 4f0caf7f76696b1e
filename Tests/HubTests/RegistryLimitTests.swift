import RedisLink
import Testing
import Wire

@testable import Hub

/// How much operators can register: against a real Redis.
@Suite struct RegistryLimitTests {
    private static let kerbside = "kerbside:root"

    /// The arguments that write a record.
    private func record(_ kind: String, _ id: String, _ words: [String], _ name: String, by operator: String)
        -> [String]
    {
        let list = words.map { #""\#($0)""# }.joined(separator: ",")
        let able = words.isEmpty ? "" : #","capabilities":[\#(list)]"#
        guard kind == "driver" else {
            return [`operator`, #"{"vehicle":"\#(id)","plate":"\#(name)"\#(able)}"#, "code-\(id)", "", ""]
        }
        return [`operator`, #"{"driver":"\#(id)","name":"\#(name)"\#(able)}"#, ""]
    }

    /// Writes a record; the refusal, as text, or nil.
    private func set(
        _ city: TestCity, _ kind: String, _ id: String, _ words: [String] = [], name: String = "Ada",
        by operator: String = "office"
    ) async throws -> String? {
        let arguments = record(kind, id, words, name, by: `operator`)
        let reply = try await city.call("registry_set_\(kind)", arguments)
        switch RedisFunctions.answer(.success(reply)) {
        case .ok: return nil
        case .refused(let code, let detail, _): return "\(code): \(detail)"
        default: throw Surprise("registry_set_\(kind) answered \(reply)")
        }
    }

    private func remove(_ city: TestCity, _ kind: String, _ id: String) async throws -> TestCity.Outcome {
        try await city.command("registry_remove_\(kind)", "office", id, "")
    }

    private func number(_ city: TestCity, _ command: String, _ key: String) async throws -> Int64? {
        try await city.raw([command, "{test}:" + key]).int
    }

    @Test(
        "operators register 50,000 drivers and vehicles; one more is refused and changes nothing, until one is removed",
        arguments: ["driver", "vehicle"])
    func manyRecords(kind: String) async throws {
        try await TestCity.run { city in
            #expect(try await set(city, kind, "A1") == nil)
            try await city.raw(["HSET", "{test}:\(kind)s"] + (2..<50_000).flatMap { ["x\($0)", "{}"] })
            #expect(try await set(city, kind, "A2") == nil)
            let refused = try await set(city, kind, "A3", ["dogs"])
            #expect(refused?.hasPrefix("not_available: 50000 \(kind)s are registered") == true, "\(refused ?? "")")
            #expect(refused?.contains("\(kind)s.remove") == true)
            #expect(refused?.contains("kerbside \(kind)s import") == true)
            #expect(try await number(city, "HLEN", "\(kind)s") == 50_000)
            for key in ["words", "able:dogs"] { #expect(try await number(city, "EXISTS", key) == 0, "\(key)") }
            #expect(try await city.raw(["HEXISTS", "{test}:signs", "code-A3"]).int == 0)
            #expect(try await number(city, "XLEN", "audit") == 2)
            #expect(try await set(city, kind, "A1", ["dogs"], name: "Bo") == nil, "it is there already")
            #expect(try await set(city, kind, "A4", by: Self.kerbside) == nil, "the command line has no such limit")
            #expect(try await remove(city, kind, "A1").isOK)
            #expect(try await set(city, kind, "A3") != nil)
            #expect(try await remove(city, kind, "A2").isOK)
            #expect(try await set(city, kind, "A3") == nil)
        }
    }

    @Test(
        "what operators register has 200 different words of capabilities; one more is refused and changes nothing",
        arguments: ["driver", "vehicle"])
    func manyWords(kind: String) async throws {
        try await TestCity.run { city in
            for part in 0..<25 {
                let words = (0..<8).map { "w\(8 * part + $0)" }
                #expect(try await set(city, part.isMultiple(of: 2) ? "driver" : "vehicle", "B\(part)", words) == nil)
            }
            #expect(try await number(city, "HLEN", "words") == 200)
            let refused = try await set(city, kind, "A1", ["w0", "w199", "new1", "new2"])
            #expect(refused?.hasPrefix("not_available: field `capabilities`: ") == true, "\(refused ?? "")")
            #expect(refused?.contains("the word new1 ") == true && refused?.contains(" 200 ") == true)
            for key in ["able:w0", "able:w199"] { #expect(try await number(city, "SCARD", key) == 1, "\(key)") }
            #expect(try await number(city, "EXISTS", "able:new1") == 0)
            #expect(try await city.raw(["HEXISTS", "{test}:\(kind)s", "A1"]).int == 0)
            #expect(try await number(city, "XLEN", "audit") == 25)
            #expect(try await set(city, kind, "A1", ["w0", "w199"]) == nil, "others have these")
            #expect(try await set(city, kind, "A1", ["w0", "new1"]) != nil)
            #expect(try await remove(city, "vehicle", "B1").isOK)
            #expect(try await number(city, "HLEN", "words") == 192)
            #expect(try await set(city, kind, "A1", (0..<9).map { "new\($0)" }) != nil, "there is room for eight")
            #expect(try await set(city, kind, "A1", (0..<8).map { "new\($0)" }) == nil)
            #expect(try await set(city, kind, "A1", ["new0", "new8"]) == nil)
            #expect(try await number(city, "HLEN", "words") == 194)
            let more = (0..<8).map { "more\($0)" }
            #expect(try await set(city, kind, "A2", more, by: Self.kerbside) == nil, "it has no such limit")
            #expect(try await number(city, "HLEN", "words") == 202)
            #expect(try await set(city, kind, "A1", ["new0", "new8", "new9"]) != nil)
            #expect(try await set(city, kind, "A1", ["new0", "new9"]) == nil, "in the place of its own")
            #expect(try await number(city, "HLEN", "words") == 202)
        }
    }

    @Test("the words of a vehicle whose name is a driver's, who drives another one, are counted too")
    func hiddenWords() async throws {
        try await TestCity.run { city in
            #expect(try await set(city, "vehicle", "V0") == nil)
            let driver = #"{"driver":"V1","name":"Ada","vehicle":"V0"}"#
            let made = try await city.command("registry_set_driver", "office", driver, "")
            #expect(made.isOK)
            #expect(try await set(city, "vehicle", "V1", ["dogs", "estate"]) == nil)
            #expect(try await number(city, "EXISTS", "able:dogs") == 0, "nobody drives it")
            #expect(try await number(city, "HLEN", "words") == 2)
            #expect(try await remove(city, "driver", "V1").isOK)
            #expect(try await number(city, "SCARD", "able:dogs") == 1)
            #expect(try await number(city, "HLEN", "words") == 2)
        }
    }

    @Test("the words of records that a hub of before wrote are counted once")
    func before() async throws {
        try await TestCity.run { city in
            #expect(try await set(city, "driver", "A1", ["dogs", "estate"]) == nil)
            #expect(try await set(city, "vehicle", "B1", ["dogs"]) == nil)
            try await city.sweep()
            // As that hub left it.
            try await city.raw(["DEL", "{test}:words", "{test}:words-are-known"])
            #expect(try await set(city, "driver", "A2", ["dogs"]) == nil)
            for _ in 0..<2 {
                try await city.sweep()
                #expect(try await city.field("words", "dogs") == "3")
                #expect(try await city.field("words", "estate") == "1")
            }
            for id in ["A1", "A2"] { #expect(try await remove(city, "driver", id).isOK) }
            #expect(try await number(city, "HLEN", "words") == 1)
            #expect(try await remove(city, "vehicle", "B1").isOK)
            #expect(try await number(city, "EXISTS", "words") == 0)
        }
    }
}
