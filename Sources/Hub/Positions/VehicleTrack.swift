import Domain

/// What a worker knows of a vehicle whose driver is connected to it: how its fixes are judged, and where it is. The truth is in
/// Redis. Used on the worker's loop only; it ends with the driver's last connection to this worker.
final class VehicleTrack {
    let subject: String
    var sessions: [Session] = []
    /// The session that Redis knows this driver by: the last one for which `hello` was answered.
    var registered = ""
    var filter = PositionFilter()
    /// The last accepted fix; whether it waits to be sent to Redis, and when the one before was, ms of the loop.
    var lastFix: Fix?
    /// When it was measured, hub time in ms: when it came, unless it was stored on the device.
    var heardAt: Int64 = 0
    /// Where Redis had it when its driver said hello, and when that was measured: until its session is live.
    var stored: (fix: Fix, heard: Int64)?
    /// It was measured just then, and is good enough for fences: nobody is told from another that the driver is near.
    var isLastFixSure = false
    /// Another worker's session of this driver sent the latest position (Redis decides, `speak` in presence.lua): nothing is told of
    /// it from here.
    var isSuperseded = false
    var isDirty = false
    /// The `at` of the last fix that was neither refused nor doubted.
    var sentAt: Int64?
    /// The number of the slice in which Redis was told of its position last.
    var flushedSlice = -WorkerServices.slicesPerTick
    /// False of a bus whose id maps can't show.
    var isShown = true
    /// A bus on tour. It has no sessions. A driver may have been called as it is; they share nothing.
    var isBus = false
    /// It waits in no queue, and serves bookings instead of a ride.
    var isMinibus = false
    /// How far it is along what it goes, as `PathProgress.text` has it; empty when nobody knows, and of a taxi.
    var along = ""

    /// Told of each of its fixes.
    var followers: [any VehicleFollower] = []

    init(subject: String) { self.subject = subject }

    /// By which Redis knows whose fix it is: the driver's newest session, empty when there is none; of a bus `bus`.
    var source: String { isBus ? "bus" : sessions.last?.name ?? "" }

    /// Under which its filter is kept. A bus does not go on from where a driver of the same name has been.
    var nameOfFilter: String { isBus ? "bus \(subject)" : subject }

    /// The connection that came last, unless it is being closed.
    var lastOpenSession: Session? { sessions.last { $0.phase != .closing } }
}

/// What a capability knows of one vehicle's driver, and goes by where the vehicle is. All calls come on the worker's loop.
protocol VehicleFollower: AnyObject {
    /// A fix was believed. `accepted` says how far; false `isTold`: another worker tells of this vehicle.
    func moved(_ vehicle: VehicleTrack, to fix: Fix, _ accepted: PositionFilter.Accepted, isTold: Bool)
    /// Once a second, and when this worker tells of the vehicle again: it may not have moved.
    func stands(_ vehicle: VehicleTrack, at fix: Fix)
}

/// What became of a fix that was not refused.
struct JudgedFix {
    var fix: Fix
    /// Nil: it is ignored, for this reason.
    var accepted: PositionFilter.Accepted?
    var ignored: StaticString = ""
}
