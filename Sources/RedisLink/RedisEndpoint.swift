/// Where a Redis listens, and as whom to speak to it.
public struct RedisEndpoint: Equatable, Sendable {
    public enum Address: Equatable, Sendable {
        case unix(path: String)
        case tcp(host: String, port: UInt16)
    }

    public var address: Address
    /// An ACL user; nil means the default user.
    public var user: String?
    public var password: String?
    public var database: Int

    public init(_ address: Address, user: String? = nil, password: String? = nil, database: Int = 0) {
        self.address = address
        self.user = user
        self.password = password
        self.database = database
    }

    public static func unix(path: String, database: Int = 0) -> RedisEndpoint {
        RedisEndpoint(.unix(path: path), database: database)
    }

    public static func tcp(host: String, port: UInt16 = 6379) -> RedisEndpoint {
        RedisEndpoint(.tcp(host: host, port: port))
    }
}

extension RedisEndpoint: CustomStringConvertible {
    /// For people: without the password.
    public var description: String {
        let account = user.map { "\($0)@" } ?? ""
        switch address {
        case .unix(let path): return "unix://\(account)\(path)" + (database == 0 ? "" : "?db=\(database)")
        case .tcp(let host, let port):
            let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
            return "redis://\(account)\(name):\(port)/\(database)"
        }
    }
}
