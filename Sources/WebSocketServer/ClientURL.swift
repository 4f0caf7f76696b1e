/// `ws://host:port/path?query` or `wss://…`, taken apart. IPv6 hosts stand in brackets.
struct ClientURL: Hashable {
    let isSecure: Bool
    let host: String
    let port: Int
    /// Path and query.
    let target: String

    /// nil when it is not such a URL.
    init?(_ text: String) {
        var rest = text[...]
        if rest.hasPrefix("ws://") {
            isSecure = false
            rest = rest.dropFirst(5)
        } else if rest.hasPrefix("wss://") {
            isSecure = true
            rest = rest.dropFirst(6)
        } else {
            return nil
        }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end]
        let path = rest[end...]
        target = path.hasPrefix("/") ? String(path) : "/" + path

        let hostEnd: Substring.Index
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            host = String(authority[authority.index(after: authority.startIndex)..<bracket])
            hostEnd = authority.index(after: bracket)
        } else {
            hostEnd = authority.firstIndex(of: ":") ?? authority.endIndex
            host = String(authority[..<hostEnd])
        }
        let portText = authority[hostEnd...]
        if portText.isEmpty {
            port = isSecure ? 443 : 80
        } else {
            guard portText.hasPrefix(":"), let number = UInt16(portText.dropFirst()) else { return nil }
            port = Int(number)
        }
        guard !host.isEmpty else { return nil }
    }

    /// As it stands in the Host header.
    var hostHeader: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}
