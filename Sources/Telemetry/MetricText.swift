/// The spelling of names, labels and numbers in Prometheus text.
enum MetricText {
    /// Endings that are no base units: Prometheus counts in seconds, bytes and metres.
    private static let wrongEndings = [
        "_ms", "_milliseconds", "_us", "_microseconds", "_ns", "_nanoseconds", "_minutes", "_hours", "_kb", "_mb",
        "_kilobytes", "_megabytes", "_km", "_percent",
    ]

    static func checkName(_ name: String, isCounter: Bool) {
        precondition(isName(name[...]), "\(name): a metric's name is letters, digits and _")
        precondition(isCounter || !name.hasSuffix("_total"), "\(name): only a counter ends in _total")
        let base = isCounter ? name.dropLast("_total".count) : name[...]
        precondition(!wrongEndings.contains { base.hasSuffix($0) }, "\(name): not a base unit")
    }

    /// `[a-zA-Z_][a-zA-Z0-9_]*`; colons are for rules of whoever collects.
    static func isName(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !isDigit(first) else { return false }
        return name.utf8.allSatisfy { byte in
            isDigit(byte) || byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// `name="value",…` as it stands between braces.
    static func labels(_ labels: KeyValuePairs<String, String>) -> String {
        labels.map { name, value in
            precondition(isName(name[...]) && !name.hasPrefix("__"), "\(name): a label's name is letters, digits and _")
            return "\(name)=\"\(escapedLabel(value))\""
        }.joined(separator: ",")
    }

    /// The same names, every value `other`.
    static func otherLabels(_ labels: KeyValuePairs<String, String>) -> String {
        labels.map { name, _ in "\(name)=\"other\"" }.joined(separator: ",")
    }

    static func escapedLabel(_ value: String) -> String {
        var out = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": out += "\\\\"
            case "\"": out += "\\\""
            case "\n": out += "\\n"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    static func escapedHelp(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        // Below 2^53 a whole number is exact.
        if value == value.rounded() && abs(value) < 9_007_199_254_740_992 { return String(Int64(value)) }
        return "\(value)"
    }
}
