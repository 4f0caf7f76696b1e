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
}
