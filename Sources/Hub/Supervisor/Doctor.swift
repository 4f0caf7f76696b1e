import Domain
public import EventLoop
import Glibc
import RedisLink
public import Settings
import Tokens
import WebSocketServer

/// Whether this machine and this Redis are fit for the hub, and what to do if not.
public enum Doctor {
    public struct Finding: Sendable {
        public enum Verdict: String, Sendable { case good, poor, unfit }

        public let verdict: Verdict
        /// What was looked at and found, and what to do about it, in a sentence each.
        public let text: String
    }

    /// Looks at everything; calls `tell` for each thing as it is found. Runs the loop until it is done.
    public static func examine(_ settings: Settings, loop: EventLoop, _ tell: (Finding) -> Void) {
        tell(openFiles(settings))
        tell(workers(settings))
        tell(zones(settings))
        if !settings.pages.map.isEmpty { tell(map(settings)) }
        tell(port(settings))
        tell(tls(settings))
        tell(tokens(settings))
        for finding in exposures(settings) { tell(finding) }
        for finding in redis(settings, loop) { tell(finding) }
        for finding in records(settings) { tell(finding) }
    }

    private static func openFiles(_ settings: Settings) -> Finding {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let most = limit.rlim_max > 1 << 60 ? "unlimited" : String(limit.rlim_max)
        let text = "open files: \(most) per process, so about as many connections per worker."
        let excess = excessConnections(settings)
        if limit.rlim_max >= 10_000, excess == nil { return Finding(verdict: .good, text: text) }
        let more = excess.map { " \($0)." } ?? ""
        return Finding(
            verdict: .poor, text: text + more + " Raise the limit with LimitNOFILE= of the service, or `ulimit -Hn`.")
    }

    /// What is to be said where more connections are set than a worker will take. The service may have another limit.
    public static func excessConnections(_ settings: Settings) -> String? {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let most = ServerLimits.sockets(openFiles: limit.rlim_max)
        guard settings.server.maxConnections > most else { return nil }
        return "server.max_connections is \(settings.server.maxConnections), but the limit of open files leaves \(most)"
    }

    private static func workers(_ settings: Settings) -> Finding {
        let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        let count = settings.workerCount
        let text = "workers: \(count) on \(cores) cores."
        if count <= cores { return Finding(verdict: .good, text: text) }
        return Finding(
            verdict: .poor, text: text + " More workers than cores only wait for each other: lower server.workers.")
    }

    private static func zones(_ settings: Settings) -> Finding {
        do {
            var repairs = 0
            let set = try CityZones.load(settings) { _ in repairs += 1 }
            let repaired = repairs > 0 ? " \(repairs) repairs were made." : ""
            return Finding(verdict: .good, text: "zones: \(set.zones.count) of \(settings.zones.file).\(repaired)")
        } catch {
            return Finding(verdict: .unfit, text: "\(error)")
        }
    }

    private static func map(_ settings: Settings) -> Finding {
        NamedFiles.mapProblem(settings).map { Finding(verdict: .poor, text: "\($0). Pages do without it.") }
            ?? Finding(verdict: .good, text: "map: \(settings.pages.map) can be used.")
    }

    private static func port(_ settings: Settings) -> Finding {
        let (host, port) = (settings.server.host, settings.server.port)
        do {
            let reservation = try PortReservation(host: host, port: port)
            return Finding(verdict: .good, text: "port: \(host):\(reservation.port) is free.")
        } catch {
            // A hub with TLS is not asked; it is known by its data directory.
            let answer = settings.server.tls.isOn ? nil : LocalHTTP.get("/", host: host, port: port)
            if answer?.text.contains(StatusPages.greeting(settings.city.id)) == true {
                return Finding(verdict: .good, text: "port: a hub runs here, on \(host):\(port).")
            }
            if DirectoryLock.isHeld(settings.data.dir) {
                return Finding(
                    verdict: .good,
                    text: "port: \(host):\(port) is taken, and a hub runs with the data directory \(settings.data.dir)."
                )
            }
            return Finding(verdict: .poor, text: "\(error)")
        }
    }

    private static func exposures(_ settings: Settings) -> [Finding] {
        Exposures.of(settings).map { Finding(verdict: .unfit, text: "\($0).") }
    }

    /// The keys as a hub would read them; before its first start there is no secret yet.
    private static func tokens(_ settings: Settings) -> Finding {
        do {
            try TokenVerifier.check(settings)
            guard access(settings.tokenSecretFile, F_OK) == 0 else {
                return Finding(
                    verdict: .good, text: "tokens: \(settings.tokenSecretFile) will be made at the first start.")
            }
            let keys = settings.tokens.publicKeys.count
            return Finding(
                verdict: .good, text: "tokens: \(settings.tokenSecretFile) and \(keys) keys of others can be used.")
        } catch {
            return Finding(verdict: .unfit, text: "tokens: \(error)")
        }
    }

    private static func tls(_ settings: Settings) -> Finding {
        guard let files = settings.tlsFiles else {
            return Finding(verdict: .good, text: "TLS: off, on loopback only.")
        }
        do {
            try files.check()
            return Finding(verdict: .good, text: "TLS: \(files.certificate) and its key go together.")
        } catch {
            return Finding(verdict: .unfit, text: "TLS: \(error)")
        }
    }

    /// The configured Redis is asked; of the embedded one its program is looked for.
    private static func redis(_ settings: Settings, _ loop: EventLoop) -> [Finding] {
        guard !settings.redis.isEmbedded else {
            let isThere =
                settings.redis.server.contains("/")
                ? access(settings.redis.server, X_OK) == 0 : isOnPath(settings.redis.server)
            return [
                isThere
                    ? Finding(verdict: .good, text: "Redis: embedded, from \(settings.redis.server).")
                    : Finding(
                        verdict: .unfit,
                        text: "Redis: \(settings.redis.server) is not there. Install the Debian package redis-server.")
            ]
        }
        let found = Box<[Finding]>([])
        do {
            let connection = RedisConnection(
                loop: loop, endpoint: try RedisLocation(settings).endpoint, limits: RedisLimits(settings))
            connection.onUp = {
                RedisCheck.run(on: connection) { problems in
                    found.value =
                        problems.isEmpty
                        ? [Finding(verdict: .good, text: "Redis: fit.")]
                        : problems.map { Finding(verdict: .unfit, text: "Redis: \($0)") }
                    loop.stop()
                }
            }
            connection.onRetry = { reason in
                found.value = [Finding(verdict: .unfit, text: "Redis: can't be reached: \(reason)")]
                loop.stop()
            }
            connection.start()
            loop.run()
            connection.close()
        } catch {
            found.value = [Finding(verdict: .unfit, text: "redis.url: \(error)")]
        }
        return found.value
    }

    private static func isOnPath(_ program: String) -> Bool {
        guard let path = getenv("PATH") else { return false }
        return String(cString: path).split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    private final class Box<Value> {
        var value: Value
        init(_ value: Value) { self.value = value }
    }
}
