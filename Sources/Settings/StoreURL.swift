/// The setting `store.url`: where records are kept. libpq takes apart what names a PostgreSQL, by these rules.
enum StoreURL {
    static func isPlausible(_ url: String) -> Bool {
        if url == "none" { return true }
        if url.hasPrefix("sqlite:///") { return url.utf8.count > "sqlite:///".utf8.count }
        return !url.contains(" ") && PostgresURL(url)?.isWhole == true
    }
}

/// The parts of `postgresql://user:password@host:port/database?name=value`, none of them decoded.
private struct PostgresURL {
    /// Up to the first '@', if no '/' comes before.
    let account: Substring
    /// Hosts with ports, separated by commas.
    let place: Substring
    let database: Substring
    let query: Substring

    /// Nil when it names no PostgreSQL.
    init?(_ url: String) {
        guard let scheme = ["postgresql://", "postgres://"].first(where: url.hasPrefix) else { return nil }
        var rest = url.dropFirst(scheme.count)
        let at = rest.prefix { $0 != "/" }.firstIndex(of: "@")
        account = rest[..<(at ?? rest.startIndex)]
        if let at { rest = rest[rest.index(after: at)...] }
        place = rest.prefix { $0 != "/" && $0 != "?" }
        rest = rest[place.endIndex...]
        database = rest.prefix { $0 != "?" }
        query = rest[database.endIndex...].dropFirst()
    }

    /// Whether each part can be what it is meant for. With an '@' or '/' in a password that is not percent-encoded, a piece of the password
    /// would be taken for a host, a port or a database, and stand in messages.
    var isWhole: Bool {
        [account, place, database, query].allSatisfy(Self.isDecodable)
            && !place.contains("@") && !database.contains("@")
            && place.split(separator: ",", omittingEmptySubsequences: false).allSatisfy(Self.isHost)
            && query.split(separator: "&").allSatisfy { $0.utf8.count { $0 == UInt8(ascii: "=") } == 1 }
    }

    /// Two hexadecimal digits behind each '%', and no zero byte.
    private static func isDecodable(_ text: Substring) -> Bool {
        text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy { piece in
            let digits = piece.utf8.prefix(2)
            return digits.count == 2 && digits.allSatisfy { UInt8(String(UnicodeScalar($0)), radix: 16) != nil }
                && !piece.hasPrefix("00")
        }
    }

    /// A host, a path or an address in brackets, with or without a port; empty is this machine.
    private static func isHost(_ text: Substring) -> Bool {
        var port = text.drop { $0 != ":" }
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return false }
            port = text[text.index(after: end)...]
        }
        guard port.first == ":" else { return port.isEmpty }
        return port.count == 1 || (1...65_535).contains(Int(port.dropFirst()) ?? 0)
    }
}
