import Domain
import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// The way of a position: judged by the filter, told to those who go by it (rides, seats), left for the tick's batch to Redis.
final class Positions: PushListener {
    let services: WorkerServices
    private var vehicles: [String: VehicleTrack] = [:]
    private var byConnection = ConnectionTable<VehicleTrack>()
    /// The filters of vehicles that have left within the last minute or two, by `nameOfFilter`: who is back has no new start.
    private var left: [String: PositionFilter] = [:]
    private var leftBefore: [String: PositionFilter] = [:]
    /// Ms of the loop.
    private var leftSince: UInt64 = 0

    /// The number of the present slice; a tick has `slicesPerTick`.
    private var slice = 0
    /// Moved since Redis was told, and sent in the next slice.
    private var moved: [VehicleTrack] = []
    /// The same of those that Redis was told of within the last tick: they wait for the slice a tick later, here by its
    /// number modulo `slicesPerTick`.
    private var movedAgain: [[VehicleTrack]] = Array(repeating: [], count: WorkerServices.slicesPerTick)
    private var isBatchUnderWay = false

    /// Vehicles in one call: Redis serves nobody else meanwhile. Half of what waits if that is more, up to the larger number:
    /// where a call waits long for its turn, a busy fleet would otherwise fall behind more and more.
    private static let (batch, largestBatch) = (50, 200)

    init(_ services: WorkerServices) { self.services = services }

    /// Of a driver's connection.
    func vehicle(of session: Session) -> VehicleTrack? { byConnection[session.connection] }

    /// Of a driver that is connected here.
    func vehicle(_ subject: String) -> VehicleTrack? { vehicles[subject] }

    // MARK: connections

    /// Redis has said where it has the vehicle.
    func caughtUp(_ session: Session, _ identity: Identity, _ reply: HelloReply) {
        guard identity.role == .driver else { return }
        let vehicle = vehicles[identity.subject] ?? begin(VehicleTrack(subject: identity.subject))
        vehicles[identity.subject] = vehicle
        if !vehicle.sessions.contains(where: { $0 === session }) { vehicle.sessions.append(session) }
        byConnection[session.connection] = vehicle
        vehicle.registered = session.name
        vehicle.isSuperseded = false
        vehicle.isMinibus = reply.snapshot["kind"]?.text == VehicleKind.minibus.text.description
        vehicle.stored = reply.lastPosition
    }

    /// Goes on from where Redis had the vehicle: after those who go by it have learned what it does.
    func wentLive(_ session: Session) {
        guard let vehicle = byConnection[session.connection], let (fix, heard) = vehicle.stored else { return }
        vehicle.stored = nil
        // Heard before the hub's clock was set back: nobody knows how long ago.
        guard heard - now() <= settings.filterLimits.setBackMs else { return }
        // What another worker believed while this one's connection was silent counts: a silent one gains no time for a jump.
        let isNewer = expect(fix, heard, of: vehicle)
        if isNewer || vehicle.lastFix == nil, now() - heard <= Int64(settings.dispatch.staleAfterMs) {
            vehicle.heardAt = heard
            vehicle.lastFix = fix
            // One that was stored is older; how good it was nobody keeps.
            vehicle.isLastFixSure = now() - heard <= settings.filterLimits.replayDelayMs
        }
    }

    /// Redis may hold a session for a driver's that is not: the driver is given back to its other one, or is away.
    func helloFailed(_ session: Session, _ identity: Identity) {
        guard identity.role == .driver, byConnection[session.connection] == nil else { return }
        if let other = vehicles[identity.subject]?.sessions.last(where: { $0.phase == .live }) {
            sessions.catchUpAgain([other])
        } else {
            functions.retryUntilDone(
                "driver_gone", ["driver": RedisArgument(identity.subject), "session": RedisArgument(session.name)])
        }
    }

    func closed(_ session: Session) {
        guard let vehicle = byConnection.remove(session.connection) else { return }
        vehicle.sessions.removeAll { $0 === session }
        // It may be back in a moment, on another worker, which then must know where it is.
        flush(vehicle)
        if let other = vehicle.lastOpenSession {
            sessions.catchUpAgain([other], isUrgent: true)
        } else if vehicle.sessions.isEmpty {
            vehicles[vehicle.subject] = nil
            end(vehicle)
            functions.retryUntilDone(
                "driver_gone", ["driver": RedisArgument(vehicle.subject), "session": RedisArgument(vehicle.registered)])
        }
    }

    /// This worker's drivers were marked away, so each says hello again.
    func takenForDead() {
        sessions.catchUpAgain(vehicles.values.compactMap { $0.sessions.last }, isUrgent: true)
    }

    // MARK: fixes

    /// A position of a driver.
    func position(_ position: PositionFix, _ id: Int64?, _ session: Session, _ vehicle: VehicleTrack) {
        guard let judged = judge(position, id, session, of: vehicle) else { return }
        if let accepted = judged.accepted {
            let isTold = accepted.isForFences && accepted.isLive && !vehicle.isSuperseded
            for follower in vehicle.followers { follower.moved(vehicle, to: judged.fix, accepted, isTold: isTold) }
        }
        answer(judged, id, session)
    }

    func answer(_ judged: JudgedFix, _ id: Int64?, _ session: Session) {
        guard id != nil else { return }
        var json = JSONWriter()
        json.beginObject()
        if judged.accepted == nil { json.member("ignored", judged.ignored.description) }
        json.endObject()
        reply(session, id, json.bytes, to: "position")
    }

    /// Holds a fix against the vehicle's last ones, and leaves it for the tick's batch when it is believed (`accepted` then
    /// says how far). Nil: it was refused, and the client was told so.
    func judge(
        _ position: PositionFix, _ id: Int64?, _ session: Session, of vehicle: VehicleTrack
    ) -> JudgedFix? {
        var fix = Fix(
            GeoPoint(lat: position.lat, lon: position.lon), at: position.at, accuracy: position.accuracy,
            speed: position.speed, heading: position.heading)
        metrics.positions.increment()
        let time = now()
        // A clock that is ahead, within the limit, is taken for now: kept as it is, one such fix would make all that
        // follow it late.
        if fix.at > time, fix.at - time <= Int64(settings.positions.futureMs) { fix.at = time }
        let verdict = vehicle.filter.offer(fix, receivedAt: time, limits: settings.filterLimits)
        switch verdict {
        case .accepted, .late, .old, .duplicate: vehicle.sentAt = fix.at
        case .quarantined, .refused: break
        }
        switch verdict {
        case .accepted(let accepted):
            vehicle.lastFix = fix
            vehicle.isLastFixSure = accepted.isForFences && accepted.isLive
            // What lies ahead was heard before the hub's clock was set back.
            vehicle.heardAt = max(min(vehicle.heardAt, time), accepted.measuredAt)
            if vehicle.isShown { markDirty(vehicle) }
            return JudgedFix(fix: fix, accepted: accepted)
        case .late: return ignored(fix, "late")
        case .old: return ignored(fix, "old")
        case .duplicate: return ignored(fix, "duplicate")
        case .quarantined: return ignored(fix, "jump")
        case .refused(let refusal):
            metrics.positionsIgnored.increment()
            let (code, detail) = Self.explain(refusal)
            refuse(session, id, code, detail)
            return nil
        }
    }

    /// A vehicle that is here (again), perhaps with another device: where it was lately counts.
    func begin(_ vehicle: VehicleTrack) -> VehicleTrack {
        if let known = left[vehicle.nameOfFilter] ?? leftBefore[vehicle.nameOfFilter] { vehicle.filter = known.anew() }
        return vehicle
    }

    /// It has left.
    func end(_ vehicle: VehicleTrack) { left[vehicle.nameOfFilter] = vehicle.filter }

    private func forgetLeft() {
        guard loop.now - leftSince >= 60_000 else { return }
        (left, leftBefore, leftSince) = ([:], left, loop.now)
    }

    /// Has the vehicle's next fix held against its last position, which another worker or an earlier connection believed. False: a
    /// later one was believed here.
    @discardableResult
    func expect(_ last: Fix, _ heard: Int64, of vehicle: VehicleTrack) -> Bool {
        var last = last
        // Nobody keeps how good it was: it counts as the worst that is believed.
        last.accuracy = settings.positions.mapAccuracyM
        return vehicle.filter.expect(last, atHubTime: heard)
    }

    private func ignored(_ fix: Fix, _ reason: StaticString) -> JudgedFix {
        metrics.positionsIgnored.increment()
        return JudgedFix(fix: fix, ignored: reason)
    }

    private static func explain(_ refusal: PositionFilter.Refusal) -> (code: ErrorCode, detail: String) {
        switch refusal {
        case .unusablePosition:
            return (.badPosition, "fields `lat` and `lon`: (0, 0) is no position; wait for a fix.")
        case .inaccurate(let metres):
            return (
                .badPosition,
                "field `accuracy`: \(Int(metres.rounded())) m is too coarse to be shown; wait for a better fix."
            )
        case .clockAhead(let offset):
            return (
                .clockSkew, "field `at`: \(offset) ms ahead of the hub's clock; correct the device's clock by that."
            )
        case .unusableTime:
            return (.badPosition, "field `at`: expected Unix time in milliseconds.")
        case .timeInSeconds(let at):
            return (.badMessage, "field `at`: expected Unix time in milliseconds, got \(at), which looks like seconds.")
        }
    }

    /// Where a driver stands, if it has said so lately.
    func place(of vehicle: VehicleTrack) -> ZoneLookup.Place {
        guard let fix = vehicle.lastFix, now() - vehicle.heardAt <= Int64(settings.dispatch.staleAfterMs) else {
            return .refused(.noPosition, noPosition(vehicle))
        }
        return zones.place(of: fix.point)
    }

    private func noPosition(_ vehicle: VehicleTrack) -> String {
        guard let sentAt = vehicle.sentAt, now() - sentAt > Int64(settings.dispatch.staleAfterMs) else {
            return "The hub knows no recent position of yours: send `position`, then this again."
        }
        return "The hub knows no recent position of yours: the `at` of the last one that came is "
            + "\((now() - sentAt) / 1000) s old; send `position` with the present time, then this again."
    }

    // MARK: who tells of a vehicle

    /// Redis says whose session of this driver speaks: another worker's has the latest position, or ours has it (again).
    func onPublish(_ push: Push) -> Bool {
        guard push.seq.isEmpty, push.type == "speaker" else { return false }
        guard let subject = Channel.driver(of: push.channel), let vehicle = vehicles[subject] else { return true }
        let wasSuperseded = vehicle.isSuperseded
        let speaker = push.data.prefix(upTo: push.data.lastIndex(of: UInt8(ascii: ".")) ?? 0)
        vehicle.isSuperseded = !speaker.elementsEqual(services.name.utf8)
        if wasSuperseded, !vehicle.isSuperseded { standing(vehicle) }
        return true
    }

    /// The passenger of a silent taxi is told its ETA all the same, as often as of a moving one.
    func second() {
        forgetLeft()
        let time = now()
        for vehicle in vehicles.values {
            // After the hub's clock was set back it ages from then on.
            vehicle.heardAt = min(vehicle.heardAt, time)
            if !vehicle.isSuperseded { standing(vehicle) }
        }
    }

    private func standing(_ vehicle: VehicleTrack) {
        guard let fix = vehicle.lastFix else { return }
        for follower in vehicle.followers { follower.stands(vehicle, at: fix) }
    }

    // MARK: to Redis

    /// If Redis died, it has lost the last positions.
    func redisIsUp() {
        for vehicle in vehicles.values where vehicle.isShown && !vehicle.isSuperseded && vehicle.lastFix != nil {
            markDirty(vehicle)
        }
    }

    func slice(_ number: Int) {
        slice = number
        moved += movedAgain[slice % WorkerServices.slicesPerTick]
        movedAgain[slice % WorkerServices.slicesPerTick].removeAll(keepingCapacity: true)
        sendPositions()
    }

    /// Leaves a vehicle's latest position for the next slice, but not before a tick after the slice in which it was sent last.
    func markDirty(_ vehicle: VehicleTrack) {
        guard !vehicle.isDirty else { return }
        vehicle.isDirty = true
        if slice - vehicle.flushedSlice < WorkerServices.slicesPerTick {
            movedAgain[vehicle.flushedSlice % WorkerServices.slicesPerTick].append(vehicle)
        } else {
            moved.append(vehicle)
        }
    }

    /// Sends the latest position of a vehicle at once, before what is sent to Redis next.
    func flush(_ vehicle: VehicleTrack) {
        guard vehicle.isDirty, commands.isUp else { return }
        send([vehicle]) { _ in }
    }

    /// Of fixes that are worse, metres, a taxi's meter is told how good they are.
    private static let meterAccuracy = 13.0

    /// The cell, and how far along its way a vehicle is, as `moved` in presence.lua takes them apart.
    private static func place(_ fix: Fix, _ vehicle: VehicleTrack) -> RedisArgument {
        let cell = CellGrid.cell(of: fix.point).text
        if vehicle.along.isEmpty, fix.effectiveAccuracy > Self.meterAccuracy {
            return RedisArgument("\(cell) ~\(Int(min(fix.effectiveAccuracy, 9_999).rounded()))")
        }
        return RedisArgument(vehicle.along.isEmpty ? cell : "\(cell) \(vehicle.along)")
    }

    /// What is due, the latest position of each vehicle, in calls one after the other. While Redis is away it waits: only
    /// the latest position counts.
    private func sendPositions() {
        guard !moved.isEmpty, !isBatchUnderWay, commands.isUp else { return }
        let batch = Array(moved.prefix(min(max(Self.batch, moved.count / 2), Self.largestBatch)))
        moved.removeFirst(batch.count)
        isBatchUnderWay = true
        send(batch) { isTaken in
            self.isBatchUnderWay = false
            if isTaken { self.sendPositions() }
        }
    }

    /// - Parameter then: told whether Redis has them; if not, they go out again with a later slice.
    private func send(_ batch: [VehicleTrack], then: @escaping (_ isTaken: Bool) -> Void) {
        var arguments: [RedisArgument] = []
        arguments.reserveCapacity(batch.count * 9)
        // Some may have been sent by themselves since they moved.
        for vehicle in batch where vehicle.isDirty {
            vehicle.isDirty = false
            vehicle.flushedSlice = slice
            guard let fix = vehicle.lastFix else { continue }
            arguments += [
                RedisArgument(vehicle.subject), RedisArgument(vehicle.source),
                RedisArgument(fix.point.lat),
                RedisArgument(fix.point.lon), RedisArgument(fix.at), fix.heading.map { RedisArgument($0) } ?? "",
                fix.speed.map { RedisArgument($0) } ?? "", Self.place(fix, vehicle), RedisArgument(vehicle.heardAt),
            ]
        }
        guard !arguments.isEmpty else { return then(true) }
        functions.call("positions_take", more: arguments) { result in
            switch result {
            case .success: return then(true)
            // What a function can't take it can't take later either.
            case .failure(.server(let text)): self.log.error("positions failed: \(text)")
            case .failure:
                for vehicle in batch where !vehicle.isDirty {
                    vehicle.isDirty = true
                    self.moved.append(vehicle)
                }
            }
            then(false)
        }
    }
}
