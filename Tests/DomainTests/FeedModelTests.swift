import Domain
import Testing
import Wire

/// What readers make of what they are sent is the truth of their view: whatever happens, and however many ticks they miss.
struct FeedModelTests {
    /// One subscription with its client.
    private final class Watcher {
        let keys: [FeedScopeKey]
        let subscription: FeedSubscription
        var reader = FeedReader()
        /// How likely it is sent something at a tick.
        let pace: Double

        init(_ keys: [FeedScopeKey], _ subscription: FeedSubscription, pace: Double) {
            self.keys = keys
            self.subscription = subscription
            self.pace = pace
        }
    }

    @Test("readers know the truth of their view after every delivery", arguments: 0..<24)
    func truth(part: Int) throws {
        for run in 0..<60 { try play(seed: UInt64(part * 1000 + run), ticks: 40) }
    }

    @Test("the same in a crowd, and for so long that logs are cut and swept", arguments: 0..<8)
    func crowd(part: Int) throws {
        try play(seed: UInt64(1_000_000 + part), ticks: 250, bustle: 60)
    }

    private func play(seed: UInt64, ticks: Int, bustle: Int = 8) throws {
        var world = FeedWorld(seed: seed, bustle: bustle)
        var watchers: [Watcher] = []
        for _ in 0..<ticks {
            if watchers.count < 8, world.chance(0.6) { watchers.append(watcher(in: &world)) }
            if world.chance(bustle > 8 ? 0.01 : 0.05), !watchers.isEmpty {
                give(up: watchers.remove(at: 0), in: &world)
            }
            world.step()
            for watcher in watchers where world.chance(watcher.pace) { try deliver(to: watcher, in: world, seed: seed) }
        }
    }

    private func deliver(to watcher: Watcher, in world: FeedWorld, seed: UInt64) throws {
        let subscription = watcher.subscription
        let isFirst = subscription.sentTick == nil
        let output = world.board.update(subscription)
        #expect(subscription.sentTick == world.board.tick)
        switch output {
        case .shared(let message):
            try watcher.reader.read(message.payload, subscription.encoding, channel: subscription.channel)
        case .own: try watcher.reader.read(world.board.scratch, subscription.encoding, channel: subscription.channel)
        case nil: #expect(!isFirst, "a snapshot is always sent")
        }
        if output != nil, isFirst { #expect(watcher.reader.wasSnapshot) }
        if world.isCutOff { return }
        let truth = world.truth(watcher.keys, subscription.view)
        let known = watcher.reader.vehicles
        let isRight = subscription.encoding == .json ? known == truth : Self.isClose(known, truth)
        #expect(isRight, "seed \(seed), tick \(world.board.tick), \(watcher.keys): \(known) is not \(truth)")
        if output != nil, subscription.view.visibility == .available {
            for id in watcher.reader.told { #expect(world.shown[id]?.state == .available, "seed \(seed)") }
        }
    }

    /// Protocol Buffers have headings in steps of 3 degrees, and the time of a movement in 10 ms.
    private static func isClose(_ known: [String: FeedReader.Vehicle], _ truth: [String: FeedReader.Vehicle]) -> Bool {
        guard known.count == truth.count else { return false }
        return known.allSatisfy { id, vehicle in
            guard var there = truth[id] else { return false }
            if abs(there.at - vehicle.at) <= 5 { there.at = vehicle.at }
            if let heading = there.heading, let rough = vehicle.heading {
                let turn = abs(heading - rough) % 360
                if min(turn, 360 - turn) <= 1 { there.heading = rough }
            }
            return there == vehicle
        }
    }

    private func watcher(in world: inout FeedWorld) -> Watcher {
        let keys: [FeedScopeKey]
        let channel: String
        switch Int.random(in: 0..<5, using: &world.random) {
        case 0:
            let zone = FeedWorld.zones.randomElement(using: &world.random)!
            (keys, channel) = ([.zone(zone)], "zone:\(zone)")
        case 1: (keys, channel) = ([.city], "city")
        case 2:
            let id = FeedWorld.ids.randomElement(using: &world.random)!
            (keys, channel) = ([.vehicle(id)], "vehicle:\(id)")
        case 3: (keys, channel) = ([.cell(FeedWorld.cells.randomElement(using: &world.random)!)], "near")
        default:
            let count = Int.random(in: 2...25, using: &world.random)
            (keys, channel) = (FeedWorld.cells.shuffled(using: &world.random).prefix(count).map { .cell($0) }, "near")
        }
        let scopes = keys.map { world.board.retain($0) }
        // As the hub does: the zones of what is known, and the state of a vehicle that is watched from now on.
        if case .zone = keys[0] { world.board.rezone(FeedWorld.zone) }
        if case .vehicle(let id) = keys[0] {
            world.watched.insert(id)
            if let record = world.known[id] { world.board.applyWatched(record) }
        }
        let subscription = FeedSubscription(
            channel: channel, scopes: scopes, view: view(in: &world), encoding: world.chance(0.5) ? .json : .protobuf)
        let pace = [1, 0.7, 0.2, 0.06].randomElement(using: &world.random)!
        return Watcher(keys, subscription, pace: pace)
    }

    private func view(in world: inout FeedWorld) -> FeedView {
        var filter = FeedFilter()
        if world.chance(0.2) { filter.kinds = [VehicleKinds(.taxi), VehicleKinds(.bus)] }
        if world.chance(0.2) { filter.states = [VehicleStates(.available), VehicleStates(.busy)] }
        if world.chance(0.2) { filter.seats = Int.random(in: 1...3, using: &world.random) }
        if world.chance(0.1) { filter.route = "R7" }
        let visibility = [FeedView.Visibility.available, .all, .own].randomElement(using: &world.random)!
        return FeedView(visibility: visibility, filter: filter)
    }

    private func give(up watcher: Watcher, in world: inout FeedWorld) {
        for scope in watcher.subscription.scopes { world.board.release(scope) }
    }
}
