import Foundation
import Settings
import Testing

@Suite struct PrintingTests {
    @Test func `N2: config/kerbside.yaml is the printed default`() throws {
        let printed = Settings().describe()
        let file = try String(contentsOfFile: packageRoot + "/config/kerbside.yaml", encoding: .utf8)
        if file != printed {
            try printed.write(toFile: packageRoot + "/.build/kerbside.yaml", atomically: true, encoding: .utf8)
        }
        #expect(file == printed, "renew it: cp .build/kerbside.yaml config/kerbside.yaml")
    }

    @Test func `The printed default reads back as the default`() throws {
        #expect(try Settings(decoding: Settings().describe()) == Settings())
    }

    @Test func `Every setting is printed, documented and named once`() {
        let printed = Settings().describe()
        for row in Settings.table {
            let name = row.key.split(separator: ".").last!
            #expect(printed.contains("  \(name): "))
            #expect(row.documentation.count > 15)
            #expect(row.documentation.hasSuffix(".") || row.documentation.hasSuffix("\"."), "\(row.key)")
        }
        #expect(Set(Settings.table.map(\.key)).count == Settings.table.count)
        #expect(Set(Settings.table.map(\.environmentName)).count == Settings.table.count)
        #expect(printed.split(separator: "\n").allSatisfy { $0.count <= 115 })
    }

    @Test func `The table reaches every field`() throws {
        // Each setting is given another value than its default; what isn't reached would still be the default.
        var flags: [String: String] = [:]
        let scratch = Scratch()
        let file = scratch.write("file", "", mode: 0o600)
        for row in Settings.table {
            let old = row.text(of: Settings())
            switch row.key {
            case "server.host": flags[row.key] = "127.0.0.2"
            case "server.allowed_origins", "drivers.public_url": flags[row.key] = "https://a.example"
            case "redis.url": flags[row.key] = "redis://h"
            case "store.url": flags[row.key] = "none"
            case "redis.fsync": flags[row.key] = "always"
            case "tokens.public_keys": flags[row.key] = "a=\(file)"
            case "stops.hours": flags[row.key] = "06:00-22:00"
            case "vehicles.fares", "fares.slabs": flags[row.key] = "R7: 5km=12.00"
            case "fares.tolls": flags[row.key] = "22=2.50"
            case "fares.night_hours": flags[row.key] = "22:00-06:00"
            case "vehicles.currency": flags[row.key] = "ZAR"
            case "clock.start": flags[row.key] = "2026-02-16T15:58:00Z"
            case "pages.raster_tiles": flags[row.key] = "https://a.example/{z}/{x}/{y}.png"
            case "push.subject": flags[row.key] = "mailto:office@a.example"
            case "push.ca": flags[row.key] = file
            case "push.services": flags[row.key] = "push.a.example"
            case "log.level": flags[row.key] = "error"
            case "log.format": flags[row.key] = "json"
            default:
                if old == "false" || old == "true" {
                    flags[row.key] = old == "false" ? "true" : "false"
                } else if let number = Double(old) {
                    flags[row.key] = String(Int(number) + 1)
                } else if row.key.hasSuffix("file") || row.key.contains("tls.") {
                    flags[row.key] = file
                } else {
                    flags[row.key] = "other"
                }
            }
        }
        let changed = try Settings.load(file: nil, flags: flags).settings
        #expect(Settings.changedKeys(from: Settings(), to: changed).map(\.key) == Settings.table.map(\.key))
        #expect(try Settings(decoding: changed.encoded()) == changed)

        // Made of others when they are set.
        let derived = ["table", "tollsByZone"]
        var fields = 0
        func count(_ value: Any) {
            for child in Mirror(reflecting: value).children where !derived.contains(child.label ?? "") {
                if Mirror(reflecting: child.value).displayStyle == .struct,
                    !Mirror(reflecting: child.value).children.isEmpty,
                    "\(type(of: child.value))" != "String", !(child.value is Int), !(child.value is Double)
                {
                    count(child.value)
                } else {
                    fields += 1
                }
            }
        }
        count(Settings())
        #expect(fields == Settings.table.count)
    }

    @Test(arguments: [
        "", "a", "with \"quotes\" and \\ and 'single'", "tschüß 🚕", "# no comment", "a: b", "- x", "{x}", "yes", "~",
        "1",
        " blanks ", "%",
    ])
    func `Any text survives printing and encoding`(text: String) throws {
        var settings = Settings()
        settings.zones.idProperty = text
        settings.zones.file = text
        #expect(try Settings(decoding: settings.encoded()) == settings)
        #expect(try Settings(decoding: settings.describe()) == settings)
    }

    @Test func `Numbers print as people write them`() throws {
        var settings = Settings()
        settings.eta.detour = 1.35
        settings.positions.maxSpeedMps = 45
        #expect(settings.describe().contains("\n  detour: 1.35\n"))
        #expect(settings.describe().contains("\n  max_speed_mps: 45\n"))
    }

    @Test(arguments: [
        ("redis://user:secret@host:6379/2", "redis://****@host:6379/2"),
        ("redis://:secret@host", "redis://****@host"),
        ("redis://secret@host/0", "redis://****@host/0"),
        ("redis://user:se@cr:et@host", "redis://****@host"),
        ("unix:///run/r.sock?db=1&password=secret", "unix:///run/r.sock?db=1&password=****"),
        ("unix:///run/r.sock?passwort=secret&db=1", "unix:///run/r.sock?passwort=****&db=1"),
        ("unix:///run/r.sock?secret&db=1", "unix:///run/r.sock?****&db=1"),
        ("unix:///run/r.sock?password=a@secret", "unix://****"),
        ("redis://host:6379", "redis://host:6379"),
    ])
    func `A password is masked in print and kept in encoding`(url: String, masked: String) throws {
        var settings = Settings()
        settings.redis.url = url
        settings.store.url = "postgresql://user:secret@host/records?passwort=secret&sslmode=require"
        #expect(settings.describe().contains("\n  url: \"\(masked)\"\n"))
        #expect(
            settings.describe().contains("\n  url: \"postgresql://****@host/records?passwort=****&sslmode=require\"\n"))
        #expect(!settings.describe().contains("secret@") && !settings.describe().contains("=secret"))
        #expect(try Settings(decoding: settings.encoded()).redis.url == url)
    }

    @Test func `Where a value comes from is said behind it`() throws {
        let scratch = Scratch()
        scratch.write("zones-example.geojson", "{}")
        let loaded = try Settings.load(
            file: nil, environment: ["KERBSIDE_SERVER_PORT": "81"], exampleDirectories: [scratch.path])
        let printed = loaded.settings.describe(sources: loaded.sources)
        #expect(printed.contains("  port: 81  # from environment KERBSIDE_SERVER_PORT\n"))
        #expect(try Settings(decoding: printed) == loaded.settings)
    }

    @Test func `A reload tells what changed and what needs a restart`() {
        var new = Settings()
        new.server.port = 9
        new.dispatch.rounds = 3
        let changed = Settings.changedKeys(from: Settings(), to: new)
        #expect(changed.map(\.key) == ["server.port", "dispatch.rounds"])
        #expect(changed.filter { $0.takesEffect == .atRestart }.map(\.key) == ["server.port"])
        #expect(Settings.changedKeys(from: new, to: new).isEmpty)
    }

    @Test func `Environment names follow the keys`() {
        #expect(Settings.setting("server.tls.key")?.environmentName == "KERBSIDE_SERVER_TLS_KEY")
        #expect(Settings.setting("no.such") == nil)
    }
}
