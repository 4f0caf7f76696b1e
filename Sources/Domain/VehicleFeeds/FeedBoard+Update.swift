/// What a subscription is to be sent.
extension FeedBoard {
    /// What this subscription is to be sent now; nil if nothing. Sets its `sentTick`.
    public func update(_ subscription: FeedSubscription) -> FeedOutput? {
        let sent = subscription.sentTick
        if sent == tick { return nil }
        subscription.sentTick = tick
        if subscription.units.count == 1 {
            return message(subscription, subscription.units[0], sent: sent).map { .shared($0) }
        }
        return compose(subscription, sent: sent) ? .own : nil
    }

    /// Writes the message that takes all of a subscription off its reader's map, a snapshot of nothing, to `scratch`.
    public func clear(_ subscription: FeedSubscription) {
        scratch.removeAll(keepingCapacity: true)
        write(subscription, [], gone: [], isSnapshot: true, into: &scratch)
    }

    /// One unit: the whole message is shared.
    private func message(_ subscription: FeedSubscription, _ unit: FeedUnit, sent: Int?) -> FeedMessage? {
        let since = since(sent, unit)
        if since >= unit.changedTick { return nil }
        remember(unit)
        return unit.messages.value(for: key(subscription, since: since, channel: subscription.channel)) {
            let piece = piece(unit, key(subscription, since: since))
            if piece.isEmpty, since >= 0 { return nil }
            parts.append(piece)
            defer { parts.removeAll(keepingCapacity: true) }
            var payload: [UInt8] = []
            write(subscription, parts, gone: piece.gone, isSnapshot: since < 0, into: &payload)
            return FeedMessage(payload)
        }
    }

    /// Many units: their pieces are shared, and put together in `scratch`.
    private func compose(_ subscription: FeedSubscription, sent: Int?) -> Bool {
        var since = sent ?? -1
        defer {
            changed.removeAll(keepingCapacity: true)
            parts.removeAll(keepingCapacity: true)
        }
        for unit in subscription.units {
            if self.since(sent, unit) < 0 { since = -1 }
            if unit.changedTick > since { changed.append(unit) }
        }
        var gone = 0
        let key = key(subscription, since: since)
        for unit in since < 0 ? subscription.units : changed {
            let piece = piece(unit, key)
            if piece.isEmpty { continue }
            parts.append(piece)
            gone += piece.gone.count
        }
        if parts.isEmpty, since >= 0 { return false }
        let numbers = gone > 0 ? goneForGood(subscription) : []
        scratch.removeAll(keepingCapacity: true)
        write(subscription, parts, gone: numbers, isSnapshot: since < 0, into: &scratch)
        return true
    }

    /// Who is gone from one of the units and not shown in another.
    private func goneForGood(_ subscription: FeedSubscription) -> [UInt32] {
        stamp += 1
        for unit in subscription.units { unit.mark = stamp }
        var numbers: [UInt32] = []
        for part in parts {
            for number in part.gone {
                let vehicle = vehicles[Int(number)]
                if vehicle.shown.isPresent, vehicle.cellUnit?.mark == stamp,
                    subscription.view.shows(vehicle.shown.traits)
                {
                    continue
                }
                numbers.append(number)
            }
        }
        return numbers
    }

    /// The tick from which on the unit's log tells this reader all; −1 if it needs a snapshot.
    private func since(_ sent: Int?, _ unit: FeedUnit) -> Int {
        guard let sent else { return -1 }
        let isKnown = sent >= unit.changedTick || (sent >= unit.completeSince && sent >= tick - rules.logTicks)
        return isKnown ? sent : -1
    }

    private func remember(_ unit: FeedUnit) {
        if unit.isCached { return }
        unit.isCached = true
        cached.append(unit)
    }

    private func key(_ subscription: FeedSubscription, since: Int, channel: String = "") -> FeedCacheKey {
        FeedCacheKey(
            since: since, encoding: subscription.encoding, channel: channel, view: subscription.view,
            viewHash: subscription.viewHash)
    }

    private func piece(_ unit: FeedUnit, _ key: FeedCacheKey) -> FeedPiece {
        remember(unit)
        return unit.pieces.value(for: key) {
            key.since < 0
                ? snapshot(unit, key.view, key.encoding)
                : delta(unit, key.view, key.encoding, since: key.since)
        }
    }

    private func snapshot(_ unit: FeedUnit, _ view: FeedView, _ encoding: FeedEncoding) -> FeedPiece {
        let piece = FeedPiece()
        for number in unit.members where view.shows(vehicles[Int(number)].shown.traits) {
            piece.appendFull(vehicles[Int(number)], number: number, encoding: encoding)
        }
        return piece
    }

    /// What changed after a tick, for a reader that knows the state of that tick.
    private func delta(_ unit: FeedUnit, _ view: FeedView, _ encoding: FeedEncoding, since: Int) -> FeedPiece {
        let piece = FeedPiece()
        stamp += 1
        touched.removeAll(keepingCapacity: true)
        var place = unit.changes.count - 1
        while place >= 0, unit.changes[place].tick > since {
            let number = unit.changes[place].number
            if marks[Int(number)] != stamp {
                marks[Int(number)] = stamp
                touched.append(number)
            }
            firsts[Int(number)] = Int32(truncatingIfNeeded: place)
            place -= 1
        }
        for number in touched {
            let before = unit.changes[Int(firsts[Int(number)])].before
            tell(number, unit, view, encoding, before: before, since: since, piece)
        }
        place = unit.moves.count - 1
        while place >= 0, unit.moves[place].tick > since {
            let move = unit.moves[place]
            place -= 1
            let index = Int(move.number)
            guard vehicles[index].movedTick == move.tick, marks[index] != stamp,
                view.shows(vehicles[index].shown.traits)
            else { continue }
            piece.appendMoved(vehicles[index], number: move.number, time: now, encoding: encoding)
        }
        return piece
    }

    /// A vehicle that changed in more than place and time, and how it was when the reader was sent last.
    private func tell(
        _ number: UInt32, _ unit: FeedUnit, _ view: FeedView, _ encoding: FeedEncoding, before: FeedBefore,
        since: Int, _ piece: FeedPiece
    ) {
        let index = Int(number)
        let wasShown = before.isMember && view.shows(before.traits)
        guard unit.has(number, in: vehicles), view.shows(vehicles[index].shown.traits) else {
            if wasShown { piece.gone.append(number) }
            return
        }
        let isSame =
            wasShown && before.traits.looks(like: vehicles[index].shown.traits)
            && (!unit.isWide || before.cell == vehicles[index].shown.cell)
        if !isSame {
            piece.appendFull(vehicles[index], number: number, encoding: encoding)
        } else if vehicles[index].movedTick > since {
            piece.appendMoved(vehicles[index], number: number, time: now, encoding: encoding)
        }
    }
}
