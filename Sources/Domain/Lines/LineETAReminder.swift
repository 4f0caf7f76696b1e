/// Reminds once, so long before the bus may come at the earliest: a reminder that goes by the likely time is too late for
/// every other bus.
public struct LineETAReminder: Equatable, Sendable {
    /// Before the early bound, ms.
    public let leadMs: Int64
    /// It was told; the state to keep.
    public private(set) var isTold: Bool

    public init(leadMs: Int64, isTold: Bool = false) {
        self.leadMs = leadMs
        self.isTold = isTold
    }

    /// True once: when the early bound has come so near at `now`, Unix ms. An ETA that moves away again changes nothing.
    public mutating func isDue(_ eta: ETA, at now: Int64) -> Bool {
        guard !isTold, eta.early - now <= leadMs else { return false }
        isTold = true
        return true
    }
}
