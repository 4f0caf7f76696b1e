import EventLoop
import Glibc
import Testing

@testable import RedisLink

@Suite(.serialized) struct SubscriberTests {
    /// A server, a subscriber, and the connection for its heartbeat and for publishing.
    struct Setup {
        let redis: TestRedis
        let run: LoopRun
        let commands: RedisConnection
        let subscriber: RedisSubscriber

        init(limits: RedisLimits = RedisLimits()) throws {
            redis = try TestRedis()
            run = try LoopRun()
            commands = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket), limits: limits)
            subscriber = RedisSubscriber(
                loop: run.loop, endpoint: .unix(path: redis.socket), heartbeat: commands, limits: limits)
        }

        func start() {
            commands.start()
            subscriber.start()
            run.run()
            subscriber.close()
            commands.close()
        }

        func publish(_ channel: String, _ payload: RedisArgument) {
            commands.send(["PUBLISH", RedisArgument(channel), payload]) { result in
                // The message may come, and the test end, before the answer.
                if let receivers = try? result.get().int { #expect(receivers == 1) }
            }
        }
    }

    @Test("CH3: messages come in the order of publishing, over all channels, byte for byte")
    func order() throws {
        let setup = try Setup()
        let payload = (0...255).map { UInt8($0) }
        var got: [String] = []
        var last: [UInt8] = []
        setup.commands.onUp = {
            setup.subscriber.subscribe(["a", "b", "c"]) {
                for index in 0..<3000 {
                    setup.publish(["a", "b", "c"][index % 3], RedisArgument(index))
                }
                setup.publish("a", RedisArgument(payload))
            }
        }
        setup.subscriber.onMessage = { channel, payload in
            guard got.count < 3000 else {
                last = Array(payload)
                return setup.run.finish()
            }
            got.append(String(decoding: channel, as: UTF8.self) + String(decoding: payload, as: UTF8.self))
        }
        setup.start()
        #expect(got == (0..<3000).map { ["a", "b", "c"][$0 % 3] + "\($0)" })
        #expect(last == payload)
    }

    @Test("N1: after CLIENT KILL TYPE pubsub all channels are subscribed again before it is up")
    func resubscription() throws {
        let setup = try Setup()
        var events: [String] = []
        setup.subscriber.subscribe(["x"]) { events.append("x confirmed") }
        setup.subscriber.subscribe(["y", "z"]) { events.append("y confirmed") }
        setup.subscriber.onUp = {
            events.append("up")
            #expect(setup.subscriber.isUp)
            guard events.filter({ $0 == "up" }).count == 1 else { return setup.publish("z", "after") }
            setup.subscriber.unsubscribe(["y", "never"])
            setup.run.when(setup.commands.isUp) {
                setup.commands.send(["CLIENT", "KILL", "TYPE", "pubsub"]) { #expect((try? $0.get().int) == 1) }
            }
        }
        setup.subscriber.onDown = { _ in
            events.append("down")
            #expect(!setup.subscriber.isUp)
            // Asked for while it is down: confirmed when it is back.
            setup.subscriber.subscribe(["late"]) { events.append("late confirmed") }
        }
        setup.subscriber.onMessage = { channel, payload in
            events.append(String(decoding: channel, as: UTF8.self) + " " + String(decoding: payload, as: UTF8.self))
            setup.commands.send(["PUBSUB", "CHANNELS"]) { result in
                let channels = (try? result.get().array)?.compactMap(\.text) ?? []
                #expect(channels.filter { !$0.hasPrefix("kerbside:heartbeat:") }.sorted() == ["late", "x", "z"])
                #expect(channels.count == 4)
                setup.run.finish()
            }
        }
        setup.start()
        #expect(events == ["x confirmed", "y confirmed", "up", "down", "late confirmed", "up", "z after"])
    }

    @Test("A server that hangs is noticed by the heartbeat that does not come back, and taken again when it is well")
    func heartbeat() throws {
        var limits = RedisLimits()
        limits.heartbeatEveryMs = 20
        limits.heartbeatDeadAfterMs = 150
        limits.commandTimeoutMs = 100
        limits.connectTimeoutMs = 100
        let setup = try Setup(limits: limits)
        var reasons: [String] = []
        var beats = 0
        setup.subscriber.onMessage = { _, _ in Issue.record("the heartbeat is no message") }
        setup.subscriber.onUp = {
            guard reasons.isEmpty else { return setup.run.finish() }
            // Several heartbeats go and come back, with no other traffic, before the server hangs.
            setup.run.when(setup.commands.isUp) { count() }
        }
        func count() {
            setup.commands.send(["INFO", "commandstats"]) { result in
                beats += 1
                let text = (try? result.get().text) ?? ""
                guard let range = text.firstRange(of: "cmdstat_publish:calls="),
                    let calls = Int(text[range.upperBound...].prefix { $0 != "," }), calls >= 5
                else { return count() }
                setup.redis.suspend()
            }
        }
        setup.subscriber.onDown = { reason in
            reasons.append(reason)
            setup.redis.resume()
        }
        setup.start()
        #expect(reasons == ["the heartbeat did not come back within 150 ms"])
        #expect(beats > 0)
    }

    @Test("A dead publisher is no reason to give up a link that hears")
    func publisherAway() throws {
        var limits = RedisLimits()
        limits.heartbeatEveryMs = 10
        limits.heartbeatDeadAfterMs = 50
        let setup = try Setup(limits: limits)
        var isDown = false
        var isWatched = false
        let silence = LoopTimer(setup.run.loop)
        setup.commands.onUp = {
            setup.run.when(setup.subscriber.isUp) {
                guard !isWatched else { return }
                isWatched = true
                setup.commands.send(["PING"]) { _ in
                    setup.commands.close()
                    // Many times the heartbeat's deadline without a publisher.
                    silence.start(afterMs: 300) { setup.run.finish() }
                }
            }
        }
        setup.subscriber.onDown = { _ in isDown = true }
        setup.start()
        #expect(isWatched)
        #expect(!isDown)
    }

    @Test("2,000 channels are subscribed in batches, acknowledged once, and all heard; so again after a reconnect")
    func manyChannels() throws {
        let setup = try Setup()
        let names = (0..<2000).map { "channel:\($0)" }
        var acknowledged = 0
        var ups = 0
        var got: Set<String> = []
        func publishAll() {
            got = []
            for name in names { setup.publish(name, "x") }
        }
        setup.commands.onUp = {
            setup.subscriber.subscribe(names) {
                acknowledged += 1
                setup.commands.send(["PUBSUB", "NUMSUB"] + names.map { RedisArgument($0) }) { result in
                    let counts = (try? result.get().array) ?? []
                    #expect(counts.count == 4000)
                    #expect(stride(from: 1, to: counts.count, by: 2).allSatisfy { counts[$0] == .integer(1) })
                    publishAll()
                }
            }
        }
        setup.subscriber.onUp = {
            ups += 1
            if ups == 2 { publishAll() }
        }
        setup.subscriber.onMessage = { channel, _ in
            got.insert(String(decoding: channel, as: UTF8.self))
            guard got.count == names.count else { return }
            guard ups == 1 else { return setup.run.finish() }
            setup.commands.send(["CLIENT", "KILL", "TYPE", "pubsub"]) { _ in }
        }
        setup.start()
        #expect(acknowledged == 1)
        #expect(ups == 2)
        #expect(got == Set(names))
    }

    @Test("Subscribing to nothing is acknowledged, unsubscribing from nothing or from everything leaves the link alone")
    func nothing() throws {
        let setup = try Setup()
        var isAcknowledged = false
        setup.subscriber.onDown = { Issue.record("\($0)") }
        setup.subscriber.onUp = {
            setup.subscriber.subscribe(["only"]) {
                setup.subscriber.unsubscribe([])
                setup.subscriber.unsubscribe(["only"])
                setup.subscriber.unsubscribe(["only"])
                setup.subscriber.subscribe([]) { isAcknowledged = true }
                setup.subscriber.subscribe(["again", "again"]) {
                    setup.run.when(setup.commands.isUp) { setup.publish("again", "!") }
                }
            }
        }
        setup.subscriber.onMessage = { _, _ in setup.run.finish() }
        setup.start()
        #expect(isAcknowledged)
    }

    @Test("A user who may not subscribe is told so, and it is tried again until he may")
    func refusedSubscription() throws {
        let redis = try TestRedis(["user deaf on >pw ~* +@all resetchannels"])
        let run = try LoopRun()
        let commands = RedisConnection(loop: run.loop, endpoint: .unix(path: redis.socket))
        let subscriber = RedisSubscriber(
            loop: run.loop, endpoint: RedisEndpoint(.unix(path: redis.socket), user: "deaf", password: "pw"),
            heartbeat: commands)
        var isRefused = false
        commands.onUp = {
            subscriber.start()
            run.when(subscriber.lastFailure?.contains("refused a subscription: NOPERM") == true) {
                isRefused = true
                commands.send(["ACL", "SETUSER", "deaf", "allchannels"]) { _ in }
            }
        }
        subscriber.onUp = { run.finish() }
        commands.start()
        run.run()
        subscriber.close()
        commands.close()
        #expect(isRefused)
    }
}
