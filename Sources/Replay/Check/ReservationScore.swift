/// How many reservations got a taxi, by the log. One that was cancelled before is in none of these.
struct ReservationScore: Equatable {
    /// A driver had accepted, be it that its passenger or the driver thought better of it later.
    var assigned = 0
    /// None had; in the zone or beside it one had waited in the last ten minutes, or none.
    var failedNear = 0
    var failedAlone = 0

    /// Of those with a taxi near; nil: there were none.
    var share: Double? {
        let all = assigned + failedNear
        return all > 0 ? Double(assigned) / Double(all) : nil
    }

    /// Of so many a share says something; and so much it must be.
    private static let enough = 200
    private static let least = 0.95

    /// Too many got no taxi though one was near.
    var violations: [Violation] {
        guard let share, assigned + failedNear >= Self.enough, share < Self.least else { return [] }
        return [
            Violation(
                rule: .reservation,
                message:
                    "\(failedNear) of \(assigned + failedNear) reservations with a taxi near got none: over 5 %")
        ]
    }
}
