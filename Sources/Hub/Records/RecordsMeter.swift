import Telemetry

/// How far records are behind, beside the metrics of the workers.
final class RecordsMeter {
    enum Standing {
        case starting, recording, down
        /// Another hub records this city.
        case standby
        /// Another one could record it, and does not.
        case idle
        /// Another one records a city of this id, whose events are in another Redis.
        case foreign

        /// What is wrong with it, for the log; nil: nothing, or the database says it.
        var trouble: String? {
            switch self {
            case .starting, .recording, .down, .standby: nil
            case .idle:
                "another recorder has these records and goes on with them no more: nothing is recorded until its connection to the database ends"
            case .foreign:
                "another hub, with a Redis of its own, records a city of this id: nothing of this hub is recorded; give this city an id (city.id) or a database (store.url) of its own"
            }
        }
    }

    private let registry = Metrics()
    private let expositions: WorkerExpositions
    private let name: String
    private let up: Gauge
    private let active: Gauge
    private let foreign: Gauge
    private let lagEvents: Gauge
    private let lagSeconds: Gauge
    private let events: Counter
    private let gaps: Counter
    private let failures: Counter
    private(set) var standing = Standing.starting

    /// The families' names, which `kerbside doctor` looks for.
    static let upName = "kerbside_records_up"
    static let activeName = "kerbside_records_active"
    static let foreignName = "kerbside_records_foreign"
    static let lagEventsName = "kerbside_records_lag_events"
    static let lagSecondsName = "kerbside_records_lag_seconds"

    init(name: String, data: String) {
        self.name = name
        expositions = WorkerExpositions(directory: WorkerFiles.metrics(data))
        up = registry.gauge(Self.upName, "1 while the database takes records.")
        active = registry.gauge(
            Self.activeName, "1 where this city is recorded; 0 on machines that wait to take over.")
        foreign = registry.gauge(
            Self.foreignName, "1 while a hub with another Redis records a city of this id, and nothing of this one.")
        lagEvents = registry.gauge(Self.lagEventsName, "Entries of the event log that are not recorded yet.")
        lagSeconds = registry.gauge(Self.lagSecondsName, "Age of the oldest entry that is not recorded yet.")
        events = registry.counter("kerbside_records_events_total", "Entries of the event log that were recorded.")
        gaps = registry.counter(
            "kerbside_records_gaps_total",
            "Parts of the event log that were gone before they were recorded, or that the database refused.")
        failures = registry.counter("kerbside_records_failures_total", "Attempts that the database did not take.")
    }

    /// Whether another hub has the records.
    var isStandby: Bool { [.standby, .idle, .foreign].contains(standing) }

    func stands(_ standing: Standing) {
        self.standing = standing
        up.set(standing == .recording || standing == .standby ? 1 : 0)
        active.set(standing == .recording ? 1 : 0)
        foreign.set(standing == .foreign ? 1 : 0)
        if isStandby { behind(entries: 0, ms: 0) }
    }

    func failed() {
        failures.increment()
        stands(.down)
    }

    func behind(entries: Int64, ms: Int64) {
        lagEvents.set(Double(max(0, entries)))
        lagSeconds.set(Double(ms) / 1000)
    }

    func recorded(_ count: Int) { events.add(count) }

    func foundGap() { gaps.increment() }

    /// A full disk costs a sample, nothing else.
    func publish() { try? expositions.publish(registry.exposition(), worker: name) }
}
