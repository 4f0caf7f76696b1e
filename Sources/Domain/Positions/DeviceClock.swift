/// Puts the times that a device gives its fixes into the hub's time. One value per bus driver.
///
/// From the device's clock to the hub's a fix takes as long as the clocks differ and the way takes: its lag. What is above the
/// least lag of late, it was stored. So a clock that is behind makes nothing earlier, and a batch that comes after a tunnel is
/// placed where it was measured. Of a first fix nobody knows which it is: it counts as measured when it came.
public struct DeviceClock: Sendable {
    /// The least lag since `since`, and the one of the time before that; ms. Each counts for a fifth of what may be stored (a minute
    /// of 5): so long a clock that was set back, or runs slowly, is taken for one that is late.
    private var least: Int64?
    private var leastBefore: Int64?
    private var since: Int64 = 0
    private var lastAt: Int64?
    private var latest: Int64 = 0

    public init() {}

    /// What another worker knew of it (`text`); nothing if that is of another form.
    public init<Text: StringProtocol>(text: Text) {
        let values = text.split(separator: "/", omittingEmptySubsequences: false).map { Int64($0) }
        guard values.count == 3, let since = values[2] else { return }
        (least, leastBefore, self.since) = (values[0], values[1], since)
    }

    /// What is known, for the driver's next worker. Without the time a device that comes back each minute would never be known.
    public var text: String {
        "\(least.map { String($0) } ?? "")/\(leastBefore.map { String($0) } ?? "")/\(since)"
    }

    /// When a fix that was believed was measured, by the hub's clock, Unix ms: rises with each fix, unless that clock was
    /// set back.
    ///
    /// - Parameters:
    ///   - at: the device's time of it, not ahead of `now`.
    ///   - now: hub time at which it came.
    ///   - longest: nothing that was stored for longer, ms, is believed.
    public mutating func time(of at: Int64, heardAt now: Int64, longest: Int64) -> Int64 {
        // The hub's clock was set back.
        if max(since, latest) - now > longest / 5 { self = DeviceClock() }
        let lag = now - at
        let wasSetBack = lastAt.map { at < $0 } ?? false
        if wasSetBack || lag - (usual ?? lag) > longest { (least, leastBefore) = (nil, nil) }
        lastAt = at
        if now - since >= longest / 5 { (least, leastBefore, since) = (nil, least, now) }
        least = min(least ?? lag, lag)
        latest = max(latest + 1, now - (lag - (usual ?? lag)))
        return latest
    }

    private var usual: Int64? {
        guard let least, let leastBefore else { return least ?? leastBefore }
        return min(least, leastBefore)
    }
}
