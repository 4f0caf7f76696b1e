import Glibc
import Records
import Settings

extension Doctor {
    /// What there is of records, and whether they are up to date.
    static func records(_ settings: Settings) -> [Finding] {
        let location = StoreLocation(url: settings.store.url, data: settings.data.dir)
        guard location != .none else {
            return [Finding(verdict: .good, text: "records: none are kept (store.url is none).")]
        }
        return [store(location, settings)] + (RecordsLook.word(of: settings).map { [recorder($0)] } ?? [])
    }

    private static func store(_ location: StoreLocation, _ settings: Settings) -> Finding {
        if case .sqlite(let path) = location, access(path, F_OK) != 0 {
            return Finding(verdict: .good, text: "records: \(location.name) will be made at the first start.")
        }
        do throws(DatabaseFailure) {
            try RecordsFile.check(settings)
        } catch {
            return Finding(verdict: .unfit, text: "records: \(error).")
        }
        do throws(DatabaseFailure) {
            let store = try RecordStore.reader(location, city: settings.city.id, withinSeconds: 60)
            defer { store.close() }
            let (trips, gaps) = (try store.tripCounts(), try store.gaps().filter { $0.kind != .before })
            let text = "records: \(location.name) has \(trips.all) trips."
            guard !gaps.isEmpty else { return Finding(verdict: .good, text: text) }
            return Finding(
                verdict: .poor,
                text: text + " \(gaps.count) parts of the event log are not in it; its table gaps says which.")
        } catch {
            return Finding(
                verdict: [.newer, .unfit].contains(error.kind) ? .unfit : .poor,
                text: "records: \(location.name): \(error).")
        }
    }

    /// A database that is away for a minute is caught up with in seconds.
    private static func recorder(_ word: RecordsLook.RecorderWord) -> Finding {
        if word.isForeign {
            return Finding(
                verdict: .unfit,
                text:
                    "recorder: another hub, with a Redis of its own, records a city of this id, and nothing of this hub is recorded. Give this city an id (city.id) or a database (store.url) of its own."
            )
        }
        if word.isStandby {
            return Finding(verdict: .good, text: "recorder: standby: another hub records this city.")
        }
        let text = "recorder: \(Int(word.events)) events and \(Int(word.seconds)) s behind."
        if word.seconds <= 60 { return Finding(verdict: .good, text: text) }
        return Finding(verdict: .poor, text: text + " The hub's log says why; it catches up by itself.")
    }
}
