/// An instant in both times: of this machine, for links and retries, and of the hub, for what people and vehicles do.
struct Moment: Equatable {
    /// Monotonic milliseconds of this process.
    var realMs: Int64
    /// Unix ms as the hub counts them.
    var hubMs: Int64
    /// Hub milliseconds per real millisecond.
    var speed: Double

    /// The real time at which the hub's clock will show `hubMs`.
    func real(atHub hubMs: Int64) -> Int64 {
        let wait = Double(hubMs - self.hubMs) / speed
        return wait > 1e12 ? .max : realMs + Int64(wait.rounded(.up))
    }

    func later(hubMs ms: Int64) -> Int64 { hubMs + ms }
}

/// How fast the hub's clock really runs, by the times in its messages.
struct HubPace {
    private var first: (realMs: Int64, hubMs: Int64)?
    private var last: (realMs: Int64, hubMs: Int64)?

    /// Takes in a time that the hub gave, when it came. A message from before (history) tells nothing.
    mutating func heard(hubMs: Int64, atRealMs realMs: Int64) {
        if first == nil { first = (realMs, hubMs) }
        if hubMs > last?.hubMs ?? .min { last = (realMs, hubMs) }
    }

    /// Hub ms per real ms; nil until two seconds lie between two readings.
    var hubPerReal: Double? {
        guard let first, let last, last.realMs - first.realMs >= 2_000 else { return nil }
        return Double(last.hubMs - first.hubMs) / Double(last.realMs - first.realMs)
    }
}

/// Hub time as the clients reckon it: from the times in the hub's answers to `hello`, running at a known speed.
struct HubClock: Equatable {
    /// Hub ms per real ms.
    let speed: Double
    private var anchorRealMs: Int64 = 0
    private var anchorHubMs: Int64 = 0
    private(set) var isSet = false

    init(speed: Double) { self.speed = speed }

    /// Takes in what the hub said its time was; the word has been under way since. So of two readings the one that is
    /// further ahead is nearer to the truth, unless the hub's clock was set anew.
    mutating func heard(hubMs: Int64, atRealMs realMs: Int64) {
        let expected = self.hubMs(atRealMs: realMs)
        guard !isSet || hubMs > expected || Double(expected - hubMs) > 10_000 * max(1, speed) else { return }
        (anchorRealMs, anchorHubMs, isSet) = (realMs, hubMs, true)
    }

    func hubMs(atRealMs realMs: Int64) -> Int64 {
        anchorHubMs + Int64((Double(realMs - anchorRealMs) * speed).rounded())
    }

    func moment(atRealMs realMs: Int64) -> Moment {
        Moment(realMs: realMs, hubMs: hubMs(atRealMs: realMs), speed: speed)
    }
}
