/// Where a run stands.
enum RunPhase: String {
    case connecting
    case playing
    /// No new passengers: rides end by themselves.
    case closing = "last rides"
    /// What is still open is brought to its end.
    case settling
    case checking
    case leaving
}
