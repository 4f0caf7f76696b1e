import Wire

/// One client of a run, whatever its role. Pure: messages and time come in, actions come out.
protocol ClientMachine {
    /// As its token has it.
    static var role: String { get }
    /// Likewise, of a minibus' driver; nil for all others.
    var minibusSeats: Int? { get }
    var session: ClientSession { get set }
    var cuts: LinkCuts { get set }
    /// It was told all that it waited for, and goes a while later.
    var mayLeave: Bool { get }
    /// Real ms of the next thing to do.
    func dueMs(_ now: Moment) -> Int64

    mutating func opened(token: String?, _ now: Moment, _ out: inout [ClientAction])
    mutating func closed(code: UInt16, reason: String, _ now: Moment, _ out: inout [ClientAction])
    mutating func received(_ message: ServerMessage, _ now: Moment, _ out: inout [ClientAction])
    mutating func wake(_ now: Moment, _ out: inout [ClientAction])
    /// The run is over: no link is cut on purpose any more.
    mutating func calmDown()
    mutating func leave(_ out: inout [ClientAction])
}

extension ClientMachine {
    var minibusSeats: Int? { nil }
    var mayLeave: Bool { false }

    mutating func opened(token: String?, _ now: Moment, _ out: inout [ClientAction]) {
        session.opened(token: token, now, &out)
    }

    mutating func closed(code: UInt16, reason: String, _ now: Moment, _ out: inout [ClientAction]) {
        session.closed(code: code, reason: reason, now, &out)
    }

    mutating func calmDown() { cuts.end() }

    mutating func leave(_ out: inout [ClientAction]) { session.leave(&out) }

    /// Real ms of the next thing to do, which is due at this hub time unless the link has something to do before.
    func dueMs(_ now: Moment, atHub hubMs: Int64) -> Int64 {
        let hubDue = min(hubMs, cuts.dueMs)
        return min(session.dueMs, hubDue == .max ? .max : now.real(atHub: hubDue))
    }
}

extension DriverMachine: ClientMachine {
    static let role = "driver"
}

extension OfficeMachine: ClientMachine {
    static let role = "operator"
}

extension PassengerMachine: ClientMachine {
    static let role = "passenger"
    var mayLeave: Bool { isSettled }
}

extension BusDriverMachine: ClientMachine {
    static let role = "bus_driver"
}

/// It watches its line to the end.
extension CitizenMachine: ClientMachine {
    static let role = "passenger"
}

extension MinibusMachine: ClientMachine {
    static let role = "driver"
    var minibusSeats: Int? { seats }
}

extension RiderMachine: ClientMachine {
    static let role = "passenger"
}
