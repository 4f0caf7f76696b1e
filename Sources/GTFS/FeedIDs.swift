internal import Domain

/// Ids of lines, stops and trips are parts of messages and of channel names: 1 to 64 characters of a few. Those of a feed have
/// no such limit. One that goes beyond it becomes an id here that no other has; the feed's own is kept beside it.
///
/// A long one keeps its beginning and gets a digest of all of it: long ids often begin alike, and the id here must be the same
/// after the next import, whatever else has come into the feed.
struct FeedIDs {
    private static let maxBytes = 64
    /// Hexadecimal digits: among a million ids that begin alike, two have the same digest once in 500 feeds.
    private static let digestDigits = 12

    private let isAllowed: (UInt8) -> Bool
    private var made: Set<String> = []
    /// The last number behind each text that had to be told apart by one.
    private var numbers: [String: Int] = [:]

    /// Visible characters of ASCII.
    static var visible: FeedIDs { FeedIDs { (33...126).contains($0) } }
    /// What channel names are made of.
    static var named: FeedIDs { FeedIDs { Catalog.isID(String(UnicodeScalar($0))) } }

    private init(_ isAllowed: @escaping (UInt8) -> Bool) { self.isAllowed = isAllowed }

    /// `isTaken`: whether another of the feed's has it.
    mutating func usable(_ id: String, isTaken: (String) -> Bool) -> String {
        let isPlain = (1...Self.maxBytes).contains(id.utf8.count) && id.utf8.allSatisfy(isAllowed)
        if isPlain, !made.contains(id) { return id }
        let base = base(of: id)
        var usable = base
        while made.contains(usable) || usable == id || isTaken(usable) {
            let number = numbers[base, default: 1] + 1
            numbers[base] = number
            let suffix = "_\(number)"
            usable = base.prefix(Self.maxBytes - suffix.count) + suffix
        }
        made.insert(usable)
        return usable
    }

    private func base(of id: String) -> String {
        let isLong = id.utf8.count > Self.maxBytes
        let kept = id.utf8.prefix(isLong ? Self.maxBytes - 1 - Self.digestDigits : Self.maxBytes)
        let text = String(decoding: kept.map { isAllowed($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        return isLong ? text + "_" + Self.digest(id) : text
    }

    /// FNV-1a.
    private static func digest(_ id: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in id.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String((String(repeating: "0", count: 16 - digits.count) + digits).suffix(digestDigits))
    }
}
