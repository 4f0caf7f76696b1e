internal import Glibc

/// A peer's IP address, as sixteen bytes; IPv4 in its mapped form.
struct PeerAddress: Hashable {
    private(set) var high: UInt64 = 0
    private(set) var low: UInt64 = 0

    init(_ storage: sockaddr_storage) {
        withUnsafeBytes(of: storage) { bytes in
            switch storage.family {
            case AF_INET:
                let address = bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
                low = 0xFFFF_0000_0000 | UInt64(UInt32(bigEndian: address))
            case AF_INET6:
                let address = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)!
                high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: address, as: UInt64.self))
                low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: address + 8, as: UInt64.self))
            default: break
            }
        }
    }

    /// Numeric, as `text`, with a port or without; an IPv6 address may stand in brackets, and does before a port. nil: it is none.
    init?(_ text: Substring) {
        let text = Self.withoutPort(text)
        let isBracketed = text.first == "[" && text.last == "]"
        let plain = String(isBracketed ? text.dropFirst().dropLast() : text)
        var address = in_addr()
        var wide = in6_addr()
        if inet_pton(AF_INET, plain, &address) == 1 {
            low = 0xFFFF_0000_0000 | UInt64(UInt32(bigEndian: address.s_addr))
        } else if inet_pton(AF_INET6, plain, &wide) == 1 {
            withUnsafeBytes(of: wide) { bytes in
                high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
                low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
        } else {
            return nil
        }
    }

    private static func withoutPort(_ text: Substring) -> Substring {
        guard let colon = text.lastIndex(of: ":") else { return text }
        let (host, port) = (text[..<colon], text[text.index(after: colon)...])
        // The colons of an IPv6 address without brackets are its own.
        guard host.last == "]" || !host.contains(":"), (1...5).contains(port.utf8.count),
            port.utf8.allSatisfy({ (48...57).contains($0) })
        else { return text }
        return host
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    private var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// 127.0.0.0/8 or ::1.
    var isLoopback: Bool { isIPv4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

    /// What is counted as one client, and how many times its limit it may have: an IPv4 address; of IPv6 the /64 that a subscriber
    /// is given, and around it the /56 and the /48, which may be one customer's as well.
    var limitKeys: [(key: PeerAddress, share: Int)] {
        guard !isIPv4 else { return [(self, 1)] }
        // The lower half tells prefixes of different lengths apart.
        return [
            (PeerAddress(high: high, low: 0), 1), (PeerAddress(high: high & ~0xFF, low: 56), 2),
            (PeerAddress(high: high & ~0xFFFF, low: 48), 4),
        ]
    }

    /// The largest network that may be one client's: an IPv4 address, or of IPv6 the /48 around it.
    var network: PeerAddress { isIPv4 ? self : PeerAddress(high: high & ~0xFFFF, low: 48) }

    /// A place below `width` for each line, drawn by the seed, so that nobody can choose addresses that meet another's.
    func place(_ line: Int, of width: Int, seed: UInt64) -> Int {
        var hash = seed &+ UInt64(line) &* 0x9E37_79B9_7F4A_7C15
        for word in [high, low] {
            hash ^= word
            hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
            hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
            hash ^= hash >> 31
        }
        return Int(hash % UInt64(width))
    }

    /// Numeric: `192.0.2.7`, `2001:db8::7`.
    var text: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        if isIPv4 {
            var address = UInt32(truncatingIfNeeded: low).bigEndian
            inet_ntop(AF_INET, &address, &buffer, socklen_t(buffer.count))
        } else {
            var address = [high.bigEndian, low.bigEndian]
            inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count))
        }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension sockaddr_storage {
    /// AF_INET and so on. Its first field, read by its place: in which module the compiler finds the field's name depends on which files it
    /// compiles together.
    var family: Int32 { withUnsafeBytes(of: self) { Int32($0.load(as: UInt16.self)) } }
}
