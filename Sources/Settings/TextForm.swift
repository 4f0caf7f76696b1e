import Glibc

/// What a text setting must look like.
enum TextForm: Sendable {
    case any
    case nonEmpty
    /// An address or host name.
    case host
    case cityID
    /// Name of a file that must exist, or empty.
    case file
    /// Name of a file that may be made, or empty.
    case path
    case redisURL
    /// Where records are kept.
    case storeURL
    case origin
    /// Scheme and host at which others reach the hub, or empty.
    case publicURL
    /// Where pictures of a map come from, or empty.
    case tileURL
    /// Name of a token key.
    case keyID
    /// A line of fares.
    case fares
    /// A zone and what it costs to come into it.
    case toll
    /// Three capitals.
    case currency
    /// A time in UTC, or empty.
    case instant
    /// Name of an HTTP header, or empty.
    case headerName
    /// Whom to turn to, or empty.
    case contact
    /// Hosts of a push service.
    case pushService

    var expectation: String {
        switch self {
        case .any: "a text"
        case .nonEmpty: "a text that isn't empty"
        case .host: "an address or host name without a port, such as 127.0.0.1 or ::"
        case .cityID: "1 to 32 of a-z, 0-9, _ and -"
        case .file, .path: "the name of a file, or \"\""
        case .redisURL:
            "\"redis://user:password@host:port/db\" (in user and password @ is written %40, / is %2F and % is %25), \"unix:///path?db=0\" or \"\""
        case .storeURL:
            "\"postgresql://user:password@host:port/database\" (in user and password @ is written %40, / is %2F and % is %25), \"sqlite:///path\", \"none\" or \"\""
        case .origin: "\"https://host\", \"https://host:port\" (http as well) or \"*\""
        case .publicURL: "\"https://host\", \"https://host:port\" (http as well) or \"\""
        case .tileURL: "\"https://host/{z}/{x}/{y}.png\" (http as well), with {z}, {x} and {y} once each, or \"\""
        case .fares: "a route or *, a colon, and fares with rising distances: \"R7: 5km=12.00 10km=18.50\""
        case .toll: "a zone and what it costs to come into it: \"22=2.50\""
        case .currency: "a currency by its three letters, such as EUR"
        case .instant: "a time in UTC, as 2026-02-16T15:58:00Z, or \"\""
        case .headerName: "the name of an HTTP header, such as X-Forwarded-For, or \"\""
        case .contact: "\"mailto:name@host\", an https URL, or \"\""
        case .pushService: "\"host\", \"host:port\" or \"*.domain\", in lower case"
        case .keyID: "1 to 64 of A-Z, a-z, 0-9, _, ., : and -"
        }
    }

    func check(_ text: String) throws(Mismatch) {
        let isClean = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        guard isClean else { throw Mismatch("a text without control characters") }
        let isRight =
            switch self {
            case .any, .file, .path: true
            case .nonEmpty: !text.isEmpty
            case .host: Host.isPlausible(text)
            case .cityID:
                (1...32).contains(text.utf8.count)
                    && text.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_-".utf8.contains($0) }
            case .redisURL: text.isEmpty || RedisURL.isPlausible(text)
            case .storeURL: text.isEmpty || StoreURL.isPlausible(text)
            case .origin: text == "*" || Self.isOrigin(text)
            case .publicURL: text.isEmpty || Self.isOrigin(text)
            case .tileURL: text.isEmpty || TileURL.origin(text) != nil
            case .keyID: Identifier.isValid(text)
            case .fares: FareTable.Line(text) != nil
            case .toll: Settings.Fares.toll(text) != nil
            case .headerName:
                text.utf8.count <= 64 && text.utf8.allSatisfy { Identifier.isPlain($0) && $0 != UInt8(ascii: ".") }
            case .instant: text.isEmpty || Instant(text) != nil
            case .contact: text.isEmpty || PushService.isContact(text)
            case .pushService: PushService.isPlausible(text)
            case .currency: text.utf8.count == 3 && text.utf8.allSatisfy { (65...90).contains($0) }
            }
        guard isRight else { throw Mismatch(expectation) }
    }

    static func isOrigin(_ text: String) -> Bool {
        for scheme in ["https://", "http://"] where text.hasPrefix(scheme) {
            let host = text.dropFirst(scheme.count)
            return !host.isEmpty && host.utf8.allSatisfy { isHostByte($0) || $0 == UInt8(ascii: ":") }
        }
        return false
    }

    /// Letters are lower case: browsers send an origin so, and comparison is by bytes.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        "abcdefghijklmnopqrstuvwxyz0123456789.-_[]".utf8.contains(byte)
    }
}

/// Ids that go into channel names and Redis keys: 1 to 64 of `A-Z a-z 0-9 _ . : -`.
public enum Identifier {
    package static let longest = 64

    public static func isValid(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: ":") }
    }

    /// Whether the byte is one of `A-Z a-z 0-9 _ . -`.
    package static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_.-".utf8.contains(byte)
        }
    }

    /// Whether a token may be for it. Without a colon, which separates the parts of Redis keys and channels: no subject
    /// can be named so that its keys are another's.
    public static func isSubject(_ text: String) -> Bool { isValid(text) && !text.utf8.contains(UInt8(ascii: ":")) }
}

enum Host {
    /// An IPv4 or IPv6 address, or a host name: no scheme, no port, no blanks.
    static func isPlausible(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        // One colon would be a port; an IPv6 address has at least two.
        if colons == 1 { return false }
        let allowed = colons > 1 ? "0123456789abcdefABCDEF:.%" : "-_."
        return text.unicodeScalars.allSatisfy { scalar in
            allowed.unicodeScalars.contains(scalar)
                || (colons == 0 && scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                || (colons > 1 && text.contains("%") && scalar.isASCII && scalar.properties.isAlphabetic)
        }
    }

    /// Whether only this machine can reach it: 127.0.0.0/8, ::1 or localhost. An address is four plain numbers: what else
    /// looks like one (127.1, 0127.0.0.1, 127.0.0.01) is another to each who reads it; who connects takes 0127 for octal, so 87.
    static func isLoopback(_ host: String) -> Bool {
        if host == "::1" || host.lowercased() == "localhost" { return true }
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1 && UInt32(bigEndian: address.s_addr) >> 24 == 127
    }
}

/// Where pictures of a map come from. Its host goes into the pages' policy, and all of it into a browser.
enum TileURL {
    /// Scheme and host; nil when it is no such URL.
    static func origin(_ url: String) -> String? {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[1].isEmpty else { return nil }
        let origin = parts[..<3].joined(separator: "/")
        let isPlain = parts[3].utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"'<>;,\\`".utf8.contains($0) }
        guard TextForm.isOrigin(origin), isPlain else { return nil }
        let hasPlaces = ["{z}", "{x}", "{y}"].allSatisfy { parts[3].ranges(of: $0).count == 1 }
        // Another place to fill in, as {s} for a part of the host, is none that a page knows.
        return hasPlaces && parts[3].utf8.count { $0 == UInt8(ascii: "{") } == 3 ? origin : nil
    }
}

enum RedisURL {
    /// The two schemes that the hub can connect to, each with a place behind it. RedisLink takes it apart.
    static func isPlausible(_ url: String) -> Bool {
        if url.hasPrefix("unix:///") { return url.utf8.count > "unix:///".utf8.count }
        guard url.hasPrefix("redis://") else { return false }
        let rest = url.dropFirst("redis://".count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        // The path is a number: an '@' in it is one of a password with a '/', a piece of which would be taken for the host.
        return !host.isEmpty && !host.hasPrefix(":") && !url.contains(" ")
            && !rest.dropFirst(authority.count).contains("@")
    }

    /// The host of a `redis://` URL, without its port; nil for any other URL.
    static func host(_ url: String) -> String? {
        guard url.hasPrefix("redis://") else { return nil }
        let authority = url.dropFirst("redis://".count).prefix { $0 != "/" && $0 != "?" }
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        if place.hasPrefix("["), let end = place.firstIndex(of: "]") {
            return String(place[place.index(after: place.startIndex)..<end])
        }
        return String(place.prefix { $0 != ":" })
    }
}

extension Settings {
    /// Whether only this machine can reach a host: 127.0.0.0/8 in four plain numbers, ::1 or localhost. The one place that says so of what
    /// is listened on or connected to. Any thread.
    public static func isLoopback(_ host: String) -> Bool { Host.isLoopback(host) }
}
