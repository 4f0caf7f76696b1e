import Domain
import Logging
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// The way of a position: judged by the filter, held against the ride's ladder and the zones, left for the tick's batch.
extension Worker {
    func position(_ position: PositionFix, _ id: Int64?, _ session: Session, _ driver: DriverTrack) {
        guard let judged = judge(position, id, session, of: driver) else { return }
        let (fix, accepted) = (judged.fix, judged.accepted)
        if let accepted, accepted.isForFences, accepted.isLive, !driver.isSuperseded {
            approach(driver, fix, after: accepted.previous)
            approachBookings(driver, fix, after: accepted.previous)
            if !driver.isMinibus { crossZones(driver, fix) }
        }
        if accepted?.isForFences == true { goOn(driver, to: fix) }
        answer(judged, id, session)
    }

    /// What became of a fix that was not refused.
    struct JudgedFix {
        var fix: Fix
        /// Nil: it is ignored, for this reason.
        var accepted: PositionFilter.Accepted?
        var ignored: StaticString = ""
    }

    func answer(_ judged: JudgedFix, _ id: Int64?, _ session: Session) {
        guard id != nil else { return }
        var json = JSONWriter()
        json.beginObject()
        if judged.accepted == nil { json.member("ignored", judged.ignored.description) }
        json.endObject()
        reply(session, id, json.bytes, to: .position)
    }

    /// Holds a fix against the vehicle's last ones, and leaves it for the tick's batch when it is believed (`accepted` then
    /// says how far). Nil: it was refused, and the client was told so.
    func judge(
        _ position: PositionFix, _ id: Int64?, _ session: Session, of driver: DriverTrack
    ) -> JudgedFix? {
        var fix = Fix(
            GeoPoint(lat: position.lat, lon: position.lon), at: position.at, accuracy: position.accuracy,
            speed: position.speed, heading: position.heading)
        metrics.positions.increment()
        let time = now()
        // A clock that is ahead, within the limit, is taken for now: kept as it is, one such fix would make all that
        // follow it late.
        if fix.at > time, fix.at - time <= Int64(settings.positions.futureMs) { fix.at = time }
        let verdict = driver.filter.offer(fix, receivedAt: time, limits: filterLimits)
        switch verdict {
        case .accepted, .late, .old, .duplicate: driver.sentAt = fix.at
        case .quarantined, .refused: break
        }
        switch verdict {
        case .accepted(let accepted):
            driver.lastFix = fix
            driver.isLastFixSure = accepted.isForFences && accepted.isLive
            driver.heardAt = max(driver.heardAt, accepted.measuredAt)
            if driver.isShown { soil(driver) }
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

    /// Has the vehicle's next fix held against its last position, which another worker or an earlier connection believed.
    func expect(_ last: Fix, _ heard: Int64, of driver: DriverTrack) {
        var last = last
        // Nobody keeps how good it was: it counts as the worst that is believed.
        last.accuracy = settings.positions.mapAccuracyM
        driver.filter.expect(last, atHubTime: heard)
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

    // MARK: the ride

    /// The ladder and the ETA of the ride that the driver is on.
    func approach(_ driver: DriverTrack, _ fix: Fix, after previous: Fix?) {
        guard case .busy(var track) = driver.duty, !track.isAboard else { return }
        let (events, eta) = advance(&track, to: fix, after: previous, isSure: driver.isLastFixSure)
        driver.duty = .busy(track)
        alert("alert", driver, track, events)
        if let eta { publishETA(.ride, driver, track, fix, seconds: eta) }
    }

    /// Has the rungs that were reached told, by the function that is for them: `alert` or `seat_alert`.
    func alert(_ function: String, _ driver: DriverTrack, _ track: RideTrack, _ events: ProximityEvents) {
        for event in [events.near, events.arrived] {
            guard let event else { continue }
            metrics.alerts.increment()
            owe(
                function,
                [
                    RedisArgument(driver.subject), RedisArgument(track.ride), RedisArgument(event.rung.rawValue),
                    RedisArgument(Int(event.distance.rounded())), RedisArgument(event.confidence.rawValue),
                ])
        }
    }

    /// What one fix tells on the way to a pickup: rungs of the ladder if it is sure (`isLastFixSure`), and seconds to go if they
    /// are to be told.
    func advance(
        _ track: inout RideTrack, to fix: Fix, after previous: Fix?, isSure: Bool
    ) -> (ProximityEvents, eta: Int?) {
        if let previous {
            track.pace.moved(
                metres: previous.point.distance(to: fix.point), seconds: Double(fix.at - previous.at) / 1000)
        }
        let events =
            isSure ? track.ladder.vehicleMoved(to: fix, target: track.pickup, isContinuous: previous != nil) : .none
        let seconds = estimator.seconds(from: fix.point, to: track.pickup, pace: track.pace)
        return (events, track.eta.report(seconds: seconds, at: now()))
    }

    /// How the time to a pickup is told: of a taxi's ride, or of a booking in a minibus.
    enum ETAKind {
        case ride, seat
    }

    /// State for those who wait, wherever they are connected: they read the vehicle's channel. In a minibus each takes what
    /// is for its own booking, which the push's meta names.
    func publishETA(_ kind: ETAKind, _ driver: DriverTrack, _ track: RideTrack, _ fix: Fix, seconds: Int) {
        var json = JSONWriter()
        json.beginObject()
        json.member(kind == .ride ? "ride" : "booking", track.ride)
        json.member(kind == .ride ? "taxi" : "vehicle", driver.subject)
        json.member("eta_s", seconds)
        json.member("distance_m", Int64(fix.point.distance(to: track.pickup).rounded()))
        json.member("at", fix.at)
        json.endObject()
        let channel = Channel.vehicle(driver.subject)
        let push = Push(
            channel: channel, seq: "", type: kind == .ride ? "ride.eta" : "seat.eta", time: now(),
            meta: ETAMeta(measuredAt: driver.heardAt, booking: kind == .ride ? "" : track.ride).text, data: json.bytes)
        commands.send(
            ["PUBLISH", RedisArgument(keys.push(Channel.partition(channel))), RedisArgument(push.encoded)]) { _ in }
    }

    /// Redis says whose session of this driver speaks: another worker's has the latest position, or ours has it (again).
    func noticedSpeaker(_ push: Push) {
        guard let subject = Channel.driver(of: push.channel), let driver = drivers[subject] else { return }
        let wasSuperseded = driver.isSuperseded
        let speaker = push.data.prefix(upTo: push.data.lastIndex(of: UInt8(ascii: ".")) ?? 0)
        driver.isSuperseded = !speaker.elementsEqual(name.utf8)
        guard wasSuperseded, !driver.isSuperseded, let fix = driver.lastFix else { return }
        approach(driver, fix, after: nil)
        approachBookings(driver, fix, after: nil)
    }

    func etaAtAcceptance(_ driver: DriverTrack, _ ride: String) -> Int? {
        guard let offer = driver.offerPickup, offer.ride == ride, let fix = driver.lastFix else { return nil }
        return Int(estimator.seconds(from: fix.point, to: offer.pickup, pace: nil).rounded())
    }

    // MARK: zones

    enum Place {
        case zone(String)
        case refused(ErrorCode, String)
    }

    /// The zone of a point, or the refusal that tells a client why there is none.
    func lookUp(_ point: GeoPoint) -> Place {
        switch zones.lookup(point) {
        case .zone(let index): return .zone(zones?.zones[index].id ?? "")
        case .outside: return .refused(.outsideZones, outside(point))
        case .unknown: return .refused(.zonesUnknown, "The zones are being loaded; try again in a moment.")
        }
    }

    /// How far from a place outside all zones the nearest one is looked for, metres: it costs more the farther.
    private static let nearestZoneM = 2_000.0

    /// What to do about a place outside all zones.
    private func outside(_ point: GeoPoint) -> String {
        let what = "The position lies in no zone of \(settings.city.id)"
        guard let zones, let nearest = zones.nearestBorder(to: point, within: Self.nearestZoneM) else {
            return "\(what), and none is within \(Int(Self.nearestZoneM)) m: choose a place inside the city."
        }
        return "\(what): the nearest is \(zones.zones[nearest.zone].id), \(Int(nearest.metres.rounded(.up))) m away; "
            + "choose a place inside it."
    }

    /// Where a driver stands, if it has said so lately.
    func placeOf(_ driver: DriverTrack) -> Place {
        guard let fix = driver.lastFix, now() - driver.heardAt <= Int64(settings.dispatch.staleAfterMs) else {
            return .refused(.noPosition, noPosition(driver))
        }
        return lookUp(fix.point)
    }

    private func noPosition(_ driver: DriverTrack) -> String {
        guard let sentAt = driver.sentAt, now() - sentAt > Int64(settings.dispatch.staleAfterMs) else {
            return "The hub knows no recent position of yours: send `position`, then this again."
        }
        return "The hub knows no recent position of yours: the `at` of the last one that came is "
            + "\((now() - sentAt) / 1000) s old; send `position` with the present time, then this again."
    }

    /// The id of the zone where a driver is; empty when outside, `?` when unknown, which is not the same.
    func zoneOf(_ driver: DriverTrack) -> String {
        guard let fix = driver.lastFix else { return "?" }
        switch zones.lookup(fix.point) {
        case .zone(let index): return zones?.zones[index].id ?? "?"
        case .outside: return ""
        case .unknown: return "?"
        }
    }

    /// The tracker of the queue that the driver is in; none when its zone is not among the present ones.
    func watchZone(of driver: DriverTrack) {
        driver.zones = driver.zone.flatMap { zones?.index(ofID: $0) }.map { ZoneTracker(zone: $0) }
    }

    private func crossZones(_ driver: DriverTrack, _ fix: Fix) {
        guard let zones, !driver.isMoving else { return }
        switch driver.duty {
        case .available:
            guard driver.zones != nil else {
                // Its zone is no more since the zones were reloaded.
                if case .zone(let zone) = lookUp(fix.point) {
                    change(driver, "move", [RedisArgument(zone)])
                } else {
                    change(driver, "outside", [])
                }
                return
            }
            switch driver.zones?.update(fix, zones: zones, settings: zoneRules) {
            case .leave?: change(driver, "outside", [])
            case .switch(let index)?: change(driver, "move", [RedisArgument(zones.zones[index].id)])
            default: break
            }
        case .lost:
            guard case .zone(let zone) = lookUp(fix.point) else { return }
            change(driver, "recover", [RedisArgument(zone)])
        default: break
        }
    }

    /// Calls a function that changes the driver's queue; what came of it arrives as a push on the driver's channel.
    private func change(_ driver: DriverTrack, _ function: String, _ arguments: [RedisArgument]) {
        driver.isMoving = true
        dispatch.call(function, [RedisArgument(driver.subject)] + arguments) { result in
            driver.isMoving = false
            switch result {
            case .success(let reply):
                if function == "recover", reply.int == 0, case .lost = driver.duty { driver.duty = .unavailable }
            case .failure(let failure):
                if case .server(let text) = failure { self.log.error("\(function) failed: \(text)") }
                // It has not moved: the next fixes count anew.
                self.watchZone(of: driver)
            }
        }
    }
}
