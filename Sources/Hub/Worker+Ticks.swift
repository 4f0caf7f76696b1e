import Domain
import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// What happens by time: the batch of positions, ranks, sweeps, deadlines of connections.
extension Worker {
    /// A worker that has not swept for so long is dead to the others, real ms.
    static let deadAfterMs = 5_000
    /// Vehicles in one call: Redis serves nobody else meanwhile. Half of what waits if that is more, up to the larger number:
    /// where a call waits long for its turn, a busy fleet would otherwise fall behind more and more.
    static let (batch, largestBatch) = (50, 200)
    /// A tick is done in so many slices, so that positions, feeds and their sends come evenly and not in one heap.
    static let slicesPerTick = 5
    /// Between two portions of ranks, ms.
    static let rankSliceMs: UInt64 = 10
    /// Between two sweeps, ms of hub time; never less than 10 ms of real time.
    static let sweepMs = 100.0

    func startTimers() {
        startTicks()
        let interval = UInt64(max(10, Self.sweepMs / settings.clock.scale))
        sweep.start(afterMs: 0, repeatMs: interval) { self.onSweep() }
        lastSecond = loop.now
        seconds.start(afterMs: 1000, repeatMs: 1000) { self.onSecond() }
    }

    /// Positions wait for the next slice, not for the tick; each feed is told once a tick, in a slice of its own.
    func startTicks() {
        sliceDue = loop.now
        awaitSlice()
    }

    /// The next slice by the clock: one that comes late does not make the tick longer, as vehicles that send once a tick would
    /// be a little later each time. A worker that is late by a slice leaves it at that: to catch up would take what it lacks.
    private func awaitSlice() {
        let interval = UInt64(max(1, settings.positions.tickMs / Self.slicesPerTick))
        if sliceDue + interval < loop.now { sliceDue = loop.now }
        sliceDue += interval
        slices.start(afterMs: sliceDue > loop.now ? sliceDue - loop.now : 0) {
            self.awaitSlice()
            self.onSlice()
        }
    }

    private func onSlice() {
        slice += 1
        moved += movedAgain[slice % Self.slicesPerTick]
        movedAgain[slice % Self.slicesPerTick].removeAll(keepingCapacity: true)
        sendPositions()
        if slice % Self.slicesPerTick == 0 { onTick() }
        moveCircles()
        tellFeeds()
    }

    private func onTick() {
        flushTours()
        tellLaggingReaders()
        let owed = self.owed
        self.owed = []
        if commands.isUp {
            for call in owed { owe(call.function, call.arguments) }
        } else {
            self.owed = owed
        }
        catchUpSome()
        readFailedTopics()
    }

    private func onSweep() {
        guard commands.isUp, !isSweeping else { return }
        isSweeping = true
        // Days begin and end by the clock of the catalog's time zone.
        let offset = catalog.isKnown && clock.isSet ? RedisArgument(cityTime.offset(at: now() / 1000)) : ""
        let zone = catalog.isKnown && clock.isSet ? RedisArgument(zoneText(cityTime)) : ""
        dispatch.call("sweep", [RedisArgument(name), RedisArgument(Self.deadAfterMs), offset, zone]) { result in
            self.isSweeping = false
            switch result {
            case .success(let reply):
                self.storeServed()
                if let hub = reply[0].int { self.clock.set(hub: hub, at: self.loop.now) }
                self.swept(wasUnknown: reply[1].int == 1)
            case .failure(.server(let text)): self.log.error("sweep failed: \(text)")
            case .failure: break
            }
        }
    }

    /// Was taken for dead: this worker's drivers were marked away, so each says hello again.
    private func swept(wasUnknown: Bool) {
        if wasUnknown, hasSwept {
            toCatchUp += drivers.values.compactMap { $0.sessions.last }
            catchUpSome()
        }
        hasSwept = true
    }

    private func onSecond() {
        refreshFollowing()
        readCatalogIfDue()
        refreshRealtime()
        refreshClocks()
        forgetBudgets()
        tidy()
        watchMemory()
        // A loop that was held up finds its timers before its sockets: who said hello meanwhile is still to be read.
        let wasHeldUp = loop.now - lastSecond > 2_000
        lastSecond = loop.now
        for id in deadlines.advance(to: loop.now / 1000) { checkDeadline(id, isOurFault: wasHeldUp) }
        // The passenger of a silent taxi is told its ETA all the same, as often as of a moving one.
        for driver in drivers.values where !driver.isSuperseded {
            if case .busy = driver.duty, let fix = driver.lastFix { approach(driver, fix, after: nil) }
            if !driver.bookings.isEmpty, let fix = driver.lastFix { approachBookings(driver, fix, after: nil) }
        }
        // A failure costs one sample of another worker's answer, nothing else.
        try? expositions.publish(metrics.registry.exposition(), worker: name)
    }

    // MARK: positions

    /// Leaves a vehicle's latest position for the next slice, but not before a tick after the slice in which it was sent last.
    func soil(_ driver: DriverTrack) {
        guard !driver.isDirty else { return }
        driver.isDirty = true
        if slice - driver.flushedSlice < Self.slicesPerTick {
            movedAgain[driver.flushedSlice % Self.slicesPerTick].append(driver)
        } else {
            moved.append(driver)
        }
    }

    /// All that moved.
    func flushPositions() {
        for index in movedAgain.indices {
            moved += movedAgain[index]
            movedAgain[index].removeAll(keepingCapacity: true)
        }
        sendPositions()
    }

    /// The cell, and how far along its way a vehicle is, as `moved` in presence.lua takes them apart.
    private static func place(_ fix: Fix, _ driver: DriverTrack) -> RedisArgument {
        let cell = CellGrid.cell(of: fix.point).text
        return RedisArgument(driver.along.isEmpty ? cell : "\(cell) \(driver.along)")
    }

    /// What is due, the latest position of each vehicle, in calls one after the other. While Redis is away it waits: only
    /// the latest position counts.
    private func sendPositions() {
        guard !moved.isEmpty, !isBatchUnderWay, commands.isUp else { return }
        let batch = Array(moved.prefix(min(max(Self.batch, moved.count / 2), Self.largestBatch)))
        moved.removeFirst(batch.count)
        var arguments: [RedisArgument] = []
        arguments.reserveCapacity(batch.count * 9)
        for driver in batch {
            driver.isDirty = false
            driver.flushedSlice = slice
            guard let fix = driver.lastFix else { continue }
            arguments += [
                RedisArgument(driver.subject), RedisArgument(driver.sessions.last?.name ?? ""),
                RedisArgument(fix.point.lat),
                RedisArgument(fix.point.lon), RedisArgument(fix.at), fix.heading.map { RedisArgument($0) } ?? "",
                fix.speed.map { RedisArgument($0) } ?? "", Self.place(fix, driver), RedisArgument(driver.heardAt),
            ]
        }
        guard !arguments.isEmpty else { return }
        isBatchUnderWay = true
        dispatch.call("positions", arguments) { result in
            self.isBatchUnderWay = false
            switch result {
            case .success: return self.sendPositions()
            case .failure(.server(let text)): return self.log.error("positions failed: \(text)")
            case .failure: break
            }
            for driver in batch where !driver.isDirty {
                driver.isDirty = true
                self.moved.append(driver)
            }
        }
    }

    // MARK: ranks

    func zoneChanged(_ zone: String, _ reason: String) {
        guard changedZones.updateValue(reason, forKey: zone) == nil else { return }
        zonesToTell.append(zone)
        if zonesToTell.count == 1 { rankPace.start(afterMs: 0, repeatMs: Self.rankSliceMs) { self.tellSomeRanks() } }
    }

    /// A zone at most once a tick, and all zones spread over the tick: told together, a busy city's ranks would hold up every
    /// offer for the milliseconds that hundreds of sends take.
    private func tellSomeRanks() {
        guard commands.isUp else { return }
        let tick = UInt64(settings.positions.tickMs)
        let slices = max(1, Int(tick / Self.rankSliceMs))
        var left = (zonesToTell.count + slices - 1) / slices
        var later: [String] = []
        for zone in zonesToTell {
            guard left > 0, loop.now >= ranksToldAt[zone, default: 0] + tick,
                let reason = changedZones.removeValue(forKey: zone)
            else {
                later.append(zone)
                continue
            }
            left -= 1
            ranksToldAt[zone] = loop.now
            tellRanks(of: zone, reason)
        }
        zonesToTell = later
        if later.isEmpty { rankPace.stop() }
    }

    /// One reading of the queue, and the new rank to those of its drivers that are connected here.
    private func tellRanks(of zone: String, _ reason: String) {
        commands.send(["ZRANGE", RedisArgument(keys.queue(zone)), 0, -1]) { result in
            guard case .success(let reply) = result, let queue = reply.array else { return }
            // What the zone saw while it was read may stand in the answer already.
            let reason = self.changedZones[zone] ?? reason
            for (index, member) in queue.enumerated() {
                guard let id = member.text, let driver = self.drivers[id] else { continue }
                self.tell(driver, zone, rank: index + 1, size: queue.count, reason)
            }
        }
    }

    private func tell(_ driver: DriverTrack, _ zone: String, rank: Int, size: Int, _ reason: String) {
        if let told = driver.rank, told == (zone, rank, size) { return }
        driver.rank = (zone, rank, size)
        var json = JSONWriter()
        json.beginObject()
        json.member("zone", zone)
        json.member("rank", Int64(rank))
        json.member("size", Int64(size))
        json.member("reason", reason)
        json.endObject()
        metrics.rankMoves.increment()
        for session in driver.sessions where session.phase == .live {
            let channel = session.identity?.channel ?? ""
            send(session, Encode.state(channel: channel, type: "queue.rank", time: now(), data: json.bytes))
        }
    }
}
