import Wire

/// One client of a run, whatever its role. Pure: messages and time come in, actions come out.
protocol ClientMachine {
    /// As its token has it.
    static var role: String { get }
    var session: Session { get }
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

extension DriverMachine: ClientMachine {
    static let role = "driver"
    var mayLeave: Bool { false }
}

extension PassengerMachine: ClientMachine {
    static let role = "passenger"
    var mayLeave: Bool { isSettled }
}

extension BusDriverMachine: ClientMachine {
    static let role = "bus_driver"
    var mayLeave: Bool { false }
}

extension CitizenMachine: ClientMachine {
    static let role = "passenger"
    /// It watches its line to the end.
    var mayLeave: Bool { false }
}
