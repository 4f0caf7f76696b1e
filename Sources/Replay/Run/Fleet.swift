import ClientSupport
import EventLoop
import WebSocketServer
import Wire

/// All clients of a run: carries out what their machines decide, on links of one loop. Contains no decision.
final class Fleet {
    private let links: WebSocketClient
    private let urls: [String]
    private let configuration: ReplayConfiguration
    private var seatOfLink: [ConnectionID: Seat] = [:]
    private var agenda = Agenda()
    private var out: [ClientAction] = []
    private(set) var seats: [Seat] = []
    private(set) var tally = Tally()
    private(set) var clock: HubClock
    private(set) var pace = HubPace()
    /// Why the last link was lost, in words.
    private(set) var lastFailure = "no answer"
    /// Who may leave stays connected for so long, real ms.
    private let lingerMs: Int64 = 5_000

    init(loop: EventLoop, configuration: ReplayConfiguration) throws {
        links = try WebSocketClient(loop: loop, trust: configuration.trust)
        urls = configuration.urls
        self.configuration = configuration
        clock = HubClock(speed: configuration.speed)
        links.onOpen = { [unowned self] link in opened(link) }
        links.onMessage = { [unowned self] link, bytes, _ in received(link, bytes) }
        links.onPing = { [unowned self] link in heard(link) }
        links.onPong = { [unowned self] link in heard(link) }
        links.onClose = { [unowned self] link, code, reason in closed(link, code, reason) }
    }

    var moment: Moment { clock.moment(atRealMs: Monotonic.milliseconds) }

    // MARK: Clients

    func add(_ machine: any ClientMachine) {
        let seat = Seat(index: seats.count, machine)
        seats.append(seat)
        schedule(seat, moment)
    }

    /// Lets something be done to every client of a kind that is still here.
    func each<Machine: ClientMachine>(
        _ kind: Machine.Type, _ body: (inout Machine, Moment, inout [ClientAction]) -> Void
    ) {
        for seat in seats where seat.isHere {
            guard var machine = seat.machine as? Machine else { continue }
            let now = moment
            body(&machine, now, &out)
            seat.machine = machine
            carryOut(seat, now)
        }
    }

    /// No link is cut on purpose any more.
    func calmDown() { for seat in seats { seat.machine.calmDown() } }

    /// Cuts what is left.
    func shutdown() { links.shutdown() }

    /// Everybody goes, with a close frame.
    func leave() {
        for seat in seats where seat.isHere {
            seat.machine.leave(&out)
            carryOut(seat, moment)
        }
    }

    // MARK: Time

    /// Wakes who is due. Called at every tick.
    func tick() {
        let now = moment
        while let index = agenda.next(by: now.realMs) {
            let seat = seats[index]
            if let leaving = seat.leaveMs, now.realMs >= leaving {
                seat.machine.leave(&out)
            } else {
                seat.machine.wake(now, &out)
            }
            carryOut(seat, now)
        }
    }

    private func schedule(_ seat: Seat, _ now: Moment) {
        var due = seat.machine.dueMs(now)
        if seat.machine.mayLeave, seat.leaveMs == nil { seat.leaveMs = now.realMs + lingerMs }
        if let leaving = seat.leaveMs { due = min(due, leaving) }
        // Never again in the same tick, whatever a machine says.
        agenda.set(seat.isHere ? max(due, now.realMs + 1) : .max, for: seat.index)
    }

    // MARK: Links

    private func opened(_ link: ConnectionID) {
        guard let seat = seatOfLink[link] else { return }
        let now = moment
        seat.machine.opened(token: seat.greetsWithToken ? token(of: seat) : nil, now, &out)
        carryOut(seat, now)
    }

    private func received(_ link: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        guard let seat = seatOfLink[link] else { return }
        guard let message = try? decodeServer(bytes) else {
            tally.take(.unreadable(String(decoding: bytes.prefix(300), as: UTF8.self)), atUs: 0)
            return
        }
        let now = moment
        seat.machine.received(message, now, &out)
        carryOut(seat, now)
    }

    private func heard(_ link: ConnectionID) { seatOfLink[link]?.machine.session.heard(moment) }

    private func closed(_ link: ConnectionID, _ code: UInt16, _ reason: String) {
        guard let seat = seatOfLink.removeValue(forKey: link) else { return }
        seat.link = nil
        if code == 1006, !reason.isEmpty, reason != "aborted" { lastFailure = reason }
        let now = moment
        seat.machine.closed(code: code, reason: reason, now, &out)
        carryOut(seat, now)
    }

    private func carryOut(_ seat: Seat, _ now: Moment) {
        // What is carried out may lead to more.
        while !out.isEmpty {
            let actions = out
            out.removeAll(keepingCapacity: true)
            for action in actions { carryOut(action, seat) }
        }
        schedule(seat, now)
    }

    private func carryOut(_ action: ClientAction, _ seat: Seat) {
        switch action {
        case .note(let note): take(note)
        case .send(let bytes): if let link = seat.link { _ = links.send(link, text: bytes) }
        case .ping: if let link = seat.link { _ = links.ping(link) }
        case .connect: connect(seat)
        case .abort: if let link = release(seat) { links.abort(link) }
        case .close(let code): if let link = release(seat) { links.close(link, code: code) }
        }
    }

    private func take(_ note: Note) {
        let nowUs = Monotonic.microseconds
        switch note {
        case .hubTime(let ms):
            clock.heard(hubMs: ms, atRealMs: nowUs / 1000)
            pace.heard(hubMs: ms, atRealMs: nowUs / 1000)
        case .state(let ms): pace.heard(hubMs: ms, atRealMs: nowUs / 1000)
        case .greetingRefused(let code, let detail): lastFailure = "\(code.rawValue): \(detail)"
        default: break
        }
        tally.take(note, atUs: nowUs)
    }

    private func connect(_ seat: Seat) {
        if let old = release(seat) { links.abort(old) }
        let bearer = seat.greetsWithToken ? nil : token(of: seat)
        seat.attempts += 1
        do {
            let link = try links.connect(
                url: urls[(seat.index + seat.attempts) % urls.count], subprotocol: "kerbside.v1.json", bearer: bearer,
                source: LoopbackSource.address(of: seat.index, urls: urls))
            seat.link = link
            seatOfLink[link] = seat
        } catch {
            lastFailure = "\(error)"
            let now = moment
            seat.machine.closed(code: 1006, reason: "", now, &out)
        }
    }

    private func token(of seat: Seat) -> String {
        if let seats = seat.machine.minibusSeats { return configuration.minibusToken(seat.subject, seats) }
        return configuration.token(seat.role, seat.subject)
    }

    /// From here on nothing of this link concerns the client.
    private func release(_ seat: Seat) -> ConnectionID? {
        guard let link = seat.link else { return nil }
        seatOfLink[link] = nil
        seat.link = nil
        return link
    }
}
