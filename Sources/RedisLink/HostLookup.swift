internal import CHiredis
internal import EventLoop
internal import Glibc

/// Finds the addresses of a host name off the loop's thread. Used on the loop's thread; cancelled when released.
final class HostLookup {
    /// The addresses, numeric, IPv4 first (a server bound to 127.0.0.1 only is the usual one); or why there are none.
    typealias Body = (_ addresses: [String], _ failure: String) -> Void

    private var request: UnsafeMutablePointer<kb_redis_lookup>?
    private var addresses: [String] = []
    private let body: Body

    /// nil when the lookup can't be started.
    init?(loop: EventLoop, host: String, _ body: @escaping Body) {
        self.body = body
        let owner = Unmanaged.passUnretained(self).toOpaque()
        guard let request = kb_redis_lookup_start(loop.rawLoop, host, owner, onAddress, onDone) else { return nil }
        self.request = request
    }

    deinit { cancel() }

    static func isNumeric(_ host: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    }

    /// No call comes any more.
    func cancel() {
        if let request { kb_redis_lookup_cancel(request) }
        request = nil
    }

    fileprivate func found(_ address: String) { addresses.append(address) }

    fileprivate func done(_ code: Int32) {
        // libuv frees the request after this call.
        request = nil
        let isIPv6 = { (address: String) in address.utf8.contains(UInt8(ascii: ":")) }
        body(
            addresses.filter { !isIPv6($0) } + addresses.filter(isIPv6),
            code == 0 ? "it has no address" : String(cString: uv_strerror(code)))
    }
}

private func onAddress(_ owner: UnsafeMutableRawPointer?, _ address: UnsafePointer<CChar>?) {
    Unmanaged<HostLookup>.fromOpaque(owner!).takeUnretainedValue().found(String(cString: address!))
}

private func onDone(_ owner: UnsafeMutableRawPointer?, _ code: Int32) {
    Unmanaged<HostLookup>.fromOpaque(owner!).takeUnretainedValue().done(code)
}
