extension Settings {
    /// The effective configuration as commented YAML, secrets masked; `config/kerbside.yaml` is this for the defaults.
    ///
    /// - Parameter sources: where values came from (``LoadedSettings/sources``); said behind each value.
    public func describe(sources: [String: String] = [:]) -> String {
        var out = """
            # Settings of the Kerbside hub, all of them.
            #
            # They come from this file ("kerbside serve --config FILE"), then from environment variables
            # (KERBSIDE_SERVER_PORT for server.port), then from flags; the later wins. Whatever is left out has the
            # default. "kerbside check-config FILE" tells what is wrong with a file, and on which line.
            #
            # In the names: _ms milliseconds, _s seconds, _m metres, _bytes bytes. File names are relative to this file.
            # A change takes effect at SIGHUP, without dropping a connection, or where said when the hub is restarted.

            """
        var open: [Substring] = []
        for row in Self.table {
            let path = row.key.split(separator: ".")
            let sections = Array(path.dropLast())
            let shared = zip(open, sections).prefix { $0 == $1 }.count
            for depth in shared..<sections.count {
                out += depth == 0 ? "\n" : ""
                out += indent(depth) + sections[depth] + ":\n"
            }
            open = sections
            let margin = indent(sections.count)
            let hint = row.kind.hint
            let effect = row.takesEffect == .atRestart ? "needs a restart" : ""
            let facts = [hint, effect].filter { !$0.isEmpty }.joined(separator: "; ")
            let text = row.documentation + (facts.isEmpty ? "" : " (\(facts))")
            for line in Self.wrapped(text, width: 112 - margin.count) { out += margin + "# " + line + "\n" }
            out += margin + path[path.count - 1] + ": " + row.text(of: self)
            out += sources[row.key].map { "  # from \($0)" } ?? ""
            out += "\n"
        }
        return out
    }

    /// All values, for ``init(decoding:)`` in a worker process. Holds secrets (the Redis password): hand it over by
    /// environment or pipe, never on a command line, which others can read.
    public func encoded() -> String {
        var out = ""
        var open: [Substring] = []
        for row in Self.table {
            let path = row.key.split(separator: ".")
            let sections = Array(path.dropLast())
            let shared = zip(open, sections).prefix { $0 == $1 }.count
            for depth in shared..<sections.count { out += indent(depth) + sections[depth] + ":\n" }
            open = sections
            out += indent(sections.count) + path[path.count - 1] + ": " + row.get(self).yaml + "\n"
        }
        return out
    }

    /// These settings with what of `fresh` takes effect at SIGHUP.
    public func reloaded(from fresh: Settings) -> Settings {
        var settings = self
        for row in Self.table where row.takesEffect == .atReload { row.set(&settings, row.get(fresh)) }
        return settings
    }

    /// The settings that differ. Which of them need a restart, their rows say (``Setting/takesEffect``).
    public static func changedKeys(from old: Settings, to new: Settings) -> [Setting] {
        table.filter { $0.get(old) != $0.get(new) }
    }

    private func indent(_ depth: Int) -> String { String(repeating: "  ", count: depth) }

    /// Words in lines of at most `width` letters.
    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty && line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return line.isEmpty ? lines : lines + [line]
    }
}

extension SettingKind {
    /// The range in short, for comments; empty where the documentation says it all.
    var hint: String {
        switch self {
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .number(let range):
            "\(SettingValue.number(range.lowerBound).yaml) to \(SettingValue.number(range.upperBound).yaml)"
        case .choice: expectation
        case .flag, .text, .list, .publicKeys: ""
        }
    }
}

extension Setting {
    /// Whether the value may hold a password.
    var isSecret: Bool {
        switch kind {
        case .text(.redisURL), .text(.storeURL): true
        default: false
        }
    }
}
