/// What maps can show: the lines of feeds are words with spaces between them.
enum MapID {
    /// 1–64 of `A-Z a-z 0-9 _ . : -`.
    static func isVehicle(_ id: String) -> Bool { (1...64).contains(id.utf8.count) && id.utf8.allSatisfy(isPlain) }

    /// Likewise, the first a letter or digit, so that a lone `-` can mean "none".
    static func isRoute(_ id: String) -> Bool {
        guard let first = id.utf8.first else { return false }
        return isVehicle(id) && isLetterOrDigit(first)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || "_.:-".utf8.contains(byte) }
}
