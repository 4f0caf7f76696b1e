import ClientSupport

/// Plays a scenario with its clients, from the first connecting to the last goodbye; a `ReplayRunner` says when what begins.
///
/// Used on the loop's thread.
protocol ScenarioPlayer: AnyObject {
    var pool: ClientPool { get }
    /// Hub ms since it began; nil before.
    var offsetMs: Int64? { get }
    /// Whether it may begin now that all are connected. Throws when the hub's time is none of it.
    func isTimeToBegin() throws(RunError) -> Bool
    func begin()
    /// Nothing new is asked for, and no link is cut on purpose any more.
    func close()
    /// What is still open is ended. Called again and again until all is quiet.
    func bringToEnd()
    /// Who was not told yet how what it asked for ended, waits for an answer, is on a trip, or has no link: `driver cab7 (no link)`.
    var whoIsOpen: [String] { get }
    /// Nothing moves from here on, so that what clients see can be compared with what the hub has.
    func standStill()
    func signOff()
    var areAllSignedOff: Bool { get }
    /// Cuts what is left.
    func shutdown()
    /// How it is going, in a few words each.
    var progress: [String] { get }
}

extension ScenarioPlayer {
    func isTimeToBegin() throws(RunError) -> Bool { true }
    func standStill() {}
}
