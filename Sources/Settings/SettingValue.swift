/// A value of any setting, as it stands between the text that people write and the typed field.
enum SettingValue: Sendable, Equatable {
    case integer(Int)
    case number(Double)
    case flag(Bool)
    case text(String)
    /// One of a few words, printed without quotes.
    case choice(String)
    case list([String])
    case publicKeys([Settings.Tokens.PublicKey])

    /// As YAML on one line; reads back as the same value.
    var yaml: String {
        switch self {
        case .integer(let value): return String(value)
        case .number(let value): return value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : "\(value)"
        case .flag(let value): return value ? "true" : "false"
        case .text(let value): return Self.quoted(value)
        case .choice(let value): return value
        case .list(let values): return "[" + values.map(Self.quoted).joined(separator: ", ") + "]"
        case .publicKeys(let keys):
            return "[" + keys.map(\.yaml).joined(separator: ", ") + "]"
        }
    }

    /// The text in YAML's double quotes; control characters are escaped.
    static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                let hex = String(scalar.value, radix: 16, uppercase: true)
                out += "\\x" + (hex.count == 1 ? "0" : "") + hex
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}

/// Why a text is not a value of a setting: what is expected there.
struct Mismatch: Error {
    let expected: String
    /// What was found, where that is a part of the value only.
    let found: String?

    init(_ expected: String, found: String? = nil) {
        self.expected = expected
        self.found = found
    }

    /// Of an entry of a list, counted from 0.
    func inEntry(_ index: Int, _ entry: String) -> Mismatch {
        Mismatch(expected, found: "\(found ?? entry) in entry \(index + 1)")
    }
}

/// Type and range of a setting.
enum SettingKind: Sendable {
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case flag
    case text(TextForm)
    case choice([String])
    case list(TextForm)
    case publicKeys

    /// What may stand there, in words.
    var expectation: String {
        switch self {
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range):
            "a number from \(SettingValue.number(range.lowerBound).yaml) to \(SettingValue.number(range.upperBound).yaml)"
        case .flag: "true or false"
        case .text(let form): form.expectation
        case .choice(let words): words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
        case .list(let form): "a list, each \(form.expectation)"
        case .publicKeys: "a list of {kid: \"name\", file: \"key.pem\"}, with roles and more if wanted"
        }
    }

    /// A value written as one text: a YAML scalar, an environment variable or a flag. Lists are separated by commas, or
    /// written as in the file: `["a", "b"]`.
    func parse(_ text: String) throws(Mismatch) -> SettingValue {
        switch self {
        case .list where text.hasPrefix("["), .publicKeys where text.hasPrefix("["):
            guard let node = YAMLFile.node(text) else { throw Mismatch(expectation) }
            return try read(node)
        case .integer(let range):
            guard let value = Int(text), range.contains(value) else { throw Mismatch(expectation) }
            return .integer(value)
        case .number(let range):
            // Double(_:) takes hexadecimal, "nan" and "inf" too: those are slips, not settings.
            guard text.utf8.allSatisfy({ "0123456789.+-eE".utf8.contains($0) }), let value = Double(text),
                range.contains(value)
            else { throw Mismatch(expectation) }
            return .number(value)
        case .flag:
            switch text {
            case "true": return .flag(true)
            case "false": return .flag(false)
            default: throw Mismatch(expectation)
            }
        case .text(let form):
            try form.check(text)
            return .text(text)
        case .choice(let words):
            guard words.contains(text) else { throw Mismatch(expectation) }
            return .choice(text)
        case .list(let form):
            var items: [String] = []
            for item in Self.items(text) {
                try form.check(item)
                items.append(item)
            }
            return .list(items)
        case .publicKeys:
            var keys: [Settings.Tokens.PublicKey] = []
            for item in Self.items(text) {
                let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard halves.count == 2 else { throw Mismatch("\"kid=file\" pairs separated by commas") }
                keys.append(try .checked(kid: String(halves[0]), file: String(halves[1])))
            }
            return .publicKeys(try Self.distinct(keys))
        }
    }

    static func distinct(
        _ keys: [Settings.Tokens.PublicKey]
    ) throws(Mismatch) -> [Settings.Tokens.PublicKey] {
        guard Set(keys.map(\.kid)).count == keys.count else { throw Mismatch("each kid once") }
        return keys
    }

    private static func items(_ text: String) -> [String] {
        text.split(separator: ",").map { item in
            String(item.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }.filter { !$0.isEmpty }
    }

    /// The value with passwords hidden, for print-config and logs.
    func masked(_ value: SettingValue) -> SettingValue {
        switch (self, value) {
        case (.text(.redisURL), .text(let url)), (.text(.storeURL), .text(let url)): .text(MaskedURL.of(url))
        default: value
        }
    }

    /// The value with file names taken relative to a directory, as names in a file are meant relative to that file.
    func resolved(_ value: SettingValue, in directory: String) -> SettingValue {
        func join(_ name: String) -> String {
            name.isEmpty || name.hasPrefix("/") || directory.isEmpty ? name : directory + "/" + name
        }
        switch (self, value) {
        case (.text(.file), .text(let name)), (.text(.path), .text(let name)): return .text(join(name))
        case (.publicKeys, .publicKeys(let keys)):
            return .publicKeys(keys.map { .init(kid: $0.kid, file: join($0.file), rules: $0.rules) })
        default: return value
        }
    }
}
