import RedisLink
public import Wire

extension CatalogStore {
    /// What counts of a driver or a passenger, as `reliability.of` tells an operator; of somebody nobody has heard of it is nothing.
    public func reliability(of role: ReliabilityCommand.Person, _ subject: String) async throws -> JSONValue {
        let answer = try await call(
            "reliability_of",
            ["role": RedisArgument(role.rawValue), "subject": RedisArgument(subject), "all": "1"])
        return try reply(RedisFunctions.answer(.success(answer)))
    }
}
