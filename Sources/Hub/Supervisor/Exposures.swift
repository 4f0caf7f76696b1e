import Records
public import Settings

/// What works and lets others in: said at each start, and a fault for `check-config` and `doctor`.
public enum Exposures {
    /// Each is a sentence without a full stop.
    public static func of(_ settings: Settings) -> [String] {
        let store = StoreLocation(url: settings.store.url, data: settings.data.dir).exposure.map { "store.url: \($0)" }
        return [settings.exposedRedis?.description, store].compactMap(\.self)
    }
}
