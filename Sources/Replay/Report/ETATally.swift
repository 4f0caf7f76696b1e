import Domain

/// How good the times of arrival were that passengers were told, against when their taxi was there. Only where it drove as somebody
/// really drove: how long a straight line takes says nothing.
struct ETATally {
    private struct Pickup: Hashable {
        var ride: String
        var taxi: String
    }

    private(set) var waysRecorded = 0
    private(set) var waysStraight = 0
    /// Rides whose taxi came to the pickup, on a recorded way and not.
    private(set) var ridesJudged = 0
    private(set) var ridesNotJudged = 0
    /// What was believed every half minute: what was told last, less the time since. So a time counts for as long as it was believed,
    /// however often others were told.
    private(set) var believed = HorizonScores()
    /// What was told with the acceptance.
    private(set) var first = HorizonScores()

    private var told: [Pickup: [ToldETA]] = [:]
    private var arrived: Set<Pickup> = []

    private static let everyMs: Int64 = 30_000
    /// Nearer than this errors in percent say little.
    private static let leastMs: Int64 = 180_000

    mutating func setOut(isRecorded: Bool) {
        if isRecorded { waysRecorded += 1 } else { waysStraight += 1 }
    }

    mutating func told(_ eta: ToldETA) { told[Pickup(ride: eta.ride, taxi: eta.taxi), default: []].append(eta) }

    mutating func arrived(ride: String, taxi: String, atMs: Int64, isRecorded: Bool) {
        let pickup = Pickup(ride: ride, taxi: taxi)
        guard arrived.insert(pickup).inserted else { return }
        let etas = (told.removeValue(forKey: pickup) ?? []).sorted { $0.atMs < $1.atMs }
        guard isRecorded else {
            ridesNotJudged += 1
            return
        }
        ridesJudged += 1
        for eta in etas where eta.isFirst { judge(eta, at: eta.atMs, arrival: atMs, in: &first) }
        guard var now = etas.first?.atMs else { return }
        var index = 0
        while atMs - now >= Self.leastMs {
            while index + 1 < etas.count, etas[index + 1].atMs <= now { index += 1 }
            judge(etas[index], at: now, arrival: atMs, in: &believed)
            now += Self.everyMs
        }
    }

    private func judge(_ eta: ToldETA, at now: Int64, arrival: Int64, in scores: inout HorizonScores) {
        let since = Double(now - eta.atMs) / 1000
        var bounds: (Double, Double)?
        if let early = eta.early, let late = eta.late { bounds = (early - since, late - since) }
        scores.add(max(0, eta.seconds - since), bounds, took: Double(arrival - now) / 1000)
    }
}
