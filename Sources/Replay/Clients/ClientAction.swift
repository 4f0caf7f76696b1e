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
    case alert(metres: Int)
    case outcome(RideOutcome)
    case rankMoved
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
