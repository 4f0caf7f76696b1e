import Glibc
import Settings
import Testing

/// The problems of some flags on top of the defaults.
private func problems(_ flags: [String: String]) -> [String] {
    let scratch = Scratch()
    scratch.write("zones-example.geojson", "{}")
    do {
        _ = try Settings.load(file: nil, flags: flags, exampleDirectories: [scratch.path])
        return []
    } catch {
        return error.problems.map(\.description)
    }
}

/// Each reads them in its own way: by the octal one 0127.0.0.1 is 87.0.0.1, a machine of somebody else.
private let otherForms = [
    "0127.0.0.1", "0177.0.0.1", "127.0.0.01", "127.000.0.1", "010.0.0.1", "127.1", "127.0.1", "2130706433",
    "0x7f.0.0.1", "127.0.0.1.", "127.0.0.", "127..0.1", "127.0.0.256", "localhost.", "::ffff:127.0.0.1",
    "::127.0.0.1", "::1%lo",
]

@Suite struct CheckTests {
    @Test func `A pipe in place of a file is refused at once`() {
        let scratch = Scratch()
        let path = scratch.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(problems(["zones.file": path]).first?.contains("a pipe, not a file") == true)
        #expect(throws: SettingsError.self) {
            try Settings.load(file: path, flags: [:], exampleDirectories: [scratch.path])
        }
    }

    @Test(arguments: ["0.0.0.0", "::", "192.168.1.4", "taxi.example", "128.0.0.1", "127.0.0.1.example"])
    func `Outside loopback TLS is required`(host: String) {
        let found = problems(["server.host": host])
        #expect(found.count == 1)
        #expect(
            found.first?.hasPrefix("flag server.host: server.host \(host) can be reached from other machines") == true)
        #expect(found.first?.contains("server.tls.certificate") == true)
    }

    @Test(arguments: otherForms) func `What only looks like a loopback address is none to listen on`(host: String) {
        let found = problems(["server.host": host])
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.contains("server.host \(host) can be reached from other machines") == true)
        #expect(!Settings.isLoopback(host))
    }

    @Test(arguments: otherForms + ["127.+0.0.1", "127.0.0.1 "])
    func `What only looks like a loopback address is another machine to connect to`(host: String) {
        var settings = Settings()
        settings.redis.url = host.contains(":") ? "redis://[\(host)]:6379/0" : "redis://\(host):6379/0"
        #expect(settings.exposedRedis?.text.hasPrefix("\(host) is another machine") == true)
        settings.redis.url = "redis://127.0.0.1:6379/0"
        #expect(settings.exposedRedis == nil)
    }

    @Test(arguments: ["127.0.0.1", "127.1.2.3", "::1", "localhost", "LOCALHOST"])
    func `On loopback plain text is allowed`(host: String) {
        #expect(problems(["server.host": host]) == [])
        #expect(problems(["server.host": host, "clock.scale": "60"]) == [])
    }

    @Test func `With TLS any host is allowed, and a scaled clock still is not`() {
        let scratch = Scratch()
        let tls = [
            "server.tls.certificate": scratch.write("c", ""), "server.tls.key": scratch.write("k", "", mode: 0o600),
        ]
        #expect(problems(tls.merging(["server.host": "0.0.0.0"]) { $1 }) == [])
        let found = problems(tls.merging(["server.host": "0.0.0.0", "clock.scale": "60"]) { $1 })
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("flag clock.scale: clock.scale 60.0 is for replays") == true)
        let start = ["server.host": "0.0.0.0", "clock.start": "2026-02-16T15:58:00Z"]
        #expect(problems(tls.merging(start) { $1 }).count == 1)
    }

    @Test func `The clock may begin at a time in UTC, and at nothing else`() throws {
        #expect(problems(["clock.start": "2026-02-16T15:58:00Z"]) == [])
        for wrong in [
            "2026-02-16", "2026-02-30T00:00:00Z", "2026-02-16T24:00:00Z", "2026-02-16T15:58:00", "1771257480",
        ] {
            #expect(problems(["clock.start": wrong]).count == 1)
        }
        let instant = try #require(Instant("2026-02-16T15:58:07Z"))
        #expect(instant.unixMs == 1_771_257_487_000)
        #expect(instant.description == "2026-02-16T15:58:07Z")
        #expect(Instant(unixMs: -1).description == "1969-12-31T23:59:59Z")
    }

    @Test(arguments: [(0o600, true, 0), (0o640, true, 1), (0o400, true, 0), (0o644, false, 0), (0o602, false, 0)])
    func `A private key that others can read is refused, one of a group is said`(mode: Int, isTaken: Bool, warned: Int)
        throws
    {
        let scratch = Scratch()
        scratch.write("zones-example.geojson", "{}")
        let key = scratch.write("k", "", mode: mode)
        let flags = ["server.tls.certificate": scratch.write("c", ""), "server.tls.key": key]
        let loaded = Result { () throws(SettingsError) in
            try Settings.load(file: nil, flags: flags, exampleDirectories: [scratch.path])
        }
        switch loaded {
        case .success(let loaded):
            #expect(isTaken)
            #expect(loaded.warnings.count == warned)
            #expect(loaded.warnings.allSatisfy { $0.description.contains("chmod 600 \(key)") })
        case .failure(let error):
            #expect(!isTaken)
            #expect(error.problems.count == 1)
            #expect(error.problems[0].description.hasPrefix("flag server.tls.key: "))
            #expect(error.problems[0].description.contains("chmod 600 \(key)"))
        }
    }

    @Test func `Certificate and key belong together`() {
        let scratch = Scratch()
        let file = scratch.write("one", "", mode: 0o600)
        #expect(problems(["server.tls.certificate": file]).count == 1)
        #expect(problems(["server.tls.key": file]).count == 1)
    }

    @Test(arguments: [
        ["server.dead_after_ms": "25000"],
        ["server.ping_ms": "75000"],
        ["server.offer_ping_ms": "7000"],
        ["server.max_outbound_bytes": "65536", "server.max_message_bytes": "65537"],
        ["server.commands_burst": "19"],
        ["dispatch.near_m": "100", "dispatch.arrived_m": "100"],
        ["dispatch.search_timeout_ms": "9999"],
        ["eta.long_m": "1000"],
        ["positions.map_accuracy_m": "49"],
    ])
    func `Values that contradict each other are refused`(flags: [String: String]) {
        let found = problems(flags)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("flag ") == true)
    }

    @Test func `The ends of every range are taken and what lies beyond is not`() throws {
        for row in Settings.table {
            let words = row.expectation.split(separator: " ")
            guard row.expectation.hasPrefix("a whole number from ") || row.expectation.hasPrefix("a number from "),
                let low = Double(words[words.count - 3]), let high = Double(words[words.count - 1])
            else { continue }
            let isWrong = "\(row.key): expected"
            func text(_ value: Double) -> String { String(Int(value)) }
            for value in [low, high] {
                #expect(!problems([row.key: text(value)]).contains { $0.contains(isWrong) }, "\(row.key) \(value)")
            }
            for value in [low - 1, high + 1] {
                #expect(problems([row.key: text(value)]).contains { $0.contains(isWrong) }, "\(row.key) \(value)")
            }
        }
    }

    @Test(arguments: [
        ("{kid: a, file: F}, {kid: b, file: F}", "a and b have no prefix"),
        ("{kid: a, file: F, issuer: x}, {kid: b, file: F, issuer: y}", "a and b have no prefix"),
        ("{kid: a, file: F, issuer: x}, {kid: b, file: F}", "a and b have no prefix"),
        ("{kid: a, file: F, prefix: a.}, {kid: b, file: F, prefix: a.}", "the prefixes a. and a. one begins with"),
        (
            "{kid: a, file: F, prefix: ac}, {kid: b, file: F, prefix: acme.}",
            "the prefixes ac and acme. one begins with"
        ),
        (
            "{kid: a, file: F, prefix: acme.}, {kid: b, file: F, prefix: ac}",
            "the prefixes acme. and ac one begins with"
        ),
        ("{kid: a, file: F, issuer: x, prefix: ac}, {kid: b, file: F, issuer: x, prefix: acme.}", "one begins with"),
        ("{kid: a, file: F, prefix: a.}, {kid: b, file: F}, {kid: c, file: F}", "b and c have no prefix"),
        ("{kid: a, file: F, issuer: Z\u{FC}g}, {kid: b, file: F, issuer: Zu\u{308}g}", "a and b have no prefix"),
        ("{kid: a, file: F}", nil),
        ("{kid: a, file: F}, {kid: b, file: F, prefix: acme.}, {kid: c, file: F, prefix: bus.}", nil),
        ("{kid: a, file: F, issuer: x}, {kid: b, file: F, issuer: x}, {kid: c, file: F, prefix: c.}", nil),
        ("{kid: a, file: F, issuer: x, prefix: x.}, {kid: b, file: F, issuer: x, prefix: x.}", nil),
        ("{kid: a, file: F, issuer: x}, {kid: b, file: F, issuer: x, prefix: x.}", nil),
    ])
    func `No two issuers can name the same person`(keys: String, problem: String?) {
        let scratch = Scratch()
        let list = "[" + keys.replacing("F", with: scratch.write("key", "")) + "]"
        let found = problems(["tokens.public_keys": list])
        #expect(found.count == (problem == nil ? 0 : 1), "\(found)")
        if let problem { #expect(found.first?.contains(problem) == true, "\(found)") }
    }
}
