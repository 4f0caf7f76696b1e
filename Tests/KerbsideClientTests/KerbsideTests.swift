import Foundation
import KerbsideClient
import Testing

/// What only the Swift library has: loops, handlers that wait, tasks that are cancelled, files. All else is in Tests/clients.
@Suite struct KerbsideTests {
    @Test func aLoopReadsASubscriptionUntilItIsClosed() async throws {
        let hub = FakeHub()
        let client = hub.client()
        await client.start()
        let subscription = await client.subscribe("topic:city")
        await hub.got(1)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let reading = Task {
            var read: [Int?] = []
            var messages = subscription.makeAsyncIterator()
            begin.finish()
            while let message = try await messages.next() { read.append(message.data.int) }
            return read
        }
        for await _ in begun {}
        await client.settled()
        while await subscription.readers == 0 { await Task.yield() }
        for number in 1...3 { hub.push("topic:city", "notice", .int(number), seq: "\(number)-0") }
        await client.settled()
        await subscription.close()
        #expect(try await reading.value == [1, 2, 3])
        #expect(await subscription.state == .closed)
    }

    @Test func anEventIsAppliedWhenTheLoopComesBack() async throws {
        let hub = FakeHub()
        let storage = MemoryStorage()
        let client = hub.client(storage: storage, remembers: true)
        await client.start()
        let subscription = await client.subscribe("topic:city")
        await hub.got(1)
        let reading = Task {
            for try await message in subscription where message.type == "last" { break }
        }
        while await subscription.readers == 0 { await Task.yield() }
        hub.push("topic:city", "notice", 1, seq: "1-0")
        hub.push("topic:city", "last", 2, seq: "2-0")
        try await reading.value
        await client.stop()
        #expect(await storage.all()["seq:topic:city"] == "2-0")
    }

    @Test func handlersThatWaitAreCalledOneAfterTheOther() async {
        let hub = FakeHub()
        let client = hub.client(remembers: true)
        let seen = Seen()
        await client.on(Events.QueueLeft.self) { (_: Events.QueueLeft) in }
        await client.on("notice") { message in
            await seen.add("begin \(message.data.text)")
            await Task.yield()
            await seen.add("end \(message.data.text)")
        }
        await client.start()
        await client.settled()
        for number in 1...2 { hub.push("driver:T1", "notice", .int(number), seq: "\(number)-0") }
        await client.settled()
        #expect(await seen.rows == ["begin 1", "end 1", "begin 2", "end 2"])
    }

    @Test func anOfferIsReadByItsTypeAndSaidToBeSeen() async {
        let hub = FakeHub()
        let client = hub.client()
        let (offers, told) = AsyncStream<Events.OfferMade>.makeStream()
        let (faults, fault) = AsyncStream<String>.makeStream()
        await client.on(Events.OfferMade.self) { told.yield($0) }
        await client.on(Fault.self) { fault.yield("\($0.error)") }
        await client.start()
        await client.settled()
        // One that is none is a fault, and no offer that somebody has seen.
        hub.push("driver:T1", "offer.made", ["ride": "r1", "zone": "18"], seq: "1-0")
        let offer: JSON = [
            "ride": "r2", "zone": "18", "passengers": 2, "expires_in_ms": 10_000, "expires_at": 10_000,
        ]
        hub.push("driver:T1", "offer.made", offer, seq: "2-0")
        await client.settled()
        told.finish()
        fault.finish()
        var rides: [String] = []
        for await offer in offers { rides.append("\(offer.ride) \(offer.expiresAt)") }
        #expect(rides == ["r2 10000"])
        for await text in faults { #expect(text.contains("is missing")) }
        #expect(hub.commands == ["offer.seen"])
    }

    @Test func whoWaitsNoMoreTakesNothingBack() async throws {
        let hub = FakeHub(silent: ["driver.available"])
        let client = hub.client()
        await client.start()
        let call = Task { try await client.call(Commands.DriverAvailable(), key: "k1") }
        await hub.got(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(await client.pending.map(\.key) == ["k1"])
    }

    @Test func aSlipIsKnownAtOnce() async {
        let client = FakeHub().client()
        await #expect(throws: Misuse.self) { try await client.call("offer.seen", ["ride": "r1"]) }
        await #expect(throws: Misuse.self) { try await client.call("publish", ["data": [.double(.nan)]]) }
        #expect(await client.pending.isEmpty)
    }

    @Test func aClientThatNobodyHoldsLeaves() async {
        let hub = FakeHub()
        var client: Kerbside? = hub.client()
        await client?.start()
        await client?.settled()
        #expect(hub.goodbyes.isEmpty)
        client = nil
        while hub.goodbyes.isEmpty { await Task.yield() }
        #expect(hub.goodbyes == [1000])
    }

    @Test func whatWaitsOutlivesTheAppInFiles() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kerbside-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = FakeHub().client(storage: FileStorage(folder))
        await first.send("ride.end", ["ride": "r/ü"], key: "k:1", then: { _ in })
        await first.settled()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let path = folder.appendingPathComponent(try #require(files.first)).path
        let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        // What can't be read does not cost the rest.
        try Data("no JSON".utf8).write(to: folder.appendingPathComponent("act%3A1.kept"))
        let hub = FakeHub()
        let second = hub.client(storage: FileStorage(folder))
        await second.on(Fault.self) { (_: Fault) in }
        await second.start()
        await hub.got(1)
        await second.settled()
        #expect(hub.commands == ["ride.end"])
        #expect(try await FileStorage(folder).all().isEmpty)
    }
}
