import ArgumentParser
import Hub
import LoadBench

extension Bench {
    struct Events: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "One reads the city's log back, then many follow what happens.",
            discussion: """
                Measured are events read back a second with the memory of all processes meanwhile, and the time from an event's \
                place in the log to each follower. It writes events that did not happen, so it has a hub of its own.
                """)

        @OptionGroup var options: ConfigOptions

        @Option(help: "Events of the past, read back by one (0: none).")
        var past = 1_000_000

        @Option(help: "Followers of what happens (0: none).")
        var followers = 100

        @Option(help: "Events a second.")
        var rate = 1000.0

        @Option(name: .customLong("for"), help: "Seconds measured, after 2 s of warm-up.")
        var seconds = 10.0

        @Flag(help: "Print the result as JSON.")
        var json = false

        func validate() throws {
            guard (0...20_000_000).contains(past), (0...5000).contains(followers), rate > 0, seconds > 0 else {
                throw ValidationError(
                    "--past is 0 to 20000000, --followers 0 to 5000; --rate and --for must be above 0")
            }
        }

        func run() throws {
            var options = self.options
            if options.workers == nil { options.workers = 1 }
            // As it is, but for the length of the log, and for what is no business of it: events of taxis that there are not.
            let own = try OwnHub(
                options,
                with: [
                    "redis.events_length=\(max(past * 2, 100_000))", "server.max_connections_per_service=0",
                    "store.url=none",
                ])
            defer { own.stop() }
            let tokens = try TokenSource(own.settings)
            var configuration = EventsBench.Configuration(
                url: HubAddress.url(own.settings), redis: try RedisLocation(own.settings).endpoint,
                log: EventTail.log(of: own.settings), token: { tokens.token(role: $0, subject: $1) })
            configuration.trust = HubAddress.trust(own.settings)
            configuration.past = past
            configuration.followers = followers
            configuration.rate = rate
            configuration.seconds = seconds
            configuration.servers = own.children.map { ServerProcess(name: $0.name, pid: $0.pid) }
            configuration.isJSON = json
            let code = EventsBench(configuration).run()
            if code != 0 { throw ExitCode(code) }
        }
    }
}
