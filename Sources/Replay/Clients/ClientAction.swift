import ClientSupport
import Wire

/// What a client machine wants done. The machine decides, the pool does.
enum ClientAction: Equatable {
    case connect
    case send([UInt8])
    /// Asks for a sign of life.
    case ping
    /// An orderly end.
    case close(code: UInt16)
    /// A cut without a close frame, as when a phone loses its link.
    case abort
    /// Nothing to do: something happened that the table at the end counts.
    case note(ClientNote)
}

/// How a request ended, as its passenger was told.
enum RideOutcome: Hashable {
    case refused(code: ErrorCode)
    case failed(code: String)
    case cancelled
    case noShow
    case ended
    /// History was lost (a gap), and the snapshot after it has no ride.
    case lost
}

/// Facts that a machine reports.
enum ClientNote: Equatable {
    case live(isFirst: Bool)
    case linkLost(code: UInt16)
    case linkCut
    case requestSent(subject: String)
    case requestKnown(subject: String, ride: String)
    case offerShown(ride: String)
    case acceptSent(ride: String)
    case declineSent(ride: String)
    case offerIgnored(ride: String)
    case acceptTold(ride: String)
    /// A taxi of a recording set out on a ride, as was recorded or straight.
    case setOut(isRecorded: Bool)
    case etaTold(ToldETA)
    /// The taxi is at the pickup since that hub time, on a recorded way or not.
    case arrived(ride: String, taxi: String, atMs: Int64, isRecorded: Bool)
    case alert(metres: Int)
    case outcome(RideOutcome)
    case rankMoved
    /// The office has blocked a driver.
    case blocked
    case fix(isInterpolated: Bool)
    case event
    /// What the hub's clock showed when it sent it.
    case state(hubMs: Int64)
    case hubTime(ms: Int64)
    case greetingRefused(ErrorCode, detail: String)
    case gap(channel: String)
    case refused(ErrorCode)
    case unreadable(String)
    case bus(BusNote)
    case seat(SeatNote)
    case reservation(ReservationNote)
}

/// When a passenger's taxi will be there, as it was told.
struct ToldETA: Equatable {
    var ride: String
    var taxi: String
    /// Hub ms at which the hub said so.
    var atMs: Int64
    /// From then on; one in ten comes before `early`, one in ten after `late`. Not all say that.
    var seconds: Double
    var early: Double?
    var late: Double?
    /// With the acceptance.
    var isFirst: Bool

    init?(_ data: JSONValue, atMs: Int64, isFirst: Bool) {
        guard let ride = data.text("ride"), let taxi = data.text("taxi"), let seconds = data["eta_s"]?.double else {
            return nil
        }
        (self.ride, self.taxi, self.atMs, self.seconds, self.isFirst) = (ride, taxi, atMs, seconds, isFirst)
        early = data["early_s"]?.double
        late = data["late_s"]?.double
    }
}

/// Likewise, of taxis for a time ahead.
enum ReservationNote: Equatable {
    case made
    /// A taxi has accepted, so long before the time; after it is less than zero. Hub ms.
    case assigned(earlyMs: Int64)
    /// The taxi is at the pickup, so long after the time. Hub ms.
    case came(lateMs: Int64)
}

/// Likewise, of buses on lines.
enum BusNote: Equatable {
    case tourStarted
    case tourEnded
    /// The hub does not know the trip.
    case tourRefused
    case fixSent(bus: String, atMs: Int64)
    /// A reader of the line saw it.
    case fixSeen(bus: String, atMs: Int64)
    case seatsSet
    case changeTold
    case requestSent
    case prompted
    case answered(StopAnswer)
    /// The driver says that nobody is there, and has not stood there for long enough.
    case noShowRefused
    case acceptTold
    /// `wasThere`: its citizen had been told that the bus was there.
    case outcome(StopOutcome, wasThere: Bool)
}

/// Likewise, of minibuses.
enum SeatNote: Equatable {
    case wayAnnounced
    case online
    case offline
    case fixSent
    /// Taken by hand; nil: the hub refused it, as seats are promised.
    case counted(Int?)
    case booked
    case prompted
    case answered(BehaviourModel.Answer)
    case confirmedTold
    case outcome(SeatOutcome)
}

/// How a booking ended, as its passenger was told.
enum SeatOutcome: Hashable {
    case refused(code: ErrorCode)
    /// declined | no_answer | full | offline
    case declined(reason: String)
    case cancelled(by: String)
    case ended
    /// History was lost (a gap), and the snapshot after it has no such booking.
    case lost
}
