import Wire

/// A tick: what came in since the last one is shown, and noted in the logs of its scopes.
extension FeedBoard {
    /// Freezes a tick. `now` in Unix milliseconds; with each new second vehicles age.
    public func advance(now: Int64) {
        if now / 1000 < second { setBack(to: now) }
        self.now = now
        tick += 1
        age(to: now / 1000)
        for scope in cached { scope.clearCaches() }
        cached.removeAll(keepingCapacity: true)
        for number in dirty { freeze(number) }
        dirty.removeAll(keepingCapacity: true)
        reclaim()
    }

    /// Puts a vehicle into the wheel for the second at which it grows stale, or if it is, goes.
    func schedule(_ number: UInt32) {
        let live = vehicles[Int(number)].live
        let limit = live.traits.freshness == .live ? rules.staleAfterMs : rules.expireAfterMs
        vehicles[Int(number)].dueSecond = ages.add(number, due: (live.heard &+ limit) / 1000 + 1, now: second)
    }

    /// The hub's clock was set back: what was heard before it counts as heard now, so that nothing is older than that, and all age
    /// from here on.
    private func setBack(to now: Int64) {
        second = now / 1000
        ages = AgeWheel()
        for number in vehicles.indices where number > 0 && !vehicles[number].isFree {
            vehicles[number].live.heard = min(vehicles[number].live.heard, now)
            if vehicles[number].live.isPresent { schedule(UInt32(number)) }
        }
    }

    /// A vehicle is stale, or gone, in the first second that is more than the limit after it was heard of.
    private func age(to second: Int64) {
        let last = self.second
        guard second > last else { return }
        self.second = second
        var wheel = AgeWheel()
        swap(&wheel, &ages)
        defer { swap(&wheel, &ages) }
        AgeWheel.turn(&wheel, after: last, to: second) { number, due, wheel in
            let index = Int(number)
            guard vehicles[index].live.isPresent, (vehicles[index].dueSecond ^ due) & 1023 == 0 else { return }
            let silence = second * 1000 - vehicles[index].live.heard
            if silence > rules.expireAfterMs {
                remove(number)
                return
            }
            if silence > rules.staleAfterMs, vehicles[index].live.traits.freshness == .live {
                vehicles[index].live.traits.freshness = .stale
                markDirty(number)
            }
            let limit = silence > rules.staleAfterMs ? rules.expireAfterMs : rules.staleAfterMs
            let next = (vehicles[index].live.heard + limit) / 1000 + 1
            vehicles[index].dueSecond = wheel.add(number, due: next, now: second)
        }
    }

    private func freeze(_ number: UInt32) {
        let index = Int(number)
        vehicles[index].isDirty = false
        let old = vehicles[index].shown
        let new = vehicles[index].live
        let isMoved = !new.isPlaced(as: old)
        if isMoved || !old.isPresent { vehicles[index].movedTick = tick }
        vehicles[index].shown = new
        if old.isPresent, new.isPresent, old.cell == new.cell, old.zone == new.zone, old.traits == new.traits {
            if isMoved { noteMove(number) }
            return
        }
        if vehicles[index].isWatched {
            note(number, from: old.isPresent ? own[number] : nil, to: new.isPresent ? own[number] : nil, old, new)
        } else {
            let from = old.isPresent ? vehicles[index].cellScope : nil
            let to = new.isPresent ? (from != nil && old.cell == new.cell ? from : cellScope(new.cell)) : nil
            vehicles[index].cellScope = to
            note(number, from: from, to: to, old, new)
            if let from, from !== to, from.watchers == 0, from.members.isEmpty { cells[old.cell] = nil }
            note(number, from: zone(of: old), to: zone(of: new), old, new)
            note(number, from: old.isPresent ? city : nil, to: new.isPresent ? city : nil, old, new)
        }
        if !new.isPresent { retire(number) }
    }

    private func zone(of standing: FeedStanding) -> FeedScope? {
        standing.isPresent && standing.zone >= 0 ? zones[Int(standing.zone)] : nil
    }

    private func noteMove(_ number: UInt32) {
        let index = Int(number)
        if vehicles[index].isWatched {
            own[number]?.noteMove(of: number, tick: tick, in: vehicles)
            return
        }
        vehicles[index].cellScope?.noteMove(of: number, tick: tick, in: vehicles)
        if zonesWatched > 0 { zone(of: vehicles[index].shown)?.noteMove(of: number, tick: tick, in: vehicles) }
        city?.noteMove(of: number, tick: tick, in: vehicles)
    }

    /// Notes what became of a vehicle in the scopes of one sort.
    private func note(
        _ number: UInt32, from: FeedScope?, to: FeedScope?, _ old: FeedStanding, _ new: FeedStanding
    ) {
        if let from, from === to {
            if old.traits != new.traits || old.cell != new.cell {
                log(from, number, FeedBefore(isMember: true, cell: old.cell, traits: old.traits))
            } else if vehicles[Int(number)].movedTick == tick {
                from.noteMove(of: number, tick: tick, in: vehicles)
            }
            return
        }
        if let from {
            leave(number, from)
            log(from, number, FeedBefore(isMember: true, cell: old.cell, traits: old.traits))
        }
        if let to {
            enter(number, to)
            log(to, number, FeedBefore(isMember: false, cell: old.cell, traits: FeedTraits()))
        }
    }

    private func log(_ scope: FeedScope, _ number: UInt32, _ before: FeedBefore) {
        let change = FeedChange(tick: tick, number: number, before: before)
        scope.note(change, logTicks: rules.logTicks)
    }
}
