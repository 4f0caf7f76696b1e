internal import EventLoop

/// Who makes room when an address has all the connections that it may have: those that nobody knows and that say nothing, or take an answer
/// as slowly as is allowed, so that a few hundred of them keep out nobody else of their network.
extension WebSocketServer {
    /// Who came, or was heard of, since then is left alone, ms: a crowd that comes back at once would end its own handshakes. One that has begun
    /// takes up to five seconds on a slow link. Who has had its answer and is idle may leave at once.
    private static let silenceMs: UInt64 = 1_000
    private static let handshakeMs: UInt64 = 5_000

    /// Counts a newcomer, for whom the silent one leaves that came first of its address, or of the network around it that is full. If none is
    /// silent there, of a network of IPv6 one leaves whose own network has the most of it. False: it is refused.
    func enter(_ address: PeerAddress) -> Bool {
        guard let full = addresses.fullNetwork(entering: address, limit: rules.maxConnectionsPerAddress) else {
            return true
        }
        if endingsLeft > 0,
            let id = newcomers.next(
                of: full, isNewcomer: isNewcomer, mayLeave: mayLeave, weight: { weight($0, for: address, in: full) }),
            let connection = connections[id]
        {
            endingsLeft -= connection.socket == nil ? 1 : Self.endingCost
            if connection.answer == nil {
                // What it was sent last may still be on its way.
                cut(connection)
            } else {
                abandon(connection)
            }
            if addresses.enter(address, limit: rules.maxConnectionsPerAddress) { return true }
        }
        counts.refusedAddressLimit += 1
        return false
    }

    /// Whether nobody knows whose it is, and it is open.
    func isNewcomer(_ id: ConnectionID) -> Bool {
        guard let connection = connections[id] else { return false }
        switch connection.phase {
        case .http: return true
        case .open: return connection.isStranger
        default: return connection.answer != nil
        }
    }

    /// How many connections the networks have that it is of, within the full one: the /56 counts first, then the /64. 0: it makes no room for
    /// this newcomer.
    ///
    /// It does, whatever it waits for, if it has no answer yet, and the largest network that tells the two apart has more connections than the
    /// newcomer's, which is counted: recorded hellos of a few networks kept out all others around. So nobody leaves for one who is to leave next.
    private func weight(_ id: ConnectionID, for newcomer: PeerAddress, in full: PeerAddress) -> Int {
        guard let connection = connections[id], isNewcomer(id), connection.answer == nil else { return 0 }
        let inner = zip(connection.address.limitKeys, newcomer.limitKeys).prefix { $1.key != full }.reversed()
        guard let (theirs, own) = inner.first(where: { $0.key != $1.key }),
            addresses.count(of: theirs.key) > addresses.count(of: own.key) + 1
        else { return 0 }
        return inner.reduce(0) { $0 << 24 | addresses.count(of: $1.0.key) }
    }

    /// Whoever waits for us may not.
    private func mayLeave(_ id: ConnectionID) -> Bool {
        guard let connection = connections[id], isNewcomer(id) else { return false }
        if let answer = connection.answer { return answer.isLong(at: now) }
        let waits = connection.isAsking || connection.isResuming
        guard !waits, connection.arrival?.phase ?? .silent == .silent else { return false }
        let hasBegun = connection.isShakingHands || connection.http?.waitingBytes ?? 0 > 0
        guard hasBegun || connection.phase == .open || connection.requests == 0 else { return true }
        return connection.lastHeard + (hasBegun ? Self.handshakeMs : Self.silenceMs) <= now
    }
}
