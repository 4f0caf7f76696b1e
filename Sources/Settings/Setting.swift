/// A row of the table of settings: all that loading, checking, environment names and printing need to know of one.
public struct Setting: Sendable {
    /// Dotted name, as in the file: `server.max_message_bytes`.
    public let key: String
    /// What it is for and why it has its default, in sentences.
    public let documentation: String
    /// When a change takes effect.
    public let takesEffect: TakesEffect

    let kind: SettingKind
    let get: @Sendable (Settings) -> SettingValue
    let set: @Sendable (inout Settings, SettingValue) -> Void

    public enum TakesEffect: Sendable {
        /// At SIGHUP, for connections already open too where it can.
        case atReload
        /// When the hub is started again.
        case atRestart
    }

    /// Name of the environment variable: `KERBSIDE_SERVER_MAX_MESSAGE_BYTES`.
    public var environmentName: String {
        "KERBSIDE_" + String(key.map { $0 == "." ? "_" : $0 }).uppercased()
    }

    /// What may stand there, in words: `a whole number from 0 to 65535`.
    public var expectation: String { kind.expectation }

    /// The effective value as text, secrets masked.
    public func text(of settings: Settings) -> String {
        kind.masked(get(settings)).yaml
    }
}

extension Setting {
    typealias Path<Value> = any WritableKeyPath<Settings, Value> & Sendable

    private init(
        _ key: String, _ kind: SettingKind, _ takesEffect: TakesEffect, _ documentation: String,
        get: @escaping @Sendable (Settings) -> SettingValue,
        set: @escaping @Sendable (inout Settings, SettingValue) -> Void
    ) {
        self.key = key
        self.kind = kind
        self.takesEffect = takesEffect
        self.documentation = documentation
        self.get = get
        self.set = set
    }

    static func integer(
        _ key: String, _ path: Path<Int>, _ range: ClosedRange<Int>, _ takesEffect: TakesEffect, _ documentation: String
    ) -> Setting {
        Setting(key, .integer(range), takesEffect, documentation) {
            .integer($0[keyPath: path])
        } set: {
            if case .integer(let value) = $1 { $0[keyPath: path] = value }
        }
    }

    static func number(
        _ key: String, _ path: Path<Double>, _ range: ClosedRange<Double>, _ takesEffect: TakesEffect,
        _ documentation: String
    ) -> Setting {
        Setting(key, .number(range), takesEffect, documentation) {
            .number($0[keyPath: path])
        } set: {
            if case .number(let value) = $1 { $0[keyPath: path] = value }
        }
    }

    static func flag(
        _ key: String, _ path: Path<Bool>, _ takesEffect: TakesEffect, _ documentation: String
    ) -> Setting {
        Setting(key, .flag, takesEffect, documentation) {
            .flag($0[keyPath: path])
        } set: {
            if case .flag(let value) = $1 { $0[keyPath: path] = value }
        }
    }

    static func text(
        _ key: String, _ path: Path<String>, _ form: TextForm, _ takesEffect: TakesEffect, _ documentation: String
    ) -> Setting {
        Setting(key, .text(form), takesEffect, documentation) {
            .text($0[keyPath: path])
        } set: {
            if case .text(let value) = $1 { $0[keyPath: path] = value }
        }
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ key: String, _ path: Path<Value>, _ takesEffect: TakesEffect, _ documentation: String
    ) -> Setting {
        Setting(key, .choice(Value.allCases.map(\.rawValue)), takesEffect, documentation) {
            .choice($0[keyPath: path].rawValue)
        } set: {
            if case .choice(let name) = $1, let value = Value(rawValue: name) { $0[keyPath: path] = value }
        }
    }

    static func list(
        _ key: String, _ path: Path<[String]>, _ form: TextForm, _ takesEffect: TakesEffect, _ documentation: String
    ) -> Setting {
        Setting(key, .list(form), takesEffect, documentation) {
            .list($0[keyPath: path])
        } set: {
            if case .list(let value) = $1 { $0[keyPath: path] = value }
        }
    }

    static func publicKeys(
        _ key: String, _ path: Path<[Settings.Tokens.PublicKey]>, _ takesEffect: TakesEffect, _ documentation: String
    ) -> Setting {
        Setting(key, .publicKeys, takesEffect, documentation) {
            .publicKeys($0[keyPath: path])
        } set: {
            if case .publicKeys(let value) = $1 { $0[keyPath: path] = value }
        }
    }
}
