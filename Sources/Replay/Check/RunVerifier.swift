import ClientSupport

/// Judges a run: `begin` before anything has happened, `finish` when all is quiet.
protocol RunVerifier: AnyObject {
    func begin() async throws(RunError)
    /// How things stand now. `mustBeOver`: everything that was asked for has had time to end.
    func look(mustBeOver: Bool, pause: Pause) async throws(RunError) -> Verdict
}

extension RunVerifier {
    /// What was sent last may still be on its way: Redis may be away just now, and after a cut a link sends what was lost again
    /// after ten seconds and more. So what is wrong is looked at again, as nothing but that happens any more; what is wrong for
    /// good stays wrong.
    func finish(mustBeOver: Bool, pause: Pause) async throws(RunError) -> Verdict {
        let limit = Monotonic.milliseconds + 30_000
        while true {
            let verdict = try await look(mustBeOver: mustBeOver, pause: pause)
            if verdict.violations.isEmpty || Monotonic.milliseconds > limit { return verdict }
        }
    }
}
