import ClientSupport

/// Judges a run: `begin` before anything has happened, `finish` when all is quiet.
protocol RunVerifier: AnyObject {
    func begin() async throws(RunError)
    /// `mustBeOver`: everything that was asked for has had time to end.
    func finish(mustBeOver: Bool, pause: Pause) async throws(RunError) -> Verdict
}
