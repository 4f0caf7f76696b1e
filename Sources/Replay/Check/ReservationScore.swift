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
}
