/// Ids of stops and trips are parts of messages: 1 to 64 visible characters of ASCII. What a feed has beyond that becomes such
/// an id here, that no other has; the feed's own is kept beside it.
struct FeedIDs {
    private var made: Set<String> = []

    /// `isTaken`: whether another of the feed's has it.
    mutating func usable(_ id: String, isTaken: (String) -> Bool) -> String {
        let isPlain = (1...64).contains(id.utf8.count) && id.utf8.allSatisfy(Self.isVisible)
        if isPlain, !made.contains(id) { return id }
        let bytes = id.utf8.prefix(64).map { Self.isVisible($0) ? $0 : UInt8(ascii: "_") }
        let base = String(decoding: bytes, as: UTF8.self)
        var usable = base
        var number = 1
        while made.contains(usable) || usable == id || isTaken(usable) {
            number += 1
            let suffix = "_\(number)"
            usable = base.prefix(64 - suffix.count) + suffix
        }
        made.insert(usable)
        return usable
    }

    private static func isVisible(_ byte: UInt8) -> Bool { (33...126).contains(byte) }
}
