import WebSocketServer

/// One client of the fleet: its machine and the link that it has now.
final class Seat {
    enum Role { case driver, passenger }

    let index: Int
    let role: Role
    let subject: String
    var driver: DriverMachine?
    var passenger: PassengerMachine?
    /// The present link; callbacks of an earlier one are not for this client any more.
    var link: ConnectionID?
    /// How often it has connected: with several hubs, each time to the next.
    var attempts = 0
    /// Real ms when a passenger that was told its outcome leaves.
    var leaveMs: Int64?

    init(index: Int, driver: DriverMachine) {
        self.index = index
        role = .driver
        subject = driver.session.subject
        self.driver = driver
    }

    init(index: Int, passenger: PassengerMachine) {
        self.index = index
        role = .passenger
        subject = passenger.session.subject
        self.passenger = passenger
    }

    var session: Session? { driver?.session ?? passenger?.session }
    var roleName: String { role == .driver ? "driver" : "passenger" }
    var isLive: Bool { session?.isLive ?? false }
    /// Has not left for good.
    var isHere: Bool { session?.phase != .over }
}
