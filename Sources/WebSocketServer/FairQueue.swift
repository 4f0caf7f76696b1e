internal import DequeModule

/// Connections that wait for their share of a turn. Networks take turns, and of each its connections in their order: who has
/// many of them waits for itself, and the others for one of each network. A proxy's are of the clients that it names.
struct FairQueue {
    /// Those of one address are few as a rule, often one: the first needs no list.
    private struct Line {
        var first: ConnectionID
        var others = Deque<ConnectionID>()
    }

    private var lines: [PeerAddress: Line] = [:]
    /// Each address that has a line, once.
    private var turns = Deque<PeerAddress>()

    var isEmpty: Bool { turns.isEmpty }

    /// Whose turn it is.
    var first: ConnectionID? { turns.first.flatMap { lines[$0]?.first } }

    mutating func append(_ connection: Connection) {
        let network = connection.network
        if lines[network]?.others.append(connection.id) != nil { return }
        lines[network] = Line(first: connection.id)
        turns.append(network)
    }

    mutating func next() -> ConnectionID? {
        guard let network = turns.popFirst(), let id = lines[network]?.first else { return nil }
        if let second = lines[network]?.others.popFirst() {
            lines[network]?.first = second
            turns.append(network)
        } else {
            lines[network] = nil
        }
        return id
    }
}
