/// Something wrong with the configuration, with the place to put it right.
public struct SettingsProblem: Sendable, Equatable, CustomStringConvertible {
    /// `config/kerbside.yaml:12:9`, `environment KERBSIDE_SERVER_PORT`, `flag server.port`; empty for the whole.
    public let place: String
    /// What is wrong and what is expected: a sentence without a full stop.
    public let text: String

    package init(place: String, text: String) {
        self.place = place
        self.text = text
    }

    public var description: String { place.isEmpty ? text : "\(place): \(text)" }
}

/// All that is wrong with a configuration, one problem per line.
public struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    public let problems: [SettingsProblem]

    package init(problems: [SettingsProblem]) { self.problems = problems }

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// The nearest known name to one that was mistyped.
enum NearestName {
    /// The candidate with the least changes of letters, or nil when none is near enough to be meant.
    static func of(_ name: String, in candidates: [String]) -> String? {
        // The last part counts too: "sever.port", "port" and "server.zones" all have a name that was meant.
        func last(_ name: String) -> String { name.split(separator: ".").last.map(String.init) ?? name }
        var best: (distance: Int, name: String)?
        for candidate in candidates {
            let distance = min(
                distance(name, candidate), distance(name, last(candidate)) + 1, distance(last(name), candidate) + 1)
            if distance < best?.distance ?? .max { best = (distance, candidate) }
        }
        guard let best, best.distance <= max(2, name.count / 3) else { return nil }
        return best.name
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one into the other.
    static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a.lowercased().utf8.prefix(128))
        let b = Array(b.lowercased().utf8.prefix(128))
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i] + [Int](repeating: 0, count: b.count)
            for j in 1...b.count {
                row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    row[j] = min(row[j], beforeLast[j - 2] + 1)
                }
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
