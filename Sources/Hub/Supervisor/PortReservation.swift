import Glibc

/// The hub's port, held by the supervisor for as long as it lives: workers come and go on it.
///
/// The socket is bound with `SO_REUSEPORT` and never listens, so it gets no connections; it finds the port where 0 was
/// asked for, and keeps it while a worker restarts.
public final class PortReservation {
    public let port: Int
    private let descriptor: Int32

    /// Throws a text that says by what means to find who has the port.
    public init(host: String, port: Int) throws(HubFailure) {
        // Two hubs could share a port by SO_REUSEPORT without knowing: the first bind goes without.
        close(try Self.bind(host, port, isShared: false).descriptor)
        (descriptor, self.port) = try Self.bind(host, port, isShared: true)
    }

    deinit { close(descriptor) }

    private static func bind(_ host: String, _ port: Int, isShared: Bool) throws(HubFailure) -> (
        descriptor: Int32, port: Int
    ) {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0, let address = list else {
            throw HubFailure(
                "server.host \(host) is no address of this machine: \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(list) }
        let descriptor = socket(
            address.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        if isShared { setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &one, socklen_t(MemoryLayout<Int32>.size)) }
        guard Glibc.bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw HubFailure(
                "port \(port) of \(host) can't be had: \(reason). See who has it with `ss -ltnp 'sport = :\(port)'`, "
                    + "or take another with --port (0 lets the system choose).")
        }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let bound = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                getsockname(descriptor, name, &length) == 0 ? UInt16(bigEndian: Self.portField(name)) : 0
            }
        }
        return (descriptor, Int(bound))
    }

    /// The port stands at the same offset in `sockaddr_in` and `sockaddr_in6`.
    private static func portField(_ name: UnsafeMutablePointer<sockaddr>) -> UInt16 {
        UnsafeRawPointer(name).load(fromByteOffset: 2, as: UInt16.self)
    }
}
