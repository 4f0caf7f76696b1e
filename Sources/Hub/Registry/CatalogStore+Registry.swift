public import Wire

extension CatalogStore {
    /// Carries out a command of the registry, as the operator `operator` would send it. Answers the JSON of its reply; throws a
    /// ``HubFailure`` that says why it was refused.
    public func registry(_ command: RegistryCommand, by operator: String) async throws -> JSONValue {
        var wanted: (function: String, arguments: FunctionArguments)?
        command.carryOut(by: `operator`, key: "") { wanted = ($0, $1) }
        guard let wanted else { throw HubFailure("there is no such command") }
        switch RedisFunctions.answer(.success(try await call(wanted.function, wanted.arguments))) {
        case .ok(let json): return try JSONValue(parsing: json)
        case .refused(_, let detail, _): throw HubFailure(detail)
        case .failed(let text): throw HubFailure("Redis could not carry it out: \(text)")
        case .unavailable: throw HubFailure("Redis does not answer")
        }
    }
}
