internal import Glibc

/// Names under which a machine reaches itself, as they stand in `Host`.
enum LoopbackName {
    /// `127.255.255.255:65535` has 21 bytes.
    private static let longest = 32

    /// Whether `host`, in lower case, is localhost, 127.0.0.0/8 or [::1], each with or without a port, and nothing else:
    /// `127.0.0.1.evil.example` is somebody's domain.
    static func matches(_ host: String) -> Bool {
        guard host.utf8.count <= longest, let name = withoutPort(host) else { return false }
        if name == "localhost" || name == "[::1]" { return true }
        var address = in_addr()
        return inet_pton(AF_INET, name, &address) == 1 && UInt32(bigEndian: address.s_addr) >> 24 == 127
    }

    /// nil when what follows the name is no port.
    private static func withoutPort(_ host: String) -> String? {
        let end =
            host.hasPrefix("[") ? host.firstIndex(of: "]").map { host.index(after: $0) } : host.firstIndex(of: ":")
        guard let end, end < host.endIndex else { return host }
        let port = host[host.index(after: end)...]
        guard host[end] == ":", !port.isEmpty, port.utf8.allSatisfy({ (48...57).contains($0) }),
            Int(port) ?? .max < 65_536
        else { return nil }
        return String(host[..<end])
    }
}
