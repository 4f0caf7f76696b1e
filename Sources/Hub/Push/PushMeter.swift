import Telemetry

/// What became of pushes, beside the metrics of the workers.
final class PushMeter {
    private let registry = Metrics()
    private let expositions: WorkerExpositions
    private let name: String
    private let active: Gauge
    let waiting: Gauge
    let sent: Counter
    let gone: Counter
    let failed: Counter
    let retried: Counter
    let late: Counter

    init(name: String, data: String) {
        self.name = name
        expositions = WorkerExpositions(directory: WorkerFiles.metrics(data))
        active = registry.gauge(
            "kerbside_push_active", "1 where this city's pushes are sent from; 0 on machines that wait to take over.")
        waiting = registry.gauge("kerbside_push_waiting", "Pushes that wait to be sent.")
        sent = registry.counter("kerbside_push_sent_total", "Pushes that a push service has taken.")
        gone = registry.counter("kerbside_push_gone_total", "Subscriptions that a push service knew no more.")
        failed = registry.counter("kerbside_push_failed_total", "Pushes that a push service has refused.")
        retried = registry.counter(
            "kerbside_push_retried_total", "Pushes that a push service has put off, or did not answer.")
        late = registry.counter(
            "kerbside_push_late_total", "Pushes that were of no use any more before they were taken.")
    }

    func leads(_ isLeading: Bool) {
        active.set(isLeading ? 1 : 0)
        if !isLeading { waiting.set(0) }
    }

    /// A full disk costs a sample, nothing else.
    func publish() { try? expositions.publish(registry.exposition(), worker: name) }
}
