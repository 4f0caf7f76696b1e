internal import EventLoop

/// Who makes room when an address, or the server, has all the connections that it may have: those that nobody knows and that say nothing, or
/// take an answer as slowly as is allowed, so that a few hundred of them keep out nobody else of their network, and those of some hundred
/// networks nobody else at all. Anybody may be a guest: guests make room, too, where a network has more of them than the newcomer's has, and
/// idle ones where the server is full.
extension WebSocketServer {
    /// Who came, or was heard of, since then is left alone, ms: a crowd that comes back at once would end its own handshakes. A
    /// handshake of TLS takes up to five seconds on a slow link, and so may a request, if something comes of it in each. Who has
    /// had its answer and is idle may leave at once.
    private static let silenceMs: UInt64 = 1_000
    private static let handshakeMs: UInt64 = 5_000
    /// A guest is idle if it has sent no message for so long, ms. So one that was let go, comes back and takes another's place does not do so
    /// again at once.
    private static let idleGuestMs: UInt64 = 60_000

    /// Counts a newcomer, if its address may have one more and there is a place for it. Otherwise says the status with which it is refused.
    func admit(_ address: PeerAddress) -> Int? {
        guard enter(address) else { return 429 }
        guard hasPlace(for: address) else {
            addresses.leave(address)
            counts.refusedTotalLimit += 1
            return 503
        }
        return nil
    }

    /// Whether a newcomer, which is counted, finds room in the server, or one leaves for it.
    private func hasPlace(for address: PeerAddress) -> Bool {
        let most = min(rules.maxConnections ?? .max, openable)
        guard connections.count >= most else { return true }
        if endingsLeft > 0, let id = nextOfAll(over: addresses.count(of: address.network)) { end(id) }
        return connections.count < most
    }

    /// Who leaves a full server: the silent one that came first; if none is silent, one of the network that has the most, and more than `own`,
    /// guests, too; else a guest that is idle.
    private func nextOfAll(over own: Int) -> ConnectionID? {
        func share(_ id: ConnectionID) -> Int { weight(id, over: own) }
        let stranger = newcomers.next(of: nil, isNewcomer: isNewcomer, mayLeave: mayLeave, weight: share)
        if let stranger, mayLeave(stranger) { return stranger }
        switch (stranger, guests.next(of: nil, isNewcomer: isGuest, weight: share)) {
        case (nil, nil): return guests.next(of: nil, isNewcomer: isGuest, mayLeave: isIdle)
        case (let one?, nil), (nil, let one?): return one
        case (let stranger?, let guest?) where share(guest) > share(stranger):
            newcomers.putBack(stranger, in: nil)
            return guest
        case (let stranger?, let guest?):
            guests.putBack(guest, in: nil)
            return stranger
        }
    }

    /// Has one leave of a line of newcomers, if one may; else of the line of guests, for its weight only.
    private func makeRoom(in line: PeerAddress, weight: (ConnectionID) -> Int) {
        guard endingsLeft > 0 else { return }
        if let id = newcomers.next(of: line, isNewcomer: isNewcomer, mayLeave: mayLeave, weight: weight) {
            end(id)
        } else if let id = guests.next(of: line, isNewcomer: isGuest, weight: weight) {
            end(id)
        }
    }

    /// Its place is free when this returns.
    private func end(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        endingsLeft -= connection.socket == nil ? 1 : Self.endingCost
        guard !isGuest(id) else { return letGo(connection) }
        if connection.answer == nil {
            // What it was sent last may still be on its way.
            cut(connection)
        } else {
            abandon(connection)
        }
    }

    /// A guest is told why it leaves, as far as the kernel takes that at once.
    private func letGo(_ guest: Connection) {
        let reason = "the hub is full, and guests make room; come back in some seconds"
        finish(guest, telling: Self.tryAgainLater, sending: .close(Self.tryAgainLater, reason), then: .end)
        if flush(guest), guest.queuedBytes == 0 { cut(guest) } else { abandon(guest) }
    }

    /// Counts a newcomer, for whom the silent one leaves that came first of its address, or of the network around it that is full. If none is
    /// silent there, of a network of IPv6 one leaves whose own network has the most of it, or a guest. False: it is refused.
    func enter(_ address: PeerAddress) -> Bool {
        guard let full = addresses.fullNetwork(entering: address, limit: rules.maxConnectionsPerAddress) else {
            return true
        }
        makeRoom(in: full) { weight($0, for: address, in: full) }
        if addresses.enter(address, limit: rules.maxConnectionsPerAddress) { return true }
        counts.refusedAddressLimit += 1
        return false
    }

    /// Whether nobody knows whose it is. One that is closing has its place until its peer has gone, too.
    func isNewcomer(_ id: ConnectionID) -> Bool {
        guard let connection = connections[id] else { return false }
        switch connection.phase {
        case .http: return true
        case .open: return connection.isStranger
        case .closing: return connection.inbound == nil
        }
    }

    /// Whether it is open, and welcome as a guest.
    func isGuest(_ id: ConnectionID) -> Bool {
        guard let connection = connections[id] else { return false }
        return connection.isGuest && connection.phase == .open
    }

    private func isIdle(_ id: ConnectionID) -> Bool {
        guard let connection = connections[id] else { return false }
        return connection.lastPiece + Self.idleGuestMs <= now
    }

    /// Of one that has said hello, each time.
    func countGuest(_ connection: Connection, _ isOne: Bool) {
        let wasOne = connection.isGuest
        connection.isGuest = isOne
        connection.lastPiece = now
        if isOne, !wasOne { guests.append(connection.id, of: connection.address, isNewcomer: isGuest) }
    }

    /// How many connections the networks have that it is of, within the full one: the /56 counts first, then the /64. 0: it makes no room for
    /// this newcomer.
    ///
    /// It does, whatever it waits for, if it has no answer yet, and the largest network that tells the two apart has more connections than the
    /// newcomer's, which is counted: recorded hellos of a few networks kept out all others around. So nobody leaves for one who is to leave next.
    private func weight(_ id: ConnectionID, for newcomer: PeerAddress, in full: PeerAddress) -> Int {
        guard let connection = connections[id], isNewcomer(id) || isGuest(id), connection.answer == nil else {
            return 0
        }
        let inner = zip(connection.address.limitKeys, newcomer.limitKeys).prefix { $1.key != full }.reversed()
        guard let (theirs, own) = inner.first(where: { $0.key != $1.key }),
            addresses.count(of: theirs.key) > addresses.count(of: own.key) + 1
        else { return 0 }
        return inner.reduce(0) { $0 << 24 | addresses.count(of: $1.0.key) }
    }

    /// The same of a full server: how many connections its network has, if these are more than `own`. It may wait for what it likes, but not
    /// have begun to take an answer just now.
    private func weight(_ id: ConnectionID, over own: Int) -> Int {
        guard let connection = connections[id], isNewcomer(id) || isGuest(id),
            connection.answer?.isYounger(than: Self.handshakeMs, at: now) != true
        else { return 0 }
        let theirs = addresses.count(of: connection.address.network)
        return theirs > own ? theirs : 0
    }

    /// Whoever waits for us may not, nor who has not taken its close frame.
    private func mayLeave(_ id: ConnectionID) -> Bool {
        guard let connection = connections[id], isNewcomer(id) else { return false }
        if let answer = connection.answer { return answer.isLong(at: now) }
        let isLeaving = connection.phase == .closing && connection.queuedBytes > 0
        guard !connection.isAsking, !connection.isResuming, !isLeaving, connection.arrival?.phase ?? .silent == .silent
        else { return false }
        if connection.isShakingHands { return connection.lastHeard + Self.handshakeMs <= now }
        // Of a request, a body too, that has begun. A byte of each kept out all others of an address.
        if connection.http?.heldBytes ?? 0 > 0 {
            return connection.lastPiece + Self.silenceMs <= now || connection.lastHeard + Self.handshakeMs <= now
        }
        guard connection.phase != .http || connection.requests == 0 else { return true }
        return connection.lastHeard + Self.silenceMs <= now
    }
}
