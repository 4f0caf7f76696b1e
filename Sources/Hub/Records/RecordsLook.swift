import Glibc
public import Records
public import Settings
import Telemetry

/// The records of a city, for the commands that read them.
public enum RecordsLook {
    /// Opens what the settings name. Throws a describable error when it can't be read.
    public static func open(_ settings: Settings) throws -> RecordStore {
        try RecordStore.reader(StoreLocation(url: settings.store.url, data: settings.data.dir), city: settings.city.id)
    }

    /// How far a hub that runs with this data directory is behind, as its recorder said last; nil: it says nothing.
    static func lag(_ settings: Settings) -> (events: Double, seconds: Double)? {
        let texts = WorkerExpositions(directory: WorkerFiles.metrics(settings.data.dir))
            .merged(own: ("doctor", ""), maxAgeS: 10)
        func value(_ family: String) -> Double? {
            texts.split(separator: "\n").filter { $0.hasPrefix(family + "{") }
                .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.max()
        }
        guard let events = value(RecordsMeter.lagEventsName), let seconds = value(RecordsMeter.lagSecondsName) else {
            return nil
        }
        return (events, seconds)
    }

    /// What `kerbside doctor` says of them.
    static func finding(_ settings: Settings) -> Doctor.Finding {
        let location = StoreLocation(url: settings.store.url, data: settings.data.dir)
        guard location != .none else {
            return Doctor.Finding(verdict: .good, text: "records: none are kept (store.url is none).")
        }
        let lag = lag(settings)
        let behind = lag.map { " The recorder is \(Int($0.events)) events and \(Int($0.seconds)) s behind." } ?? ""
        if case .sqlite(let path) = location, access(path, F_OK) != 0 {
            return Doctor.Finding(verdict: .good, text: "records: \(location.name) will be made at the first start.")
        }
        do throws(DatabaseFailure) {
            let store = try RecordStore.reader(location, city: settings.city.id)
            defer { store.close() }
            let (trips, gaps) = (try store.tripCounts(), try store.gaps().filter { $0.kind != .before })
            let text = "records: \(location.name) has \(trips.all) trips.\(behind)"
            if !gaps.isEmpty {
                return Doctor.Finding(
                    verdict: .poor,
                    text: text + " \(gaps.count) parts of the event log are not in it; its table gaps says which.")
            }
            // A database that is away for a minute is caught up with in seconds.
            if let lag, lag.seconds > 60 {
                return Doctor.Finding(verdict: .poor, text: text + " The hub's log says why.")
            }
            return Doctor.Finding(verdict: .good, text: text)
        } catch {
            return Doctor.Finding(
                verdict: error.kind == .newer ? .unfit : .poor, text: "records: \(error).\(behind)")
        }
    }
}
