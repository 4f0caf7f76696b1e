internal import CLibpq
internal import Settings

/// Where the URL of a PostgreSQL leads, and by which `sslmode`, as libpq takes it: decoded, the last of parameters that stand twice, each
/// element of its lists, an address (`hostaddr`) before its host, and from the environment what the URL leaves open (`PGHOST`, `PGSERVICE`).
struct PostgresTarget {
    /// Those that refuse a connection without TLS.
    private static let encrypted = ["require", "verify-ca", "verify-full"]
    private static let advice = "?sslmode=verify-full, with sslrootcert where its certificate is your own"

    /// The first that is no socket and no loopback address; nil: all are.
    let otherMachine: String?
    /// What the URL says itself; nil: nothing.
    private let said: String?
    /// What a connection takes whatever else says; nil: what the URL and the environment say.
    let imposed: String?

    /// Nil: libpq can't read it, and connects nowhere.
    init?(_ url: String) {
        guard let given = Self.options(PQconninfoParse(url, nil)), let defaults = Self.options(PQconndefaults()) else {
            return nil
        }
        said = given["sslmode"]
        // What a service has that the URL names, libpq looks up when it connects.
        let service = given["service"] ?? given["servicefile"]
        otherMachine =
            service.map { "service \($0)" }
            ?? Self.otherMachine(
                hosts: given["host"] ?? defaults["host"] ?? "",
                addresses: given["hostaddr"] ?? defaults["hostaddr"] ?? "")
        if otherMachine == nil || said != nil {
            imposed = nil
        } else if service != nil {
            // The strongest: it takes the place of what the service says.
            imposed = "verify-full"
        } else {
            imposed = Self.encrypted.contains(defaults["sslmode"] ?? "") ? nil : "require"
        }
    }

    /// Why what is recorded could be read on its way, or who answers is not said; nil: neither.
    var exposure: String? {
        guard let otherMachine else { return nil }
        if let said {
            guard !Self.encrypted.contains(said) else { return nil }
            return """
                \(otherMachine) is another machine, and with sslmode=\(said) records would cross the network in clear text when it \
                speaks no TLS: write \(Self.advice)
                """
        }
        return imposed.map {
            """
            \(otherMachine) is another machine, or may be one, and nothing says how TLS is spoken with it. The hub connects with \
            sslmode=\($0) only, so that nothing crosses the network in clear text: add \(Self.advice)
            """
        }
    }

    /// Each is an address, or a host where it has none. libpq refuses lists of which one is longer.
    private static func otherMachine(hosts: String, addresses: String) -> String? {
        let hosts = elements(hosts)
        guard !addresses.isEmpty else { return hosts.first { !isHere($0) } }
        return elements(addresses).enumerated().map { index, address in
            address.isEmpty && index < hosts.count ? hosts[index] : address
        }.first { !isHere($0) }
    }

    private static func elements(_ list: String) -> [String] {
        list.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Nothing is the default socket; a path, and a name behind '@', are sockets.
    private static func isHere(_ host: String) -> Bool {
        guard let first = host.utf8.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "@") else { return true }
        return Settings.isLoopback(host)
    }

    /// Those that have a value. Frees what libpq has made.
    private static func options(_ list: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String]? {
        guard let list else { return nil }
        defer { PQconninfoFree(list) }
        var options: [String: String] = [:]
        var next = list
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val { options[String(cString: keyword)] = String(cString: value) }
            next += 1
        }
        return options
    }
}
