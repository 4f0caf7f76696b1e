/// Local addresses for many clients of one machine. A hub limits connections per address, and one address has some 28,000
/// ports; the loopback network has 16 million addresses, so that each client can have its own, as people have.
package enum LoopbackSource {
    /// The address for a client, if all its hubs are on 127.0.0.1; else nil: the system chooses.
    package static func address(of client: Int, urls: [String]) -> String? {
        guard urls.allSatisfy({ $0.hasPrefix("ws://127.0.0.1") || $0.hasPrefix("wss://127.0.0.1") }) else { return nil }
        return "127.\(1 + client / 62_500 % 250).\(client / 250 % 250).\(1 + client % 250)"
    }
}
