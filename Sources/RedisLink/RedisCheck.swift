/// Whether a Redis that somebody else runs is fit to hold queues and rides: recent enough, writable, kept on disk, and
/// not throwing data away when memory is short.
public enum RedisCheck {
    /// Asks the Redis behind `connection`, which has to be up. Each problem says what is wrong and what to do about it;
    /// none means fit. A Redis that doesn't say is one problem.
    public static func run(on connection: RedisConnection, _ completion: @escaping (_ problems: [String]) -> Void) {
        ask(connection) { result in
            switch result {
            case .success(let problems): completion(problems)
            case .failure(let failure): completion(["it could not be asked: \(failure)"])
            }
        }
    }

    /// The same, awaited. Throws when the link fails.
    public static func problems(of connection: RedisConnection) async throws(RedisFailure) -> [String] {
        let result = await withCheckedContinuation { continuation in
            ask(connection) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private static func ask(
        _ connection: RedisConnection, _ completion: @escaping (Result<[String], RedisFailure>) -> Void
    ) {
        var info: Result<RedisReply, RedisFailure> = .failure(.disconnected)
        connection.send(["INFO"]) { info = $0 }
        // Hosted ones often forbid CONFIG: then nothing is known about snapshots.
        connection.send(["CONFIG", "GET", "save"]) { save in
            switch info {
            case .success(let reply):
                completion(.success(problems(info: reply.text ?? "", save: (try? save.get())?["save"].text)))
            case .failure(.server(let text)):
                completion(.success(["it does not tell about itself (INFO): \(text)"]))
            case .failure(let failure):
                completion(.failure(failure))
            }
        }
    }

    /// - Parameters:
    ///   - info: what INFO answers.
    ///   - save: the setting `save`; nil when it is not known.
    static func problems(info: String, save: String?) -> [String] {
        let fields = fields(of: info)
        var problems: [String] = []
        let version = fields["redis_version"] ?? "unknown"
        if (Int(version.prefix { $0 != "." }) ?? 0) < 7 {
            problems.append("its version is \(version), and Redis functions need 7.0 or later: upgrade it")
        }
        if fields["role"] == "slave" {
            problems.append("it is a replica, which refuses writes: give the address of its master")
        }
        if fields["aof_enabled"] != "1", save?.isEmpty ?? true {
            problems.append(
                "it keeps nothing on disk\(save == nil ? " as far as can be seen" : ""), so that its restart would lose "
                    + "queues and rides: set \"appendonly yes\"")
        }
        if fields["aof_enabled"] == "1", fields["aof_last_write_status"] == "err" {
            problems.append("its last write to disk has failed: look at its log, and at the space on its disk")
        }
        let policy = fields["maxmemory_policy"] ?? "noeviction"
        if fields["maxmemory"] ?? "0" != "0", policy != "noeviction" {
            problems.append(
                "it throws data away when memory is full (maxmemory-policy \(policy)): set \"maxmemory-policy noeviction\""
            )
        }
        return problems
    }

    private static func fields(of info: String) -> [Substring: Substring] {
        var fields: [Substring: Substring] = [:]
        for line in info.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon]] = line[line.index(after: colon)...]
        }
        return fields
    }
}
