/// The channels that are read: the own one and those that are followed. Where each stands, what comes of it and to whom it
/// is told, and how it comes back after a lost link. Rules in brackets are those of ../../behaviour.md.
final class Channels {
    /// What the channels need of the client.
    struct Port {
        /// Of the own channel, and of what the client itself has to say.
        let teller: Teller
        let device: Device
        let connection: Connection
        /// Sends a command of this connection.
        let ask: (_ command: String, _ fields: [String: JSON], _ then: @escaping (Ending) -> Void) -> Void
        /// An offer is on the screen.
        let seen: (_ ride: String) -> Void
        /// The hub's, Unix ms.
        let time: () -> Int
        let fault: (any Error) -> Void
    }

    /// The own channel carries them, and they are answered by the client itself [A1].
    private static let offers: Set<String> = ["offer.made", "seat.requested"]

    private(set) var vehicles = Vehicles()
    /// `role:subject`, once it is known: the own channel, unless the role has none.
    var own = ""
    /// In the order of following.
    private var followed: [Followed] = []
    /// channel → the last `seq` that was applied
    private var places: [String: String] = [:]
    /// channel → those of late
    private var recent: [String: RecentPlaces] = [:]
    private let port: Port

    init(_ port: Port) {
        self.port = port
    }

    /// Those of before the app's start.
    func restore(_ places: [String: String]) {
        self.places.merge(places) { now, _ in now }
    }

    /// What hello resumes, the own channel first [R1, R3].
    func resume() -> [String: JSON] {
        let channels = [own] + followed.map(\.channel).filter(isResumed)
        let known = channels.compactMap { channel in places[channel].map { (channel, JSON.string($0)) } }
        return Dictionary(known.prefix(Limits.resumed)) { first, _ in first }
    }

    /// The hub does not understand a place: begin anew [R6]. Whether there was one.
    func forget() -> Bool {
        let channels = places.keys.sorted { $0 == own ? $1 != own : $1 != own && $0 < $1 }
        places = [:]
        for channel in channels {
            port.device.leave(channel)
            gap(channel)
        }
        return !channels.isEmpty
    }

    func lost() {
        for one in followed { one.state = .pending }
    }

    /// `channels` and `seq` of the reply to hello.
    func greeted(channels: [String], places: [String: String]) {
        for (channel, seq) in places { place(channel, seq) }
        // A taxi that came unasked is gone with its ride [F3].
        for channel in vehicles.channels where following(channel) == nil && !channels.contains(channel) {
            changed(vehicles.leave(channel))
        }
        for one in followed {
            // What hello has resumed goes on; the others are asked for [U2, U3].
            if isResumed(one.channel), channels.contains(one.channel) { one.state = .live } else { ask(one) }
        }
    }

    func following(_ channel: String) -> Followed? {
        followed.first { $0.channel == channel }
    }

    func follow(_ channel: String, _ fields: [String: JSON]) -> Followed {
        if let known = following(channel) {
            change(known, fields)
            return known
        }
        let one = Followed(channel: channel, fields: fields)
        one.teller.onFault = port.fault
        followed.append(one)
        ask(one)
        return one
    }

    func change(_ one: Followed, _ fields: [String: JSON]) {
        if one.isOver { return }
        one.fields.merge(fields) { _, new in new }
        ask(one)
    }

    func leave(_ one: Followed) {
        let channel = one.channel
        let isFollowed = !one.isOver
        one.close()
        guard isFollowed else { return }
        drop(one)
        guard port.connection.isGreeted else { return }
        let isNear = channel == "near"
        port.ask(isNear ? "unwatch" : "unsubscribe", isNear ? [:] : ["channel": .string(channel)]) { [weak self] _ in
            // What was under way meanwhile is gone, too.
            guard let self, following(channel) == nil else { return }
            changed(vehicles.leave(channel))
        }
    }

    /// What came unasked.
    func push(_ message: Message) {
        let channel = message.channel
        let one = following(channel)
        // A passenger's own taxi comes unasked.
        if isFeed(channel), one != nil || channel.hasPrefix("vehicle:") { changed(vehicles.apply(message)) }
        if message.type == Gap.type { return gap(channel, message) }
        let isOwn = channel == own
        if !isOwn && one == nil { return }
        guard let seq = message.seq else {
            _ = isOwn ? port.teller.tell(message) : one?.tell(message)
            return
        }
        // Each is applied once [R2].
        guard recent[channel, default: RecentPlaces()].insert(seq) else { return }
        let answers = isOwn ? port.teller.tell(message) : one?.tell(message)
        if isOwn, answers != nil, Channels.offers.contains(message.type), port.teller.hears(message.type) {
            seen(message.data)
        }
        place(channel, seq, answers: answers ?? [])
    }

    /// On the screen: its clock starts. Not if it is over long ago.
    private func seen(_ offer: JSON) {
        guard let ride = offer["ride"]?.string ?? offer["booking"]?.string else { return }
        if offer["expires_at"]?.int ?? .max > port.time() { port.seen(ride) }
    }

    /// Applied up to here.
    private func place(_ channel: String, _ seq: String, answers: [Answer] = []) {
        places[channel] = seq
        port.device.place(channel, seq, answers: answers)
    }

    private func gap(_ channel: String, _ message: Message? = nil) {
        recent[channel] = nil
        let one = following(channel)
        guard channel == own || one != nil else { return }
        let gap = Gap(channel: channel)
        port.teller.tell(gap)
        one?.teller.tell(gap)
        let told = message ?? Message(["ch": .string(channel), "type": "gap", "time": .int(port.time())])
        guard let told, let one else { return }
        for reader in one.readers.values { _ = reader.add(told) }
    }

    private func changed(_ ids: [String]) {
        if !ids.isEmpty { port.teller.tell(VehiclesChanged(ids: ids)) }
    }

    private func ask(_ one: Followed) {
        one.state = .pending
        guard port.connection.isGreeted else { return }
        let place = isResumed(one.channel) ? places[one.channel] : nil
        var fields = one.fields
        if let place { fields["since"] = .string(place) }
        port.ask(one.channel == "near" ? "watch" : "subscribe", fields) { [weak self, weak one] ending in
            if let self, let one { answered(one, ending, since: place) }
        }
    }

    /// `since`: where it stood when it was asked.
    private func answered(_ one: Followed, _ ending: Ending, since: String?) {
        guard followed.contains(where: { $0 === one }) else { return }
        switch ending {
        case .success(let reply):
            one.state = .live
            // Unless something has come already, which is later.
            if let seq = reply["seq"]?.string, places[one.channel] == since { place(one.channel, seq) }
            one.teller.tell(Subscribed(reply: reply))
        case .failure(let error):
            if error.code == "left" { return }
            drop(one)
            one.refuse(error)
        }
    }

    private func drop(_ one: Followed) {
        followed.removeAll { $0 === one }
        places[one.channel] = nil
        recent[one.channel] = nil
        port.device.leave(one.channel)
        changed(vehicles.leave(one.channel))
    }
}

/// The latest places of a channel that were applied [R2].
private struct RecentPlaces {
    private var known: Set<String> = []
    private var order: [String] = []

    /// Whether it is new.
    mutating func insert(_ seq: String) -> Bool {
        guard known.insert(seq).inserted else { return false }
        order.append(seq)
        if order.count > Limits.recent { known.remove(order.removeFirst()) }
        return true
    }
}
