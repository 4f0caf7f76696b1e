/// What a subscription is to be sent.
extension FeedBoard {
    /// What this subscription is to be sent now; nil if nothing. Sets its `sentTick`.
    public func update(_ subscription: FeedSubscription) -> FeedOutput? {
        let sent = subscription.sentTick
        if sent == tick { return nil }
        subscription.sentTick = tick
        if subscription.scopes.count == 1 {
            return message(subscription, subscription.scopes[0], sent: sent).map { .shared($0) }
        }
        return compose(subscription, sent: sent) ? .own : nil
    }

    /// Writes the message that takes all of a subscription off its reader's map, a snapshot of nothing, to `scratch`.
    public func clear(_ subscription: FeedSubscription) {
        scratch.removeAll(keepingCapacity: true)
        write(subscription, [], gone: [], isSnapshot: true, into: &scratch)
    }

    /// One scope: the whole message is shared.
    private func message(_ subscription: FeedSubscription, _ scope: FeedScope, sent: Int?) -> FeedMessage? {
        let since = since(sent, scope)
        if since >= scope.changedTick { return nil }
        remember(scope)
        return scope.messages.value(for: key(subscription, since: since, channel: subscription.channel)) {
            let encoded = encoded(scope, key(subscription, since: since))
            if encoded.isEmpty, since >= 0 { return nil }
            parts.append(encoded)
            defer { parts.removeAll(keepingCapacity: true) }
            var payload: [UInt8] = []
            write(subscription, parts, gone: encoded.gone, isSnapshot: since < 0, into: &payload)
            return FeedMessage(payload)
        }
    }

    /// Many scopes: their encoded rows are shared, and put together in `scratch`.
    private func compose(_ subscription: FeedSubscription, sent: Int?) -> Bool {
        var since = sent ?? -1
        defer {
            changed.removeAll(keepingCapacity: true)
            parts.removeAll(keepingCapacity: true)
        }
        for scope in subscription.scopes {
            if self.since(sent, scope) < 0 { since = -1 }
            if scope.changedTick > since { changed.append(scope) }
        }
        var gone = 0
        let key = key(subscription, since: since)
        for scope in since < 0 ? subscription.scopes : changed {
            let encoded = encoded(scope, key)
            if encoded.isEmpty { continue }
            parts.append(encoded)
            gone += encoded.gone.count
        }
        if parts.isEmpty, since >= 0 { return false }
        let numbers = gone > 0 ? goneForGood(subscription) : []
        scratch.removeAll(keepingCapacity: true)
        write(subscription, parts, gone: numbers, isSnapshot: since < 0, into: &scratch)
        return true
    }

    /// Who is gone from one of the scopes and not shown in another.
    private func goneForGood(_ subscription: FeedSubscription) -> [UInt32] {
        stamp += 1
        for scope in subscription.scopes { scope.mark = stamp }
        var numbers: [UInt32] = []
        for part in parts {
            for number in part.gone {
                let vehicle = vehicles[Int(number)]
                if vehicle.shown.isPresent, vehicle.cellScope?.mark == stamp,
                    subscription.view.shows(vehicle.shown.traits)
                {
                    continue
                }
                numbers.append(number)
            }
        }
        return numbers
    }

    /// The tick from which on the scope's log tells this reader all; −1 if it needs a snapshot.
    private func since(_ sent: Int?, _ scope: FeedScope) -> Int {
        guard let sent else { return -1 }
        let isKnown = sent >= scope.changedTick || (sent >= scope.completeSince && sent >= tick - rules.logTicks)
        return isKnown ? sent : -1
    }

    private func remember(_ scope: FeedScope) {
        if scope.isCached { return }
        scope.isCached = true
        cached.append(scope)
    }

    private func key(_ subscription: FeedSubscription, since: Int, channel: String = "") -> FeedCacheKey {
        FeedCacheKey(
            since: since, encoding: subscription.encoding, channel: channel, view: subscription.view,
            viewHash: subscription.viewHash)
    }

    private func encoded(_ scope: FeedScope, _ key: FeedCacheKey) -> EncodedRows {
        remember(scope)
        return scope.encodedRows.value(for: key) {
            key.since < 0
                ? snapshot(scope, key.view, key.encoding)
                : delta(scope, key.view, key.encoding, since: key.since)
        }
    }

    private func snapshot(_ scope: FeedScope, _ view: FeedView, _ encoding: FeedEncoding) -> EncodedRows {
        let encoded = EncodedRows()
        for number in scope.members where view.shows(vehicles[Int(number)].shown.traits) {
            encoded.appendFull(vehicles[Int(number)], number: number, encoding: encoding)
        }
        return encoded
    }

    /// What changed after a tick, for a reader that knows the state of that tick.
    private func delta(_ scope: FeedScope, _ view: FeedView, _ encoding: FeedEncoding, since: Int) -> EncodedRows {
        let encoded = EncodedRows()
        stamp += 1
        touched.removeAll(keepingCapacity: true)
        var place = scope.changes.count - 1
        while place >= 0, scope.changes[place].tick > since {
            let number = scope.changes[place].number
            if marks[Int(number)] != stamp {
                marks[Int(number)] = stamp
                touched.append(number)
            }
            firsts[Int(number)] = Int32(truncatingIfNeeded: place)
            place -= 1
        }
        for number in touched {
            let before = scope.changes[Int(firsts[Int(number)])].before
            tell(number, scope, view, encoding, before: before, since: since, encoded)
        }
        place = scope.moves.count - 1
        while place >= 0, scope.moves[place].tick > since {
            let move = scope.moves[place]
            place -= 1
            let index = Int(move.number)
            guard vehicles[index].movedTick == move.tick, marks[index] != stamp,
                view.shows(vehicles[index].shown.traits)
            else { continue }
            encoded.appendMoved(vehicles[index], number: move.number, time: now, encoding: encoding)
        }
        return encoded
    }

    /// A vehicle that changed in more than place and time, and how it was when the reader was sent last.
    private func tell(
        _ number: UInt32, _ scope: FeedScope, _ view: FeedView, _ encoding: FeedEncoding, before: FeedBefore,
        since: Int, _ encoded: EncodedRows
    ) {
        let index = Int(number)
        let wasShown = before.isMember && view.shows(before.traits)
        guard scope.has(number, in: vehicles), view.shows(vehicles[index].shown.traits) else {
            if wasShown { encoded.gone.append(number) }
            return
        }
        let isSame =
            wasShown && before.traits.looks(like: vehicles[index].shown.traits)
            && (!scope.isWide || before.cell == vehicles[index].shown.cell)
        if !isSame {
            encoded.appendFull(vehicles[index], number: number, encoding: encoding)
        } else if vehicles[index].movedTick > since {
            encoded.appendMoved(vehicles[index], number: number, time: now, encoding: encoding)
        }
    }
}
