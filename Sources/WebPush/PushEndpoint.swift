/// Where a push goes: an https URL at a push service that the hub sends to. Pure.
///
/// A person names it and the hub asks there, so it must not be led to a machine that only it can reach. It must be in its
/// normal form: in another spelling it would be another subscription, which is sent everything once more.
public struct PushEndpoint: Hashable, Sendable {
    /// As it was given.
    public let url: String
    /// `https://host`, with its port where that is not 443: for whom a voucher is.
    public let origin: String
    /// The service of those that were given.
    public let service: String

    /// Why it is none.
    public struct Mismatch: Error {
        /// After "expected".
        public let expected: String
    }

    /// services: hosts, hosts with a port, and `*.domain`.
    public init(_ url: String, services: [String]) throws(Mismatch) {
        let scheme = "https://"
        guard url.utf8.starts(with: scheme.utf8) else {
            throw Mismatch(expected: "an https URL, as the browser gave it")
        }
        let rest = url.utf8.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let place = String(Substring(authority))
        let parts = place.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let isPlain = parts[0].utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789.-".utf8.contains($0) }
        // No name and password, no address in brackets, no other spelling of a host.
        guard isPlain, !parts[0].isEmpty, authority.endIndex < rest.endIndex,
            rest[authority.endIndex] == UInt8(ascii: "/"),
            rest.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\") })
        else { throw Mismatch(expected: "an https URL of a host and a path, as the browser gave it") }
        let host = String(parts[0])
        var port = 443
        if parts.count == 2 {
            guard let number = Int(parts[1]), (1...65_535).contains(number), String(number) == parts[1], number != port
            else {
                throw Mismatch(
                    expected: "an https URL with a port of its own, in plain digits, or none: 443 is left out")
            }
            port = number
        }
        guard Self.isNormal(Substring(rest[authority.endIndex...])) else {
            throw Mismatch(expected: "an https URL as the browser gave it, without dot segments and needless per cents")
        }
        guard let service = services.first(where: { Self.covers($0, host, port) }) else {
            throw Mismatch(expected: "an endpoint at a push service that this hub sends to (push.services)")
        }
        self.url = url
        self.service = service
        origin = scheme + host + (port == 443 ? "" : ":\(port)")
    }

    /// Whether a path with its query is as the URL standard writes it, and has no per cent that isn't needed (RFC 3986, 6.2.2). Hexadecimal
    /// digits may be small letters: there are push services that write them so, and the URL standard leaves them.
    private static func isNormal(_ target: Substring) -> Bool {
        let path = target.prefix { $0 != "?" }
        // A browser encodes these.
        guard !path.contains(where: { "\"<>`{}".contains($0) }),
            !target.dropFirst(path.count).contains(where: { "\"<>'".contains($0) })
        else { return false }
        let segments = path.split(separator: "/").map { $0.lowercased().replacing("%2e", with: ".") }
        guard !segments.contains("."), !segments.contains("..") else { return false }
        return target.split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy { rest in
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy(\.isHexDigit), let byte = UInt8(digits, radix: 16) else {
                return false
            }
            return !unreserved.contains(byte)
        }
    }

    /// They need no per cent (RFC 3986, 2.3).
    private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    private static func covers(_ service: String, _ host: String, _ port: Int) -> Bool {
        if service.hasPrefix("*.") {
            let end = service.dropFirst(1)
            return port == 443 && host.hasSuffix(end) && host.utf8.count > end.utf8.count && host.first != "."
        }
        return service == host ? port == 443 : service == "\(host):\(port)"
    }
}
