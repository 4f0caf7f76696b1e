internal import EventLoop

/// Who makes room when an address has all the connections that it may have: those that nobody knows and that say nothing, so that a few
/// hundred silent ones keep out nobody else of their network.
extension WebSocketServer {
    /// Who came, or was heard of, since then is left alone, ms: a crowd that comes back at once would end its own handshakes.
    private static let silenceMs: UInt64 = 1_000

    /// Counts a newcomer, for whom the silent one of its address leaves that came first. False: it is refused.
    func enter(_ address: PeerAddress) -> Bool {
        if addresses.enter(address, limit: rules.maxConnectionsPerAddress) { return true }
        counts.refusedAddressLimit += 1
        guard endingsLeft > 0,
            let id = newcomers.next(of: address, isNewcomer: isNewcomer, mayLeave: mayLeave),
            let connection = connections[id]
        else { return false }
        endingsLeft -= connection.socket == nil ? 1 : Self.endingCost
        abandon(connection)
        return addresses.enter(address, limit: rules.maxConnectionsPerAddress)
    }

    /// Whether nobody knows whose it is, and it is open.
    func isNewcomer(_ id: ConnectionID) -> Bool {
        guard let connection = connections[id] else { return false }
        return connection.phase == .http || connection.phase == .open && connection.isStranger
    }

    /// Whoever waits for us may not.
    private func mayLeave(_ id: ConnectionID) -> Bool {
        guard let connection = connections[id], isNewcomer(id) else { return false }
        let waits = connection.isAsking || connection.isResuming || connection.answer != nil
        return !waits && connection.arrival?.phase ?? .silent == .silent && connection.lastHeard + Self.silenceMs <= now
    }
}
