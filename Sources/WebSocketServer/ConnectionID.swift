/// Names one connection of one server or client, for good: a slot number and the slot's generation.
///
/// An id that has outlived its connection names nothing, and is ignored wherever it is given.
public struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    /// Of no other connection that is open now.
    public var slot: Int { Int(truncatingIfNeeded: rawValue & 0xFFFF_FFFF) }
    var generation: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }

    init(slot: Int, generation: UInt32) {
        rawValue = UInt64(generation) << 32 | UInt64(slot)
    }

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public var description: String { "\(slot).\(generation)" }
}
