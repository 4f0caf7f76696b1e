public import Wire

extension CatalogStore {
    /// Carries out a command of the registry, as the operator `operator` would send it. Answers the JSON of its reply; throws a
    /// ``HubFailure`` that says why it was refused. `seen`: when the record that is changed was written, ms, as it was read (0: there
    /// was none); if it was written since, the command is refused.
    public func registry(_ command: RegistryCommand, by operator: String, seen: Int64? = nil) async throws -> JSONValue
    {
        try reply(try await carriedOut(command, by: `operator`, seen))
    }

    /// The record that a command asks for; nil: there is none.
    public func record(_ command: RegistryCommand, by operator: String) async throws -> JSONValue? {
        let answer = try await carriedOut(command, by: `operator`, nil)
        if case .refused(let code, _, _) = answer, code == ErrorCode.notFound.rawValue { return nil }
        return try reply(answer)
    }

    private func carriedOut(
        _ command: RegistryCommand, by operator: String, _ seen: Int64?
    ) async throws -> RedisFunctions.Answer {
        var wanted: (function: String, arguments: FunctionArguments)?
        command.carryOut(by: `operator`, key: "", seen: seen) { wanted = ($0, $1) }
        guard let wanted else { throw HubFailure("there is no such command") }
        return RedisFunctions.answer(.success(try await call(wanted.function, wanted.arguments)))
    }

    /// The JSON of an answer; throws a ``HubFailure`` that says why there is none.
    func reply(_ answer: RedisFunctions.Answer) throws -> JSONValue {
        switch answer {
        case .ok(let json): return try JSONValue(parsing: json)
        case .refused(_, let detail, _): throw HubFailure(detail)
        case .failed(let text): throw HubFailure("Redis could not carry it out: \(text)")
        case .unavailable: throw HubFailure("Redis does not answer")
        }
    }
}
