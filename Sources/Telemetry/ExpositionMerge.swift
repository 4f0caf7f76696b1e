/// Prometheus texts of several workers as one: each family's HELP and TYPE once, each sample with a `worker` label.
public enum ExpositionMerge {
    /// The merged text, families in the order in which they come first, samples in the order of the workers.
    ///
    /// What isn't a whole, right line is left out, because one wrong line makes a collector drop everything. So is what
    /// follows the last line break: a text that was cut off there may show half a number. Where two workers differ in
    /// a family's type (two versions, in a restart), the first one's stands and the other's samples are left out.
    public static func merge(_ texts: [(worker: String, text: String)]) -> String {
        var merge = Merge()
        for (worker, text) in texts { merge.add(text, worker: worker) }
        return merge.text
    }
}

private struct Merge {
    private struct Family {
        var help: Substring?
        var type: Substring?
        var samples = ""
    }

    private var families: [Substring: Family] = [:]
    private var order: [Substring] = []

    var text: String {
        order.reduce(into: "") { text, name in
            guard let family = families[name], !family.samples.isEmpty else { return }
            if let help = family.help { text += "# HELP \(name) \(help)\n" }
            if let type = family.type { text += "# TYPE \(name) \(type)\n" }
            text += family.samples
        }
    }

    mutating func add(_ text: String, worker: String) {
        let label = "worker=\"\(MetricText.escapedLabel(worker))\""
        /// The family whose TYPE came last, if its samples are taken.
        var current: (name: Substring, type: Substring, isTaken: Bool)?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if let (name, help) = comment(line, "# HELP ") {
                touch(name)
                if families[name]?.help == nil { families[name]?.help = help }
            } else if let (name, type) = comment(line, "# TYPE ") {
                touch(name)
                if families[name]?.type == nil { families[name]?.type = type }
                current = (name, type, families[name]?.type == type)
            } else if let sample = Sample(line) {
                var name = sample.name
                if let current, owns(current.name, current.type, sample.name) {
                    guard current.isTaken else { continue }
                    name = current.name
                } else {
                    current = nil
                    touch(name)
                }
                let labels =
                    sample.hasWorker
                    ? String(sample.labels) : sample.labels.isEmpty ? label : "\(label),\(sample.labels)"
                families[name]?.samples += "\(sample.name){\(labels)} \(sample.value)\n"
            }
        }
    }

    private mutating func touch(_ name: Substring) {
        guard families[name] == nil else { return }
        families[name] = Family()
        order.append(name)
    }

    /// Name and rest of a comment that counts.
    private func comment(_ line: Substring, _ prefix: String) -> (Substring, Substring)? {
        guard line.hasPrefix(prefix) else { return nil }
        let rest = line.dropFirst(prefix.count)
        let name = rest.prefix { $0 != " " }
        guard MetricText.isName(name) else { return nil }
        return (name, rest.dropFirst(name.count + 1))
    }

    private func owns(_ family: Substring, _ type: Substring, _ name: Substring) -> Bool {
        if name == family { return true }
        guard type == "histogram" || type == "summary", name.hasPrefix(family) else { return false }
        return ["_bucket", "_sum", "_count"].contains(name.dropFirst(family.count))
    }
}

/// A line `name{labels} value`, with or without labels and a time.
private struct Sample {
    let name: Substring
    let labels: Substring
    let value: Substring

    /// Whether it says its worker by itself. Within quotes a quote is escaped, so this can't be part of a value.
    var hasWorker: Bool { labels.hasPrefix("worker=\"") || labels.contains(",worker=\"") }

    init?(_ line: Substring) {
        name = line.prefix { $0 != "{" && $0 != " " }
        guard MetricText.isName(name) else { return nil }
        var rest = line.dropFirst(name.count)
        if rest.first == "{" {
            guard let end = Self.endOfLabels(rest.utf8) else { return nil }
            let inside = rest[rest.index(after: rest.startIndex)..<end]
            labels = inside.hasSuffix(",") ? inside.dropLast() : inside
            rest = rest[rest.index(after: end)...]
        } else {
            labels = ""
        }
        guard rest.first == " " else { return nil }
        value = rest.drop { $0 == " " }
        let words = value.split(separator: " ")
        guard (1...2).contains(words.count), words.allSatisfy({ Double($0) != nil }) else { return nil }
    }

    /// Where the brace closes that opens the text: outside of quotes.
    private static func endOfLabels(_ text: Substring.UTF8View) -> String.Index? {
        var isQuoted = false
        var isEscaped = false
        for index in text.indices {
            switch text[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isQuoted
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "}") where !isQuoted: return index
            default: break
            }
        }
        return nil
    }
}
