import Glibc

/// Checked settings and where they came from.
public struct LoadedSettings: Sendable {
    public let settings: Settings
    /// For each setting that isn't its default, the place that set it: `config/kerbside.yaml:12:9`,
    /// `environment KERBSIDE_SERVER_PORT` or `flag server.port`.
    public let sources: [String: String]
    /// What is odd but does no harm: variables `KERBSIDE_…` that are no settings.
    public let warnings: [SettingsProblem]
}

extension Settings {
    /// Loads and checks the configuration: defaults, then the file, then the environment, then flags.
    ///
    /// All problems are reported at once. File names in the file are relative to its directory, those in the
    /// environment and in flags to the current one. Foundation-free, but it reads files: for start-up and reload only.
    ///
    /// - Parameters:
    ///   - file: path of the YAML file, or nil for none.
    ///   - environment: variables; those named `KERBSIDE_SECTION_KEY` count.
    ///   - flags: values by dotted key, such as `["server.port": "9000"]`.
    ///   - exampleDirectories: where `zones-example.geojson` is looked for when no zones are set; nil looks beside the
    ///     file, in `config` of the current directory, and in `config` of the directories above the program.
    public static func load(
        file: String?, environment: [String: String] = [:], flags: [String: String] = [:],
        exampleDirectories: [String]? = nil
    ) throws(SettingsError) -> LoadedSettings {
        var loader = SettingsLoader()
        if let file { loader.apply(YAMLFile(path: file), directory: directory(of: file)) }
        loader.apply(environment: environment)
        loader.apply(flags: flags)
        loader.takeExampleCity(from: exampleDirectories ?? exampleDirectoriesByDefault(file: file))
        loader.checkFiles()
        if let file { loader.checkAudience(of: file) }
        return try loader.finish()
    }

    /// The settings that ``encoded()`` wrote, for worker processes.
    public init(decoding text: String) throws(SettingsError) {
        var loader = SettingsLoader()
        loader.apply(YAMLFile(text: text, name: "encoded settings"), directory: "")
        self = try loader.finish().settings
    }

    /// The message for a name that is no setting.
    static func unknown(_ key: String) -> String {
        let sections = table.flatMap { row in
            row.key.indices.filter { row.key[$0] == "." }.map { String(row.key[..<$0]) }
        }
        let nearest = NearestName.of(key, in: table.map(\.key) + Set(sections).sorted())
        return "\(key) is no setting" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    static let exampleFile = "zones-example.geojson"

    private static func directory(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "" }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    private static func exampleDirectoriesByDefault(file: String?) -> [String] {
        var directories = file.map { [directory(of: $0)] } ?? []
        directories.append("config")
        // Built in a clone, the program is some directories below the one that has config/.
        if let program = realpath("/proc/self/exe", nil) {
            defer { free(program) }
            var directory = directory(of: String(cString: program))
            while directory.count > 1 {
                directories.append(directory + "/config")
                directory = self.directory(of: directory)
            }
        }
        return directories
    }
}

/// Applies values in rising order and collects problems.
private struct SettingsLoader {
    var settings = Settings()
    var sources: [String: String] = [:]
    var problems: [SettingsProblem] = []
    var warnings: [SettingsProblem] = []

    /// Variables of the hub that are no settings.
    private static let otherVariables: Set<String> = ["KERBSIDE_CONFIG", "KERBSIDE_PARENT", "KERBSIDE_TEST_DATA"]

    mutating func apply(_ file: YAMLFile, directory: String) {
        problems += file.problems
        for entry in file.entries {
            guard let row = Settings.setting(entry.key) else { continue }
            do {
                take(row, row.kind.resolved(try row.kind.read(entry.node), in: directory), from: entry.place)
            } catch {
                mismatch(row, error, found: error.found ?? entry.node.found, at: entry.place)
            }
        }
    }

    mutating func apply(environment: [String: String]) {
        var known: Set<String> = Self.otherVariables
        for row in Settings.table {
            known.insert(row.environmentName)
            guard let text = environment[row.environmentName] else { continue }
            apply(row, text, from: "environment \(row.environmentName)")
        }
        // Not refused: container platforms put variables of their own making into the environment
        // (a service called "kerbside" makes KERBSIDE_PORT and more).
        for name in environment.keys.sorted() where name.hasPrefix("KERBSIDE_") && !known.contains(name) {
            let nearest = NearestName.of(name, in: Settings.table.map(\.environmentName))
            let hint = nearest.map { "; did you mean \($0)?" } ?? ""
            warnings.append(.init(place: "environment \(name)", text: "no setting has this name" + hint))
        }
    }

    mutating func apply(flags: [String: String]) {
        for row in Settings.table {
            guard let text = flags[row.key] else { continue }
            apply(row, text, from: "flag \(row.key)")
        }
        for key in flags.keys.sorted() where Settings.setting(key) == nil {
            problems.append(.init(place: "flag \(key)", text: Settings.unknown(key)))
        }
    }

    private mutating func apply(_ row: Setting, _ text: String, from place: String) {
        do {
            take(row, try row.kind.parse(text), from: place)
        } catch {
            mismatch(row, error, found: error.found ?? SettingValue.quoted(String(text.prefix(60))), at: place)
        }
    }

    private mutating func take(_ row: Setting, _ value: SettingValue, from place: String) {
        row.set(&settings, value)
        sources[row.key] = place
    }

    private mutating func mismatch(_ row: Setting, _ mismatch: Mismatch, found: String, at place: String) {
        let shown = row.isSecret ? "something else (not shown, it may hold a password)" : found
        problems.append(.init(place: place, text: "\(row.key): expected \(mismatch.expected), found \(shown)"))
    }

    /// Without zones of one's own the hub serves the example city.
    mutating func takeExampleCity(from directories: [String]) {
        guard settings.zones.file.isEmpty else { return }
        let candidates = directories.map { ($0.isEmpty ? "" : $0 + "/") + Settings.exampleFile }
        if let found = candidates.first(where: { TextFile.whyUnreadable($0) == nil }) {
            // Whole, so that what is printed means the same file wherever it is read.
            settings.zones.file = TextFile.absolute(found)
            sources["zones.file"] = "the example city"
        } else {
            problems.append(
                .init(
                    place: "",
                    text: "zones.file isn't set and the example city wasn't found (\(Settings.exampleFile)); "
                        + "set it to the GeoJSON file of your zones"))
        }
    }

    mutating func checkFiles() {
        for row in Settings.table {
            let names: [String] =
                switch (row.kind, row.get(settings)) {
                case (.text(.file), .text(let name)): name.isEmpty ? [] : [name]
                case (.publicKeys, .publicKeys(let keys)): keys.map(\.file)
                default: []
                }
            for name in names {
                guard let reason = TextFile.whyUnreadable(name) else { continue }
                problems.append(
                    .init(place: sources[row.key] ?? "", text: "\(row.key): \(name) can't be read: \(reason)"))
            }
        }
        checkKey()
        for (key, files) in [
            ("tokens.public_keys", settings.tokens.publicKeys.map(\.file)),
            ("tokens.revoked_file", [settings.tokens.revokedFile]),
            ("tokens.secret_file", [settings.tokens.secretFile]),
        ] {
            for open in files.compactMap(TextFile.openToAll) { refuse(key, open, "decide whose tokens count") }
        }
        let key = settings.server.tls.key
        // Its own mode is looked at by `checkKey`.
        if let open = TextFile.openToAll(key), open != key {
            refuse("server.tls.key", open, "decide by which key clients know the hub")
        }
    }

    private mutating func refuse(_ key: String, _ open: String, _ harm: String) {
        problems.append(
            .init(
                place: sources[key] ?? "", text: "\(key): others can write to \(open), and \(harm): chmod go-w \(open)")
        )
    }

    /// Who can write to the configuration decides whose tokens count, and who can read a password in it has what it is for.
    mutating func checkAudience(of file: String) {
        if let open = TextFile.openToAll(file) {
            let what = open == file ? "it" : open
            warnings.append(
                .init(
                    place: file,
                    text: "others can write to \(what), and decide what the hub does: chmod go-w \(open)"))
        }
        let secrets = Settings.table.filter { row in
            guard row.isSecret, case .text(let url) = row.get(settings) else { return false }
            return MaskedURL.of(url) != url && sources[row.key]?.hasPrefix(file + ":") == true
        }
        guard let secret = secrets.first, TextFile.audience(of: file) == .others else { return }
        warnings.append(
            .init(
                place: sources[secret.key] ?? file,
                text:
                    "\(secret.key): others can read the password in it: chmod 600 \(file), or set it by \(secret.environmentName)"
            ))
    }

    /// Whoever can read the private key can be this hub for its clients. A key that is kept for a group, as Debian's
    /// `ssl-cert`, is shared on purpose.
    private mutating func checkKey() {
        let key = settings.server.tls.key
        let place = sources["server.tls.key"] ?? ""
        switch TextFile.audience(of: key) {
        case .owner, nil: break
        case .group:
            warnings.append(
                .init(
                    place: place,
                    text: "server.tls.key: the group of \(key) can read it; if nobody else needs to: chmod 600 \(key)"))
        case .others:
            problems.append(
                .init(
                    place: place,
                    text:
                        "server.tls.key: others can read or write \(key), which is to be secret: chmod 600 \(key), or "
                        + "640 with a group that only this hub's user is in"))
        }
    }

    func finish() throws(SettingsError) -> LoadedSettings {
        let all = problems + settings.contradictions(sources: sources)
        guard all.isEmpty else { throw SettingsError(problems: all) }
        return LoadedSettings(settings: settings, sources: sources, warnings: warnings)
    }
}
