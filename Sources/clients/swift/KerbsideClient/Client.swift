/// Carries out what `Connection` decides: sockets, clock and what comes are here, decisions are there. `Sender` has what is
/// sent, `Channels` what is read. All of it is in the isolation of its `Kerbside`.
final class Client {
    /// Has something done in the isolation of the client, behind all that was entered before. Of any thread.
    typealias Enter = @Sendable (@escaping @Sendable (Client) -> Void) -> Void

    let options: Options
    let enter: Enter
    let connection: Connection
    let device: Device
    let teller = Teller()
    private(set) var sender: Sender!
    private(set) var channels: Channels!
    private var links: [Int: any Link] = [:]
    /// What ends each, and its number.
    private var timers: [Timer: (number: Int, cancel: @Sendable () -> Void)] = [:]
    private var lastTimer = 0
    private var fix: [String: JSON]?
    /// The `id` of the last one.
    private var hello = 0
    private var isWanted = false
    /// The device was read.
    private var isLoaded = false
    /// What is asked of the app or the device, and has not come.
    private(set) var awaited = 0

    init(_ options: Options, enter: @escaping Enter) {
        self.options = options
        self.enter = enter
        connection = Connection(random: options.random)
        device = Device(storage: options.storage, remembers: options.remembers) { error in
            enter { $0.fault(error) }
        }
        teller.onFault = { [unowned self] error in fault(error) }
        let sender = Sender(
            connection: connection, device: device, teller: teller, options: options, enter: enter,
            send: { [unowned self] in send($0) }, wait: { [unowned self] in set(.outbox, ms: $0) })
        self.sender = sender
        channels = Channels(
            Channels.Port(
                teller: teller, device: device, connection: connection,
                ask: { sender.ask($0, $1, then: $2) }, seen: { sender.seen($0) }, time: { [unowned self] in time },
                fault: { [unowned self] in fault($0) }))
    }

    deinit {
        for timer in timers.values { timer.cancel() }
        for link in links.values { link.close(1000) }
    }

    var who: String { channels.own }
    /// Who acts, as far as it is known.
    var actor: String { who.isEmpty ? ownOf(connection.token) : who }
    var time: Int { options.clock.now() + connection.offset }

    // What the app wants

    func start() {
        isWanted = true
        if isLoaded {
            connection.start(now: options.clock.now())
            return run()
        }
        if awaited > 0 { return }
        awaited += 1
        let (storage, enter) = (options.storage, enter)
        Task {
            do {
                let (acts, places) = try await Device.load(storage)
                enter { $0.loaded(acts, places) }
            } catch {
                enter {
                    $0.fault(error)
                    $0.loaded([], [:])
                }
            }
        }
    }

    func stop() {
        isWanted = false
        connection.stop()
        run()
    }

    func wake() {
        connection.wake(now: options.clock.now())
        run()
    }

    /// Only the latest counts [A2].
    func position(_ fields: [String: JSON]) {
        fix = fields
        fix?["cmd"] = "position"
        sendFix()
    }

    private func loaded(_ acts: [Device.Record], _ places: [String: String]) {
        awaited -= 1
        isLoaded = true
        sender.restore(device.read(acts))
        if options.remembers { channels.restore(places) }
        if isWanted { connection.start(now: options.clock.now()) }
        run()
    }

    private func sendFix() {
        guard let fix, connection.isGreeted else { return }
        self.fix = nil
        send(fix)
    }

    // What was decided

    private func run() {
        sender.isHeld = true
        var actions = connection.take()
        while !actions.isEmpty {
            for action in actions { carryOut(action) }
            actions = connection.take()
        }
        sender.isHeld = false
        sender.pump()
    }

    private func carryOut(_ action: Action) {
        switch action {
        case .open(let link): open(link)
        case .close(let link, let code): links.removeValue(forKey: link)?.close(code)
        case .hello(let token): sayHello(token)
        case .renew(let token):
            hello = sender.nextId()
            send(["id": .int(hello), "cmd": "hello", "token": .string(token)])
        case .ping:
            // Its reply is the pong: it leaves what nobody follows [P2].
            send(["id": .int(sender.nextId()), "cmd": "unsubscribe", "channel": "topic:ping"])
        case .lost:
            channels.lost()
            sender.lost()
        case .token(let refused): askToken(refused)
        case .timer(let timer, let ms): set(timer, ms: ms)
        case .state(let change): teller.tell(change)
        }
    }

    private func open(_ number: Int) {
        let enter = enter
        let events = LinkEvents(
            opened: { enter { client in client.came(number) { client.connection.opened(number, now: $0) } } },
            heard: { enter { client in client.came(number) { client.connection.heard(number, now: $0) } } },
            message: { text in enter { client in client.came(number) { _ in client.message(number, text) } } },
            closed: { code, reason in
                enter { client in
                    client.came(number) { now in
                        client.links[number] = nil
                        client.connection.lost(number, code: code, reason: reason, now: now)
                    }
                }
            })
        do {
            links[number] = try options.transport(options.url, events)
        } catch {
            fault(error)
            connection.lost(number, code: 1006, reason: "no socket", now: options.clock.now())
        }
    }

    /// Something came of a link, unless it was left.
    private func came(_ link: Int, _ what: (_ now: Int) -> Void) {
        guard links[link] != nil else { return }
        what(options.clock.now())
        run()
    }

    private func askToken(_ refused: String?) {
        awaited += 1
        let (source, enter) = (options.token, enter)
        Task {
            do {
                let token = try await source(refused)
                enter { $0.answered { $0.gotToken(token) } }
            } catch {
                enter {
                    $0.fault(error)
                    $0.answered { $0.tokenFailed() }
                }
            }
        }
    }

    private func answered(_ what: (Connection) -> Void) {
        awaited -= 1
        what(connection)
        run()
    }

    private func set(_ timer: Timer, ms: Int?) {
        timers.removeValue(forKey: timer)?.cancel()
        guard let ms else { return }
        lastTimer += 1
        let (number, enter) = (lastTimer, enter)
        timers[timer] = (number, options.clock.set(ms) { enter { $0.fired(timer, number) } })
    }

    /// `number`: one that was stopped meanwhile is none.
    private func fired(_ timer: Timer, _ number: Int) {
        guard timers[timer]?.number == number else { return }
        timers[timer] = nil
        if timer != .outbox { connection.fired(timer, now: options.clock.now()) }
        run()
    }

    private func send(_ message: [String: JSON]) {
        links[connection.link]?.send(JSON.object(message).text)
    }

    // What comes

    private func message(_ link: Int, _ text: String) {
        guard link == connection.link else { return }
        connection.heard(link, now: options.clock.now())
        do {
            let json = try JSON(parsing: text)
            guard json.object != nil else { throw Misuse(reason: "no message: \(text.prefix(100))") }
            if let id = json["id"]?.int {
                reply(id, json["ok"].map(Ending.success) ?? .failure(HubError(json["error"] ?? .null)))
            } else if let error = json["error"] {
                teller.tell(HubError(error))
            } else if let message = Message(json) {
                channels.push(message)
            }
        } catch {
            fault(error)
        }
    }

    private func reply(_ id: Int, _ ending: Ending) {
        let now = options.clock.now()
        guard id == hello else { return sender.reply(id, ending) }
        switch ending {
        case .success(let ok) where connection.isGreeted:
            connection.renewed(time: ok["time"]?.int ?? time, now: now)
        case .success(let ok): greeted(ok, now: now)
        case .failure(let error) where connection.isGreeted: connection.notRenewed(isFinal: !error.retry)
        case .failure(let error):
            if error.code == "bad_message", channels.forget() {
                sayHello(connection.token ?? "")
            } else {
                connection.refused(error)
            }
        }
    }

    private func sayHello(_ token: String) {
        let own = ownOf(token)
        if !own.isEmpty { channels.own = own }
        let resume = channels.resume()
        hello = sender.nextId()
        var message: [String: JSON] = ["id": .int(hello), "cmd": "hello", "token": .string(token)]
        if !resume.isEmpty { message["resume"] = .object(resume) }
        send(message)
    }

    private func greeted(_ reply: JSON, now: Int) {
        channels.own = "\(reply["role"]?.string ?? ""):\(reply["subject"]?.string ?? "")"
        sender.belongTo(who)
        connection.greeted(heartbeatS: reply["heartbeat_s"]?.int ?? 25, time: reply["time"]?.int ?? now, now: now)
        // Before the acts, which may go by it.
        sendFix()
        let places = (reply["seq"]?.object ?? [:]).compactMapValues(\.string)
        channels.greeted(channels: reply["channels"]?.array?.compactMap(\.string) ?? [], places: places)
    }

    func fault(_ error: any Error) {
        guard teller.hears(Fault.type) else { return Teller.write(error) }
        // Later, as it may have happened in the middle of something.
        enter { $0.teller.tell(Fault(error: error)) }
    }
}
