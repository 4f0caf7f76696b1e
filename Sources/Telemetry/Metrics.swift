/// The instruments of one process, and their text for Prometheus.
///
/// Instruments are made once, at start, and kept by whoever counts: counting is an add in memory, with no name looked
/// up. Everything here belongs to one thread. Names follow Prometheus: base units (`_seconds`, `_bytes`), counters end
/// in `_total`. A name that doesn't, or one used for two kinds of instrument, is a mistake in the program and stops it
/// at start.
public final class Metrics {
    /// Content type of ``exposition()``.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Label sets of one name. More would be a label by person or vehicle; the rest is counted together, as `other`.
    public static let maxSeries = 500

    private var families: [Family] = []
    private var indexByName: [String: Int] = [:]

    public init() {}

    /// A counter; the same one again for the same name and labels.
    public func counter(_ name: String, _ help: String, labels: KeyValuePairs<String, String> = [:]) -> Counter {
        precondition(name.hasSuffix("_total"), "\(name): a counter ends in _total")
        return instrument(name, help, .counter, labels, make: Counter.init) {
            if case .counter(let counter) = $0 { counter } else { nil }
        } source: {
            .counter($0)
        }
    }

    /// A gauge; the same one again for the same name and labels.
    public func gauge(_ name: String, _ help: String, labels: KeyValuePairs<String, String> = [:]) -> Gauge {
        instrument(name, help, .gauge, labels, make: Gauge.init) {
            if case .gauge(let gauge) = $0 { gauge } else { nil }
        } source: {
            .gauge($0)
        }
    }

    /// A histogram with fixed, rising bounds; the same one again for the same name and labels.
    public func histogram(
        _ name: String, _ help: String, bounds: [Double] = Histogram.seconds,
        labels: KeyValuePairs<String, String> = [:]
    ) -> Histogram {
        precondition(
            !bounds.isEmpty && bounds.allSatisfy(\.isFinite) && zip(bounds, bounds.dropFirst()).allSatisfy(<),
            "\(name): bounds must be finite and rise")
        precondition(!labels.contains { $0.key == "le" }, "\(name): le is the histogram's own label")
        return instrument(name, help, .histogram, labels) {
            Histogram(bounds: bounds)
        } known: {
            if case .histogram(let histogram) = $0 { histogram } else { nil }
        } source: {
            .histogram($0)
        }
    }

    /// A counter that is kept elsewhere and read when the text is made.
    public func counter(
        _ name: String, _ help: String, labels: KeyValuePairs<String, String> = [:], read: @escaping () -> Double
    ) {
        precondition(name.hasSuffix("_total"), "\(name): a counter ends in _total")
        observe(name, help, .counter, labels, read)
    }

    /// A gauge that is kept elsewhere and read when the text is made.
    public func gauge(
        _ name: String, _ help: String, labels: KeyValuePairs<String, String> = [:], read: @escaping () -> Double
    ) {
        observe(name, help, .gauge, labels, read)
    }

    /// All values as Prometheus text (version 0.0.4), families in the order in which they were made.
    public func exposition() -> String {
        var text = ""
        for family in families { family.write(to: &text) }
        return text
    }

    private func observe(
        _ name: String, _ help: String, _ kind: Family.Kind, _ labels: KeyValuePairs<String, String>,
        _ read: @escaping () -> Double
    ) {
        let index = family(name, help, kind)
        let text = MetricText.labels(labels)
        precondition(families[index].sources[text] == nil, "\(name){\(text)} is there already")
        families[index].add(text, .read(read))
    }

    private func instrument<Instrument>(
        _ name: String, _ help: String, _ kind: Family.Kind, _ labels: KeyValuePairs<String, String>,
        make: () -> Instrument, known: (Family.Source) -> Instrument?, source: (Instrument) -> Family.Source
    ) -> Instrument {
        let index = family(name, help, kind)
        var text = MetricText.labels(labels)
        if families[index].sources[text] == nil && families[index].order.count >= Self.maxSeries {
            text = MetricText.otherLabels(labels)
        }
        if let old = families[index].sources[text] {
            guard let instrument = known(old) else { preconditionFailure("\(name){\(text)} is read from elsewhere") }
            return instrument
        }
        let instrument = make()
        families[index].add(text, source(instrument))
        return instrument
    }

    private func family(_ name: String, _ help: String, _ kind: Family.Kind) -> Int {
        if let index = indexByName[name] {
            precondition(families[index].kind == kind, "\(name) is a \(families[index].kind) already")
            return index
        }
        MetricText.checkName(name, isCounter: kind == .counter)
        indexByName[name] = families.count
        families.append(Family(name: name, help: help, kind: kind))
        return families.count - 1
    }
}

/// All series of one name.
struct Family {
    enum Kind: String { case counter, gauge, histogram }

    enum Source {
        case counter(Counter)
        case gauge(Gauge)
        case histogram(Histogram)
        case read(() -> Double)
    }

    let name: String
    let help: String
    let kind: Kind
    /// By the text of their labels.
    private(set) var sources: [String: Source] = [:]
    private(set) var order: [String] = []

    init(name: String, help: String, kind: Kind) {
        self.name = name
        self.help = help
        self.kind = kind
    }

    mutating func add(_ labels: String, _ source: Source) {
        sources[labels] = source
        order.append(labels)
    }

    func write(to text: inout String) {
        text += "# HELP \(name) \(MetricText.escapedHelp(help))\n# TYPE \(name) \(kind.rawValue)\n"
        for labels in order {
            let braces = labels.isEmpty ? "" : "{\(labels)}"
            switch sources[labels] {
            case .counter(let counter): text += "\(name)\(braces) \(counter.value)\n"
            case .gauge(let gauge): text += "\(name)\(braces) \(MetricText.number(gauge.value))\n"
            case .read(let read): text += "\(name)\(braces) \(MetricText.number(read()))\n"
            case .histogram(let histogram): write(histogram, labels, braces, to: &text)
            case nil: break
            }
        }
    }

    private func write(_ histogram: Histogram, _ labels: String, _ braces: String, to text: inout String) {
        let comma = labels.isEmpty ? "" : ","
        var sum: UInt64 = 0
        for (bound, count) in zip(histogram.bounds + [.infinity], histogram.buckets) {
            sum &+= count
            text += "\(name)_bucket{\(labels)\(comma)le=\"\(MetricText.number(bound))\"} \(sum)\n"
        }
        text += "\(name)_sum\(braces) \(MetricText.number(histogram.sum))\n\(name)_count\(braces) \(sum)\n"
    }
}
