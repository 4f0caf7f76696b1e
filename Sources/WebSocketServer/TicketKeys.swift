/// The keys that seal the tickets of TLS sessions: whoever has them resumes what another one has begun.
///
/// A key seals for a twelfth of the time that a ticket lives, and opens as long as tickets live that it has sealed. Then it is
/// forgotten: by it and a recording a connection of TLS 1.2 could be read. The next one is there ahead of its time, so that all
/// who share the keys have it before any of them seals with it.
public struct TicketKeys: Sendable, Equatable {
    struct Key: Sendable, Equatable {
        /// When it begins to seal, Unix s.
        var begins: Int64
        /// Stands in the ticket, in clear.
        var name: [UInt8]
        var cipher: [UInt8]
        var mac: [UInt8]
    }

    private static let periodsOfLife = 12
    private static let leastPeriodS = 2
    static let nameBytes = 16
    private static let keyBytes = 32
    private static let recordBytes = 8 + nameBytes + 2 * keyBytes

    /// How long a ticket lives, s.
    public let lifeS: Int
    /// By their beginnings; never none.
    private(set) var keys: [Key]

    /// New ones, to be used from this moment on, Unix s.
    public init(lifeS: Int, at now: Int64) {
        self.lifeS = lifeS
        keys = [Self.key(from: now)]
        keys = renewed(at: now).keys
    }

    /// What `encoded` gave. nil: it is not that.
    public init?(lifeS: Int, decoding bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count % Self.recordBytes == 0 else { return nil }
        self.lifeS = lifeS
        keys = []
        for start in stride(from: 0, to: bytes.count, by: Self.recordBytes) {
            var rest = bytes[start...]
            func take(_ count: Int) -> [UInt8] {
                defer { rest = rest.dropFirst(count) }
                return Array(rest.prefix(count))
            }
            let begins = take(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            keys.append(
                Key(
                    begins: Int64(truncatingIfNeeded: begins), name: take(Self.nameBytes), cipher: take(Self.keyBytes),
                    mac: take(Self.keyBytes)))
        }
        guard zip(keys, keys.dropFirst()).allSatisfy({ $0.begins <= $1.begins }) else { return nil }
    }

    public var encoded: [UInt8] {
        keys.flatMap { key in
            let begins = withUnsafeBytes(of: key.begins.bigEndian) { Array($0) }
            return begins + key.name + key.cipher + key.mac
        }
    }

    /// How long a key seals, s.
    public var periodS: Int { max(Self.leastPeriodS, lifeS / Self.periodsOfLife) }

    /// How often those who share the keys should look for new ones, s: a key is known twice as long before it seals.
    public var lookEveryS: Int { max(1, periodS / 4) }

    /// The keys as they should be at this moment, Unix s: one that seals and the next one, and none that has nothing left to open.
    public func renewed(at now: Int64) -> TicketKeys {
        let (period, life) = (Int64(periodS), Int64(lifeS))
        var renewed = self
        // Left over when the clock was set back.
        renewed.keys.removeAll { $0.begins > now + period }
        // Nobody was there to make the next one in time.
        if renewed.keys.last.map({ $0.begins + period <= now }) ?? true { renewed.keys.append(Self.key(from: now)) }
        if let last = renewed.keys.last, last.begins <= now {
            renewed.keys.append(Self.key(from: last.begins + period))
        }
        // The last ticket that a key has sealed lives on for so long.
        renewed.keys.removeAll { $0.begins + period + life <= now }
        return renewed
    }

    /// The key that seals at this moment, Unix s.
    func sealing(at now: Int64) -> Key { keys.last { $0.begins <= now } ?? keys[0] }

    /// The key of that name.
    func opening(_ name: UnsafeBufferPointer<UInt8>) -> Key? { keys.first { $0.name.elementsEqual(name) } }

    private static func key(from begins: Int64) -> Key {
        // The system's generator.
        var random = SystemRandomNumberGenerator()
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: .min ... .max, using: &random) } }
        return Key(begins: begins, name: bytes(nameBytes), cipher: bytes(keyBytes), mac: bytes(keyBytes))
    }
}
