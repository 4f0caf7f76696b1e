/// What is wrong with a Redis URL, and what it should look like.
public struct RedisURLError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
}

extension RedisEndpoint {
    /// Reads `redis://[[user]:password@]host[:port][/database]` or `unix://[[user]:password@]/path[?db=database]`.
    /// User and password may be percent-encoded, and must be where they hold one of `:@/?#%`. The port is 6379 unless
    /// given. The error never repeats the password.
    public init(url: String) throws(RedisURLError) {
        guard let scheme = url.firstRange(of: "://") else { throw Self.malformed("it has no scheme") }
        var rest = url[scheme.upperBound...]
        var account: (user: String?, password: String?) = (nil, nil)
        // The last one before the path: a password may hold an '@' that was not encoded.
        if let at = rest.prefix(while: { $0 != "/" }).lastIndex(of: "@") {
            account = try Self.account(rest[..<at])
            rest = rest[rest.index(after: at)...]
        }
        let address: Address
        let database: Int
        switch url[..<scheme.lowerBound] {
        case "redis": (address, database) = try Self.tcp(rest)
        case "unix", "redis+unix": (address, database) = try Self.unix(rest)
        case "rediss":
            throw RedisURLError(
                description: "Redis over TLS (rediss://) is not supported: use a unix socket, a private network, or a "
                    + "TLS tunnel such as stunnel on this machine")
        default: throw Self.malformed("its scheme is neither redis nor unix")
        }
        self.init(address, user: account.user, password: account.password, database: database)
    }

    private static func malformed(_ reason: String) -> RedisURLError {
        RedisURLError(
            description: "not a Redis URL (\(reason)); expected redis://user:password@host:6379/0 or unix:///path?db=0")
    }

    private static func account(_ text: Substring) throws(RedisURLError) -> (user: String?, password: String?) {
        let colon = text.firstIndex(of: ":")
        let user = try decoded(text[..<(colon ?? text.endIndex)])
        guard let colon else {
            throw malformed("a user needs a password after a colon")
        }
        let password = try decoded(text[text.index(after: colon)...])
        return (user.isEmpty ? nil : user, password.isEmpty ? nil : password)
    }

    private static func tcp(_ text: Substring) throws(RedisURLError) -> (Address, Int) {
        let slash = text.firstIndex(of: "/")
        var database = 0
        if let slash, text.index(after: slash) < text.endIndex {
            database = try number(text[text.index(after: slash)...], upTo: 65535, "the database")
        }
        var host = text[..<(slash ?? text.endIndex)]
        var port = 6379
        if host.first == "[" {
            guard let end = host.firstIndex(of: "]") else { throw malformed("a '[' without ']'") }
            let tail = host[host.index(after: end)...]
            if tail.first == ":" {
                port = try number(tail.dropFirst(), upTo: 65535, "the port")
            } else if !tail.isEmpty {
                throw malformed("something other than a port follows the address")
            }
            host = host[host.index(after: host.startIndex)..<end]
        } else if let colon = host.lastIndex(of: ":") {
            port = try number(host[host.index(after: colon)...], upTo: 65535, "the port")
            host = host[..<colon]
        }
        guard !host.isEmpty, port > 0 else { throw malformed("it names no host or no port") }
        return (.tcp(host: String(host), port: UInt16(port)), database)
    }

    private static func unix(_ text: Substring) throws(RedisURLError) -> (Address, Int) {
        let mark = text.firstIndex(of: "?")
        let path = try decoded(text[..<(mark ?? text.endIndex)])
        guard path.first == "/" else { throw malformed("the path of a unix socket has to start with '/'") }
        guard let mark else { return (.unix(path: path), 0) }
        let query = text[text.index(after: mark)...]
        guard query.hasPrefix("db=") else { throw malformed("after '?' only db=NUMBER is known") }
        return (.unix(path: path), try number(query.dropFirst(3), upTo: 65535, "the database"))
    }

    private static func number(_ text: Substring, upTo most: Int, _ what: String) throws(RedisURLError) -> Int {
        guard let value = Int(text), (0...most).contains(value) else {
            throw malformed("\(what) is not a number from 0 to \(most)")
        }
        return value
    }

    private static func decoded(_ text: Substring) throws(RedisURLError) -> String {
        var bytes: [UInt8] = []
        var input = text.utf8.makeIterator()
        while let byte = input.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = input.next(), let low = input.next(),
                let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
            else { throw malformed("a '%' is not followed by two hexadecimal digits") }
            bytes.append(value)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
