internal import CSV
internal import Domain

/// One recorded position of one vehicle.
struct TraceFix: Equatable {
    /// Unix time in ms, as recorded.
    var timeMs: Int64
    var place: GeoPoint
    /// The meter, where the recording has one: true while a passenger is aboard.
    var occupied: Bool?
    /// m/s
    var speed: Double?
    /// Degrees from north.
    var heading: Double?
    /// Metres.
    var accuracy: Double?
}

/// A vehicle and its fixes, strictly rising in time.
struct TraceVehicle: Equatable {
    var name: String
    var fixes: [TraceFix]
}

/// A recording: who was where at what time.
struct Trace: Equatable {
    /// Sorted by name, so that a choice among them is the same in every run.
    var vehicles: [TraceVehicle]
    /// Minutes east of UTC, if the recording's own times say so: `--from 18:00` is read in it.
    var utcOffsetMinutes: Int?
}

/// Why a recording could not be read: where, and what was expected there.
public struct TraceError: Error, Equatable, CustomStringConvertible {
    /// Counted from 1; 0 where the file as a whole is meant.
    public var line: Int
    public var message: String

    public var description: String { line == 0 ? message : "line \(line): \(message)" }
}

extension CSVTable {
    /// A recording, ready for its first row.
    init(recording bytes: [UInt8], separator: Character = ",", hasHeadLine: Bool = true) throws(TraceError) {
        do throws(CSVFault) {
            try self.init(name: "the recording", bytes: bytes, separator: separator, hasHeadLine: hasHeadLine)
        } catch {
            throw TraceError(line: error.line ?? 0, message: error.message)
        }
    }
}

/// Collects the fixes of all vehicles while a file is read, in whatever order they come.
struct TraceBuilder {
    private var indexOf: [String: Int] = [:]
    private var vehicles: [TraceVehicle] = []
    var utcOffsetMinutes: Int?

    mutating func add(_ fix: TraceFix, to name: String) {
        if let index = indexOf[name] {
            vehicles[index].fixes.append(fix)
        } else {
            indexOf[name] = vehicles.count
            vehicles.append(TraceVehicle(name: name, fixes: [fix]))
        }
    }

    /// Sorts what came out of order; of two fixes of one vehicle at one instant the first one read stays.
    func finished() throws(TraceError) -> Trace {
        if vehicles.isEmpty { throw TraceError(line: 0, message: "the file has no fixes") }
        var result = vehicles.sorted { $0.name < $1.name }
        for index in result.indices {
            var last = Int64.min
            // A stable sort keeps the first of equals in front.
            result[index].fixes.sort { $0.timeMs < $1.timeMs }
            result[index].fixes.removeAll { fix in
                defer { last = fix.timeMs }
                return fix.timeMs == last
            }
        }
        return Trace(vehicles: result, utcOffsetMinutes: utcOffsetMinutes)
    }
}
