public import Records
public import Settings
import Telemetry

/// The records of a city, for the commands that read them.
public enum RecordsLook {
    /// Opens what the settings name. Throws a describable error when it can't be read, or when the settings name nothing and the hub
    /// that runs with this data directory records elsewhere: what lies here is old then.
    public static func open(_ settings: Settings) throws -> RecordStore {
        let location = location(settings)
        if settings.store.url.isEmpty, let hub = running(settings.data.dir), self.location(hub) != location,
            !hub.store.url.isEmpty
        {
            throw HubFailure(
                "the hub that runs with the data directory \(settings.data.dir) keeps its records elsewhere (\(self.location(hub).name)): give its --config, or --set store.url=sqlite://… to read an old file"
            )
        }
        return try RecordStore.reader(location, city: settings.city.id)
    }

    private static func location(_ settings: Settings) -> StoreLocation {
        StoreLocation(url: settings.store.url, data: settings.data.dir)
    }

    /// For people: which store is read.
    public static func name(_ settings: Settings) -> String { location(settings).name }

    /// What a hub runs with that has this data directory now.
    private static func running(_ data: String) -> Settings? {
        DirectoryLock.isHeld(data) ? try? WorkerFiles.settings(of: data) : nil
    }

    /// What the recorder of a hub says of itself.
    struct RecorderWord {
        /// How far it is behind.
        let events: Double
        let seconds: Double
        /// Another hub records this city.
        let isStandby: Bool
        /// That one has another Redis.
        let isForeign: Bool
    }

    /// What the recorder of a hub that runs with this data directory said last; nil: it says nothing.
    static func word(of settings: Settings) -> RecorderWord? {
        let texts = WorkerExpositions(directory: WorkerFiles.metrics(settings.data.dir))
            .merged(own: ("doctor", ""), maxAgeS: 10)
        func value(_ family: String) -> Double? {
            texts.split(separator: "\n").filter { $0.hasPrefix(family + "{") }
                .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.max()
        }
        guard let events = value(RecordsMeter.lagEventsName), let seconds = value(RecordsMeter.lagSecondsName) else {
            return nil
        }
        return RecorderWord(
            events: events, seconds: seconds,
            isStandby: value(RecordsMeter.upName) == 1 && value(RecordsMeter.activeName) == 0,
            isForeign: value(RecordsMeter.foreignName) == 1)
    }
}
