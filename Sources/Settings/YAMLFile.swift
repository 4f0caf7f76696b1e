import Yams

/// The settings of a YAML text, one entry per dotted key, each with its place.
struct YAMLFile {
    struct Entry {
        let key: String
        let place: String
        let node: Node
    }

    private(set) var entries: [Entry] = []
    /// Where each setting of them stands, by its key.
    private var places: [String: String] = [:]
    private(set) var problems: [SettingsProblem] = []
    private let name: String

    /// Larger than any configuration; keeps a wrong file name from filling memory.
    private static let maxBytes = 1_048_576
    /// The deepest nesting that settings have is 4; the parser recurses, so it isn't given more than this.
    private static let maxDepth = 32

    init(text: String, name: String) {
        self.name = name
        guard Self.depth(text) <= Self.maxDepth else {
            problems.append(.init(place: name, text: "brackets are nested more than \(Self.maxDepth) deep"))
            return
        }
        do {
            guard let root = try Yams.compose(yaml: text) else { return }
            collect(root, prefix: "")
        } catch {
            problems.append(explain(error, in: text))
        }
    }

    /// Reads a file; a file that can't be read is a problem.
    init(path: String) {
        let problem: String
        do {
            let bytes = try TextFile.read(path, maxBytes: Self.maxBytes)
            if let text = String(validating: bytes, as: UTF8.self) {
                self.init(text: text, name: path)
                return
            }
            problem = "isn't UTF-8 text"
        } catch {
            problem = "can't be read: \(error.reason)"
        }
        self.init(text: "", name: path)
        problems.append(.init(place: path, text: problem))
    }

    /// One value that is written as in a file; nil when it is no YAML.
    static func node(_ text: String) -> Node? {
        guard depth(text) <= maxDepth else { return nil }
        return try? Yams.compose(yaml: text)
    }

    private mutating func collect(_ node: Node, prefix: String) {
        guard case .mapping(let mapping) = node else {
            if node.isNothing { return }  // a section whose lines are all comments
            let what = prefix.isEmpty ? "sections such as server:" : "the settings of this section"
            problems.append(.init(place: place(node), text: label(prefix) + "expected \(what), found \(node.found)"))
            return
        }
        for (keyNode, value) in mapping {
            guard let name = keyNode.scalar?.string else {
                problems.append(.init(place: place(keyNode), text: "expected a name, found \(keyNode.found)"))
                continue
            }
            let key = prefix.isEmpty ? name : prefix + "." + name
            if Settings.setting(key) != nil {
                // The parser finds what stands twice in one section, but not `server.port:` beside `server:` with its `port:`.
                if let first = places[key] {
                    problems.append(
                        .init(place: place(keyNode), text: "\(key): given more than once, also at \(first)"))
                    continue
                }
                places[key] = place(keyNode)
                entries.append(Entry(key: key, place: place(value, else: keyNode), node: value))
            } else if Settings.table.contains(where: { $0.key.hasPrefix(key + ".") }) {
                collect(value, prefix: key)
            } else {
                problems.append(.init(place: place(keyNode), text: Settings.unknown(key)))
            }
        }
    }

    private func label(_ prefix: String) -> String { prefix.isEmpty ? "" : prefix + ": " }

    private func place(_ node: Node, else other: Node? = nil) -> String {
        // A value that isn't there is marked where the next token stands: its key is the better place.
        let mark = (node.isNothing ? other?.mark : nil) ?? node.mark ?? other?.mark
        return mark.map { "\(name):\($0.line):\($0.column)" } ?? name
    }

    private func explain(_ error: any Error, in text: String) -> SettingsProblem {
        guard let error = error as? YamlError else { return .init(place: name, text: "\(error)") }
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let line = lines.indices.contains(mark.line - 1) ? lines[mark.line - 1] : ""
            let isTab = line.prefix { $0 == " " || $0 == "\t" }.contains("\t")
            return .init(
                place: "\(name):\(mark.line):\(mark.column)",
                text: isTab
                    ? "a tab stands at the beginning of the line; YAML indents with blanks only"
                    : "not YAML: \(problem)")
        case .reader(let problem, _, _, _):
            return .init(place: name, text: "not YAML: \(problem)")
        case .duplicatedKeysInMapping(let names, let context):
            // The parser marks the first one; what has to go is the second, if it is found.
            let second = names.lazy.compactMap { Self.lineOfSecond($0, after: context.mark, in: text) }.first
            return .init(
                place: "\(name):\(second ?? context.mark.line):\(context.mark.column)",
                text: "given more than once in its section: " + names.joined(separator: ", "))
        default:
            return .init(place: name, text: "not YAML")
        }
    }

    /// The line after a mark in which the same key stands in the same column.
    private static func lineOfSecond(_ key: String, after mark: Mark, in text: String) -> Int? {
        let start = String(repeating: " ", count: mark.column - 1) + key
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.dropFirst(mark.line).first { index in
            lines[index].hasPrefix(start) && lines[index].dropFirst(start.count).drop { $0 == " " }.first == ":"
        }.map { $0 + 1 }
    }

    /// How deep brackets, and list marks within a line, nest at most. Those in comments and texts count too, which a
    /// configuration can afford.
    private static func depth(_ text: String) -> Int {
        var brackets = 0
        var marks = 0
        var isAtStart = true
        var deepest = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                brackets += 1
                isAtStart = false
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                brackets = max(0, brackets - 1)
                isAtStart = false
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                marks = 0
                isAtStart = true
            case UInt8(ascii: "-") where isAtStart, UInt8(ascii: "?") where isAtStart: marks += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"): break
            default: isAtStart = false
            }
            deepest = max(deepest, brackets + marks)
        }
        return deepest
    }
}

extension Node {
    /// Whether nothing stands here: no value after a key, `~` or `null`.
    var isNothing: Bool {
        guard let scalar, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// What stands here, for messages.
    var found: String {
        switch self {
        case .mapping: return "a section"
        case .sequence: return "a list"
        case .alias: return "an alias"
        case .scalar(let scalar):
            if isNothing { return "nothing" }
            let short = scalar.string.count > 60 ? scalar.string.prefix(60) + "…" : scalar.string[...]
            return SettingValue.quoted(String(short)) + (scalar.style == .plain ? "" : " in quotes")
        }
    }
}

extension SettingKind {
    /// The value of a YAML node. Numbers and true/false are written without quotes.
    func read(_ node: Node) throws(Mismatch) -> SettingValue {
        switch (self, node) {
        case (.list(let form), .sequence(let sequence)):
            var items: [String] = []
            for (index, item) in sequence.enumerated() {
                do throws(Mismatch) {
                    guard let scalar = item.scalar, !item.isNothing else { throw Mismatch(expectation) }
                    try form.check(scalar.string)
                    items.append(scalar.string)
                } catch {
                    throw error.inEntry(index, item.found)
                }
            }
            return .list(items)
        case (.publicKeys, .sequence(let sequence)):
            var keys: [Settings.Tokens.PublicKey] = []
            for (index, item) in sequence.enumerated() {
                do throws(Mismatch) {
                    keys.append(try Settings.Tokens.PublicKey(item, expected: expectation))
                } catch {
                    throw error.inEntry(index, item.found)
                }
            }
            return .publicKeys(try Self.distinct(keys))
        case (.list, _), (.publicKeys, _):
            throw Mismatch(expectation)
        case (_, .scalar(let scalar)):
            guard !node.isNothing else { throw Mismatch(expectation + "; leave the line out to have the default") }
            if case .text = self { return try parse(scalar.string) }
            if scalar.style != .plain, case .choice = self { return try parse(scalar.string) }
            guard scalar.style == .plain else { throw Mismatch(expectation + " without quotes") }
            return try parse(scalar.string)
        default:
            throw Mismatch(expectation)
        }
    }
}
