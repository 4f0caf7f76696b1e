import Glibc
public import Logging
public import Settings
import Synchronization
import Wire

/// Structured logs on standard error: readable text on a terminal, one JSON object per line otherwise.
/// Tokens are never logged; clients are named by their session.
public enum HubLog {
    /// A logger of a part of the hub, at the level and in the form that the settings say.
    public static func logger(_ label: String, _ settings: Settings.Log) -> Logger {
        let isText: Bool
        switch settings.format {
        case .auto: isText = isatty(2) == 1
        case .text: isText = true
        case .json: isText = false
        }
        setLevel(settings)
        return Logger(label: label) { LineHandler(label: $0, isText: isText) }
    }

    /// The level of all loggers of this process, whoever has copies of them.
    static func setLevel(_ settings: Settings.Log) {
        let level = Logger.Level(rawValue: settings.level.rawValue) ?? .info
        LineHandler.level.withLock { $0 = level }
    }
}

/// Makes a line of each entry.
private struct LineHandler: LogHandler {
    let label: String
    let isText: Bool
    var metadata: Logger.Metadata = [:]
    fileprivate static let level = Mutex(Logger.Level.info)

    /// One for all: a reload changes it under copies that are kept.
    var logLevel: Logger.Level {
        get { Self.level.withLock { $0 } }
        set { Self.level.withLock { $0 = newValue } }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        LogWriter.standardError.write(line(event.level, "\(event.message)", fields)) { lost in
            line(.warning, "\(lost) lines of the log were lost: nobody read them in time")
        }
    }

    private func line(
        _ level: Logger.Level, _ message: String, _ fields: [(key: String, value: Logger.MetadataValue)] = []
    ) -> [UInt8] {
        isText ? textLine(level, message, fields) : jsonLine(level, message, fields)
    }

    private func textLine(
        _ level: Logger.Level, _ message: String, _ fields: [(key: String, value: Logger.MetadataValue)]
    ) -> [UInt8] {
        let level = level.rawValue.uppercased()
        let extra = fields.map { " \($0.key)=\($0.value)" }.joined()
        return Array("\(Self.clock(format: "%H:%M:%S")) \(level) \(label): \(message)\(extra)\n".utf8)
    }

    private func jsonLine(
        _ level: Logger.Level, _ message: String, _ fields: [(key: String, value: Logger.MetadataValue)]
    ) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("time", Self.clock(format: "%Y-%m-%dT%H:%M:%S"))
        json.member("level", level.rawValue)
        json.member("part", label)
        json.member("message", message)
        for (key, value) in fields {
            json.key(escaping: key)
            json.string("\(value)")
        }
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }

    /// The present UTC time, with milliseconds.
    private static func clock(format: String) -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        gmtime_r(&now.tv_sec, &parts)
        var buffer = [CChar](repeating: 0, count: 40)
        let length = strftime(&buffer, buffer.count, format, &parts)
        let milliseconds = String(1000 + now.tv_nsec / 1_000_000).dropFirst()
        return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) + ".\(milliseconds)Z"
    }
}
