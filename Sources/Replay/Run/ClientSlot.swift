import WebSocketServer

/// One client of the pool: its machine and the link that it has now.
final class ClientSlot {
    let index: Int
    let subject: String
    var machine: any ClientMachine
    /// The present link; callbacks of an earlier one are not for this client any more.
    var link: ConnectionID?
    /// How often it has connected: with several hubs, each time to the next.
    var attempts = 0
    /// Real ms when a client that was told its outcome leaves.
    var leaveMs: Int64?

    init(index: Int, _ machine: any ClientMachine) {
        self.index = index
        self.machine = machine
        subject = machine.session.subject
    }

    var session: ClientSession { machine.session }
    var role: String { type(of: machine).role }
    /// Passengers give their token in the hello, as browsers must; drivers give theirs at the door.
    var greetsWithToken: Bool { role == PassengerMachine.role }
    var isLive: Bool { session.isLive }
    /// Has not left for good.
    var isHere: Bool { session.phase != .over }

    /// Who it is and what it waits for; nil when it waits for nothing and its link stands.
    func open(isIdle: Bool, mayBeGone: Bool = false) -> String? {
        let hasLink = isLive || mayBeGone && !isHere
        if isIdle, hasLink { return nil }
        var words: [String] = []
        if session.hasPending { words.append("waits for an answer") } else if !isIdle { words.append("is not done") }
        if !hasLink { words.append("has no link") }
        return "\(role) \(subject) (\(words.joined(separator: ", ")))"
    }
}
