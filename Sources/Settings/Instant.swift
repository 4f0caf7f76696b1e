import Domain

/// A second of the world's time, as settings write it: `2026-02-16T15:58:00Z`.
public struct Instant: Equatable, Sendable, CustomStringConvertible {
    public let unixMs: Int64

    /// The second that a time in Unix ms lies in.
    public init(unixMs: Int64) { self.unixMs = Self.whole(unixMs, by: 1000) * 1000 }

    /// Nil when the text is no such time.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let form = Array("0000-00-00T00:00:00Z".utf8)
        guard bytes.count == form.count,
            zip(bytes, form).allSatisfy({ $1 == UInt8(ascii: "0") ? (48...57).contains($0) : $0 == $1 }),
            let date = ServiceDate(String(text.prefix(10)))
        else { return nil }
        func number(_ at: Int) -> Int64 { Int64(bytes[at] - 48) * 10 + Int64(bytes[at + 1] - 48) }
        let (hour, minute, second) = (number(11), number(14), number(17))
        guard hour < 24, minute < 60, second < 60 else { return nil }
        unixMs = (Int64(date.days) * 86_400 + hour * 3600 + minute * 60 + second) * 1000
    }

    public var description: String {
        let seconds = unixMs / 1000
        let days = Self.whole(seconds, by: 86_400)
        let second = seconds - days * 86_400
        let clock = [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(ServiceDate(days: Int(days)))T\(clock.joined(separator: ":"))Z"
    }

    private static func whole(_ value: Int64, by unit: Int64) -> Int64 {
        value / unit - (value % unit < 0 ? 1 : 0)
    }
}
