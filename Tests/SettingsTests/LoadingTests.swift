import Settings
import Testing
import Wire

/// Loads a YAML text as a file, with an example city beside it.
private func load(
    _ yaml: String, environment: [String: String] = [:], flags: [String: String] = [:]
) throws -> LoadedSettings {
    let scratch = Scratch()
    scratch.write("zones-example.geojson", "{}")
    let file = scratch.write("k.yaml", yaml)
    return try Settings.load(
        file: file, environment: environment, flags: flags, exampleDirectories: [scratch.path])
}

/// The problems of a YAML text, with the file's directory taken off.
private func problems(
    _ yaml: String, environment: [String: String] = [:], flags: [String: String] = [:]
) -> [String] {
    do {
        _ = try load(yaml, environment: environment, flags: flags)
        return []
    } catch let error as SettingsError {
        return error.problems.map { problem in
            let text = problem.description
            return text.firstRange(of: "/k.yaml").map { "k.yaml" + text[$0.upperBound...] } ?? text
        }
    } catch {
        return ["\(error)"]
    }
}

@Suite struct LoadingTests {
    @Test func `Nothing configured gives the defaults and the example city`() throws {
        var settings = try load("").settings
        #expect(settings.zones.file.hasSuffix("/zones-example.geojson"))
        settings.zones.file = ""
        #expect(settings == Settings())
        #expect(settings.isLoopback)
        #expect(settings.tokenSecretFile == "data/token.secret")
    }

    @Test func `N2: file, environment and flags count in rising order`() throws {
        let yaml = "server:\n  port: 1000\n  workers: 3\ndispatch:\n  rounds: 5\n"
        let loaded = try load(
            yaml, environment: ["KERBSIDE_SERVER_PORT": "2000", "KERBSIDE_DISPATCH_ROUNDS": "6"],
            flags: ["server.port": "3000"])
        #expect(loaded.settings.server.port == 3000)
        #expect(loaded.settings.server.workers == 3)
        #expect(loaded.settings.dispatch.rounds == 6)
        #expect(loaded.sources["server.port"] == "flag server.port")
        #expect(loaded.sources["dispatch.rounds"] == "environment KERBSIDE_DISPATCH_ROUNDS")
        #expect(loaded.sources["server.workers"]?.hasSuffix("/k.yaml:3:12") == true)
        #expect(loaded.sources["eta.speed_kmh"] == nil)
    }

    @Test func `Every kind of value is read from the file`() throws {
        let scratch = Scratch()
        scratch.write("zones.geojson", "{}")
        scratch.write("a.pem", "")
        scratch.write("c.pem", "")
        scratch.write("k.pem", "", mode: 0o600)
        let file = scratch.write(
            "k.yaml",
            """
            server:
              host: "0.0.0.0"
              tls: {certificate: c.pem, key: k.pem}
              allowed_origins:
                - https://taxi.example
                - "*"
            city:
              id: milano-1
            zones: {file: zones.geojson, repair: true, margin_m: 12.5}
            redis:
              url: "unix:///run/redis.sock?db=3"
              fsync: always
            tokens:
              secret_file: secrets/token
              public_keys:
                - {kid: issuer-1, file: a.pem}
                - kid: issuer-2
                  file: a.pem
                  issuer: https://login.example/
                  audience: kerbside
                  roles: [driver, passenger]
                  claims: {role: realm_access.roles, kind: "https://kerbside/kind"}
                  values: {taxi-driver: driver, rider: passenger, kombi: minibus}
                  prefix: acme.
            log: {level: debug, format: json}
            eta: {speed_kmh: 30}
            """)
        let settings = try Settings.load(file: file).settings
        #expect(settings.server.allowedOrigins == ["https://taxi.example", "*"])
        #expect(settings.server.tls.certificate == scratch.path + "/c.pem")
        #expect(settings.server.tls.isOn)
        #expect(!settings.isLoopback)
        #expect(settings.city.id == "milano-1")
        #expect(settings.zones.file == scratch.path + "/zones.geojson")
        #expect(settings.zones.repair)
        #expect(settings.zones.marginM == 12.5)
        #expect(settings.redis.fsync == .always)
        #expect(!settings.redis.isEmbedded)
        #expect(settings.tokenSecretFile == scratch.path + "/secrets/token")
        var rules = IssuerRules()
        rules.issuer = "https://login.example/"
        rules.audience = "kerbside"
        rules.roles = [.driver, .passenger]
        rules.claims.role = "realm_access.roles"
        rules.claims.kind = "https://kerbside/kind"
        rules.values = ["taxi-driver": "driver", "rider": "passenger", "kombi": "minibus"]
        rules.prefix = "acme."
        #expect(
            settings.tokens.publicKeys == [
                .init(kid: "issuer-1", file: scratch.path + "/a.pem"),
                .init(kid: "issuer-2", file: scratch.path + "/a.pem", rules: rules),
            ])
        #expect(try Settings(decoding: settings.encoded()).tokens == settings.tokens)
        #expect(settings.log.level == .debug)
        #expect(settings.log.format == .json)
        #expect(settings.eta.speedKmh == 30)
    }

    @Test func `Lists come from the environment separated by commas`() throws {
        let scratch = Scratch()
        let key = scratch.write("a.pem", "")
        let settings = try load(
            "",
            environment: [
                "KERBSIDE_SERVER_ALLOWED_ORIGINS": "https://a.example, http://b.example:8000",
                "KERBSIDE_TOKENS_PUBLIC_KEYS": "one=\(key)",
            ]
        ).settings
        #expect(settings.server.allowedOrigins == ["https://a.example", "http://b.example:8000"])
        #expect(settings.tokens.publicKeys == [.init(kid: "one", file: key)])
    }

    @Test func `Lists come from flags as they stand in the file, too`() throws {
        let scratch = Scratch()
        let key = scratch.write("a.pem", "")
        let settings = try load(
            "",
            flags: [
                "vehicles.fares": #"["*: 5km=12.00 10km=18.50", "R7: 5km=9.00"]"#,
                "tokens.public_keys": "[{kid: one, file: \(key), roles: [driver]}]",
            ]
        ).settings
        #expect(settings.vehicles.fares == ["*: 5km=12.00 10km=18.50", "R7: 5km=9.00"])
        #expect(settings.tokens.publicKeys.first?.rules.roles == [.driver])
        for wrong in ["[", "[a", "[[a]]", "{a: b}", String(repeating: "[", count: 2_000)] {
            #expect(!problems("", flags: ["vehicles.fares": wrong]).isEmpty)
        }
    }

    @Test func `A section without lines and a file of comments are nothing`() throws {
        #expect(problems("# nothing\n") == [])
        #expect(problems("server:\n  # port: 1\ncity:\n") == [])
        #expect(problems("---\n") == [])
    }

    @Test func `All problems are reported at once with their places`() {
        let found = problems(
            """
            server:
              port: 99999
              prot: 80
              workers: many
            dispatch:
              rounds: -1
            """,
            environment: ["KERBSIDE_ETA_SPEED_KMH": "fast"], flags: ["log.levle": "info"])
        #expect(
            found == [
                "k.yaml:3:3: server.prot is no setting; did you mean server.port?",
                "k.yaml:2:9: server.port: expected a whole number from 0 to 65535, found \"99999\"",
                "k.yaml:4:12: server.workers: expected a whole number from 0 to 256, found \"many\"",
                "k.yaml:6:11: dispatch.rounds: expected a whole number from 1 to 20, found \"-1\"",
                "environment KERBSIDE_ETA_SPEED_KMH: eta.speed_kmh: expected a number from 1 to 200, found \"fast\"",
                "flag log.levle: log.levle is no setting; did you mean log.level?",
            ])
    }

    @Test(arguments: [
        ("server: 5", "k.yaml:1:9: server: expected the settings of this section, found \"5\""),
        ("- server", "k.yaml:1:1: expected sections such as server:, found a list"),
        ("just a text", "k.yaml:1:1: expected sections such as server:, found \"just a text\""),
        ("server:\n  port: \"80\"", "expected a whole number from 0 to 65535 without quotes, found \"80\" in quotes"),
        ("server:\n  port: 80.5", "found \"80.5\""),
        ("server:\n  port: 0x50", "found \"0x50\""),
        ("server:\n  port: 8_080", "found \"8_080\""),
        ("server:\n  port: [80]", "found a list"),
        ("server:\n  port: {a: 1}", "found a section"),
        ("server:\n  port: 99999999999999999999999", "from 0 to 65535"),
        ("server:\n  port:\n  workers: 1", "k.yaml:2:3: server.port: expected a whole number from 0 to 65535; leave"),
        ("server:\n  port: ~", "leave the line out to have the default, found nothing"),
        ("server:\n  allowed_origins: https://a.example", "expected a list"),
        ("server:\n  allowed_origins: [\"https://a.example/\"]", "expected \"https://host\""),
        ("server:\n  allowed_origins: [\"ftp://a.example\"]", "expected \"https://host\""),
        ("server:\n  allowed_origins: [\"https://A.example\"]", "expected \"https://host\""),
        ("server:\n  host: \"\"", "expected an address or host name"),
        ("server:\n  host: \"127.0.0.1:80\"", "expected an address or host name"),
        ("server:\n  host: \"http://localhost\"", "expected an address or host name"),
        ("server:\n  host: \"a b\"", "expected an address or host name"),
        ("city:\n  id: \"Milano {x}\"", "expected 1 to 32 of a-z"),
        ("city:\n  id: \"a\\u0000b\"", "without control characters"),
        ("zones:\n  repair: yes", "expected true or false, found \"yes\""),
        ("zones:\n  margin_m: .inf", "expected a number from 0 to 1000"),
        ("zones:\n  margin_m: nan", "expected a number from 0 to 1000"),
        ("redis:\n  fsync: sometimes", "expected everysec or always, found \"sometimes\""),
        ("redis:\n  url: \"rediss://host\"", "redis.url: expected \"redis://"),
        ("redis:\n  url: \"http://host\"", "redis.url: expected \"redis://"),
        ("store:\n  url: \"mysql://host\"", "store.url: expected \"postgresql://"),
        ("store:\n  url: \"sqlite://\"", "store.url: expected \"postgresql://"),
        ("redis:\n  url: \"redis://:pa/ss@host\"", "@ is written %40"),
        ("store:\n  url: \"postgresql://u:a@b@host/db\"", "@ is written %40"),
        ("store:\n  url: \"postgresql://u:a/b@host/db\"", "@ is written %40"),
        ("store:\n  url: \"postgresql://u:a%zz@host/db\"", "@ is written %40"),
        ("store:\n  url: \"postgresql://u:p@host:a/db\"", "@ is written %40"),
        ("store:\n  url: \"postgresql://u:p@[::1/db\"", "@ is written %40"),
        ("store:\n  url: \"postgresql://host/db?secret\"", "@ is written %40"),
        ("tokens:\n  public_keys: [a]", "with roles and more if wanted, found \"a\" in entry 1"),
        ("vehicles:\n  fares: [\"*: 5km=3\", x]", "10km=18.50\", found \"x\" in entry 2"),
        ("vehicles:\n  fares: [[]]", "10km=18.50\", found a list in entry 1"),
        ("tokens:\n  public_keys:\n    - {kid: a, file: b}\n    - {kid: c}", "wanted, found no file in entry 2"),
        ("tokens:\n  public_keys: [{file: b}]", "wanted, found no kid in entry 1"),
        ("tokens:\n  public_keys: [{kid: [a], file: b}]", "wanted, found a list for kid in entry 1"),
        ("tokens:\n  public_keys: {kid: a, file: b}", "expected a list of {kid"),
        ("tokens:\n  public_keys: [{kid: a, file: b, more: c}]", "expected of each key only kid, file"),
        ("tokens:\n  public_keys: [{kid: a, file: b, roles: [admin]}]", "expected roles: a list of driver"),
        ("tokens:\n  public_keys: [{kid: a, file: b, roles: []}]", "expected roles: a list of driver"),
        ("tokens:\n  public_keys: [{kid: a, file: b, scopes: [x]}]", "expected scopes: a list of events:personal"),
        ("tokens:\n  public_keys: [{kid: a, file: b, scopes: x}]", "expected scopes: a list of events:personal"),
        ("tokens:\n  public_keys: [{kid: a, file: b, claims: {name: x}}]", "expected in claims only subject"),
        ("tokens:\n  public_keys: [{kid: a, file: b, values: {x: admin}}]", "expected in values their word"),
        ("tokens:\n  public_keys: [{kid: a, file: b, prefix: 'a:'}]", "expected a prefix"),
        ("tokens:\n  public_keys: [{kid: a, file: b}, {kid: a, file: c}]", "expected each kid once"),
        ("data:\n  dir: \"\"", "expected a text that isn't empty"),
        ("clock:\n  scale: 0", "expected a number from 1 to 1000"),
        ("log:\n  level: loud", "expected trace, debug, info, notice, warning, error or critical"),
        ("server:\n\tport: 80", "k.yaml:2:1: a tab stands at the beginning of the line"),
        ("server:\n  port: 1\n  port: 2", "k.yaml:3:3: given more than once in its section: port"),
        ("server: {port: 1, port: 2}", "k.yaml:1:10: given more than once in its section: port"),
        ("log: {}\ncity: {}\nlog: {}", "k.yaml:3:1: given more than once in its section: log"),
        ("server.port: 1\nserver:\n  port: 2", "k.yaml:3:3: server.port: given more than once, also at "),
        ("server: {port: 1}\nserver.port: 1", "k.yaml:2:1: server.port: given more than once, also at "),
        (
            "server.tls: {key: a}\nserver:\n  tls:\n    key: a",
            "k.yaml:4:5: server.tls.key: given more than once, also at "
        ),
        ("server: {port: 1", "k.yaml:2:1: not YAML"),
        ("server:\n  port: 1\n workers: 2", "k.yaml:3:2: not YAML"),
        ("a: *nowhere", "not YAML"),
        ("? [a, b]\n: c", "expected a name, found a list"),
        ("sever:\n  port: 1", "k.yaml:1:1: sever is no setting; did you mean server?"),
        ("city:\n  zones: {}", "k.yaml:2:3: city.zones is no setting; did you mean zones?"),
        ("port: 1", "port is no setting; did you mean server.port?"),
        ("completely_unrelated_thing: 1", "k.yaml:1:1: completely_unrelated_thing is no setting"),
        ("---\nserver:\n  port: 1\n---\nserver:\n  port: 2\n", "not YAML"),
        (String(repeating: "[", count: 100_000), "brackets are nested more than 32 deep"),
        (String(repeating: "- ", count: 100_000), "brackets are nested more than 32 deep"),
        (String(repeating: "a: {", count: 100_000), "brackets are nested more than 32 deep"),
    ])
    func `A wrong text is reported where it stands`(yaml: String, expected: String) {
        let found = problems(yaml)
        #expect(found.contains { $0.contains(expected) }, "\(found)")
        #expect(found.allSatisfy { $0.hasPrefix("k.yaml") })
    }

    @Test func `A long wrong value is cut in its message`() {
        let found = problems("city:\n  id: " + String(repeating: "X", count: 5_000))
        #expect(found.count == 1)
        #expect(found[0].count < 200)
    }

    @Test func `A file that is missing, a directory, unreadable, too long or no text is said so`() throws {
        let scratch = Scratch()
        func reason(_ path: String) -> String {
            do {
                _ = try Settings.load(file: path, exampleDirectories: [])
                return ""
            } catch {
                return error.problems[0].description
            }
        }
        #expect(
            reason(scratch.path + "/no.yaml") == scratch.path + "/no.yaml: can't be read: No such file or directory")
        #expect(reason(scratch.path) == scratch.path + ": can't be read: Is a directory")
        let long = scratch.write("long.yaml", String(repeating: "# long\n", count: 200_000))
        #expect(reason(long).contains("larger than 1 MiB"))
        let latin = scratch.path + "/latin.yaml"
        try #require(FileBytes.write([0x61, 0x3A, 0x20, 0xE9, 0x0A], to: latin))
        #expect(reason(latin) == latin + ": isn't UTF-8 text")
        // Root reads everything, so this half needs another user.
        if !FileBytes.isRoot {
            let closed = scratch.write("closed.yaml", "", mode: 0o000)
            #expect(reason(closed).contains("Permission denied"))
        }
    }

    @Test func `A file that a setting names must be readable`() {
        let found = problems(
            "zones:\n  file: nowhere.geojson\n",
            flags: ["server.tls.certificate": "/no/c", "server.tls.key": "/no/k"])
        #expect(found.count == 3)
        #expect(found[2].hasPrefix("k.yaml:2:9: zones.file: "))
        #expect(found[2].hasSuffix("/nowhere.geojson can't be read: No such file or directory"))
        #expect(
            found[0]
                == "flag server.tls.certificate: server.tls.certificate: /no/c can't be read: No such file or directory"
        )
    }

    @Test func `Without zones and without the example city there is no start`() {
        #expect(throws: SettingsError.self) {
            try Settings.load(file: nil, exampleDirectories: [])
        }
    }

    @Test func `A variable that is no setting is only a warning`() throws {
        let loaded = try load(
            "",
            environment: [
                "KERBSIDE_PORT": "tcp://10.0.0.1:80", "KERBSIDE_SERVER_PROT": "1", "KERBSIDE_TEST_DATA": "x",
                "KERBSIDE_PARENT": "7",
            ])
        #expect(
            loaded.warnings.map(\.description) == [
                "environment KERBSIDE_PORT: no setting has this name",
                "environment KERBSIDE_SERVER_PROT: no setting has this name; did you mean KERBSIDE_SERVER_PORT?",
            ])
    }

    @Test func `A password in a wrong Redis URL is not shown`() {
        let found = problems("redis:\n  url: \"http://user:hunter2@host\"")
        #expect(found.count == 1)
        #expect(!found[0].contains("hunter2"))
    }
}
