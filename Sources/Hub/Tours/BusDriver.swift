import Domain

/// What a worker knows of a bus driver that is connected to it: the truth is in Redis. Used on the worker's loop only; it ends with the driver's last connection to this worker.
final class BusDriver {
    let subject: String
    var sessions: [Session] = []
    var tour: TourRun?
    /// The last position that was believed, and when it was measured, hub time in ms: the next tour's filter goes on from it.
    var last: (fix: Fix, heard: Int64)?
    /// Of the device that sends its fixes.
    var clock = DeviceClock()

    init(subject: String) { self.subject = subject }
}

/// A fix, and when it was measured by the hub's clock (`DeviceClock`), Unix ms.
struct TimedFix {
    var fix: Fix
    var measured: Int64
}

/// The tour that a bus driver is on.
final class TourRun {
    let id: String
    let bus: String
    let line: String
    let pattern: String
    let trip: String?
    /// What the trip's times count from, Unix seconds.
    let base: Int64
    /// The bus on maps: its filter and its last fix. It has no sessions.
    let vehicle: VehicleTrack
    /// Where it is on its line; nil when the catalog has its pattern no more.
    var progress: TourProgress?
    /// Of the catalog that `progress` was made of.
    var catalogVersion: String?
    /// Metres along the line where it was last.
    var distance: Double?
    /// Index of the next stop, as Redis has it; far behind the last one when none is left.
    var next: Int
    /// Another worker has it where no bus can have come from: it isn't shown on maps from here.
    var isElsewhere = false {
        didSet { vehicle.isShown = !isElsewhere && MapID.isVehicle(bus) }
    }
    /// Has moved since Redis was told.
    var isDirty = false
    var isUnderWay = false
    /// Since Redis was told: the next stop by position if that has changed, those that were passed off the route, and
    /// whether the bus was found to be behind where it was believed.
    var reached: Int?
    var skipped: [Int] = []
    var isBack = false
    /// Since Redis was told: how late stops were left.
    var left: [TourProgress.Left] = []
    /// The last fix that was believed.
    var last: TimedFix?
    /// Since Redis was told: the fixes that fences may use, for the alerts of stops on request.
    var way: [TimedFix] = []

    init(id: String, bus: String, line: String, pattern: String, trip: String?, base: Int64, next: Int) {
        self.id = id
        self.bus = bus
        self.line = line
        self.pattern = pattern
        self.trip = trip
        self.base = base
        self.next = next
        vehicle = VehicleTrack(subject: bus)
        vehicle.isBus = true
        vehicle.isShown = MapID.isVehicle(bus)
    }
}
