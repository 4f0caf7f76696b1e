/// Why a feed as a whole is refused, in a sentence that says what to do about it.
public struct FeedRefusal: Error, Equatable, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// One thing that an import found.
public struct FeedFinding: Equatable, Sendable, CustomStringConvertible {
    public enum Effect: String, CaseIterable, Sendable {
        /// Left out.
        case skipped
        /// Taken, but not as it stands there.
        case mended
        /// Taken as it is.
        case noted
    }

    public let effect: Effect
    /// The same for findings of the same kind.
    public let kind: String
    public let file: String
    /// The first is 1; nil: the file as a whole.
    public let line: Int?
    public let text: String

    /// `stops.txt:12: …`
    public var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(text)" }
}

/// What an import found, told one by one up to a number of each kind, and counted beyond.
public struct FeedReport: Sendable {
    public private(set) var findings: [FeedFinding] = []
    /// The lines on which nobody can ride.
    public internal(set) var idle = IdleLines()
    /// All of a kind, the told ones included, by `effect kind`.
    private var counts: [String: Int] = [:]
    private let told: Int

    public init(toldOfAKind: Int = FeedLimits().toldOfAKind) { told = toldOfAKind }

    mutating func add(
        _ effect: FeedFinding.Effect, _ kind: String, _ file: String, _ line: Int? = nil,
        _ text: @autoclosure () -> String
    ) {
        let key = effect.rawValue + " " + kind
        counts[key, default: 0] += 1
        guard counts[key, default: 0] <= told else { return }
        findings.append(
            FeedFinding(effect: effect, kind: kind, file: file, line: line, text: Self.shortened(text())))
    }

    /// For people: ids have no end in a feed, but a line of a report has. What is left tells them apart.
    static func shortened(_ text: String) -> String {
        func cut(_ text: Substring, _ most: Int) -> Substring {
            text.utf8.count <= most ? text : text.prefix(most / 2) + "…" + text.suffix(most / 4)
        }
        // A word may have more bytes than characters, and a text more words than anybody reads.
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { cut($0, 100) }
        return String(cut(words.joined(separator: " ")[...], 400))
    }

    /// How many there are of an effect, told or not.
    public func count(_ effect: FeedFinding.Effect) -> Int {
        counts.lazy.filter { $0.key.hasPrefix(effect.rawValue + " ") }.map(\.value).reduce(0, +)
    }

    /// For people: a line per finding, what is left out first, and how many more there are of a kind; at the end the lines
    /// without a ride.
    public var lines: [String] {
        var lines: [String] = []
        for effect in FeedFinding.Effect.allCases {
            var kinds: [String] = []
            for finding in findings where finding.effect == effect && !kinds.contains(finding.kind) {
                kinds.append(finding.kind)
            }
            for kind in kinds {
                let some = findings.filter { $0.effect == effect && $0.kind == kind }
                lines += some.map { "\(effect.rawValue): \($0)" }
                let more = counts[effect.rawValue + " " + kind, default: 0] - some.count
                if more > 0 { lines.append("\(effect.rawValue): … and \(more) more like the last") }
            }
        }
        return lines + idle.lines
    }
}
