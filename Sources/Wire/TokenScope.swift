/// What a token may allow besides its role: words of its claim `scope`, with spaces between them (RFC 8693, 4.2).
public enum TokenScope: String, CaseIterable, Sendable {
    /// The fields of the city's events that are about passengers as persons; and what counts of somebody (`reliability.of`).
    case personalEvents = "events:personal"
    /// To say what became of payments: `payment.report`.
    case payments
}
