import ClientSupport
import EventLoop
import WebSocketServer
import Wire

/// All clients of a run: carries out what their machines decide, on links of one loop. Contains no decision.
final class ClientPool {
    private let links: WebSocketClient
    private let urls: [String]
    private let configuration: ReplayConfiguration
    private var slotOfLink: [ConnectionID: ClientSlot] = [:]
    private var wakeQueue = WakeQueue()
    private var out: [ClientAction] = []
    private(set) var slots: [ClientSlot] = []
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
        let slot = ClientSlot(index: slots.count, machine)
        slots.append(slot)
        schedule(slot, moment)
    }

    /// Lets something be done to every client of a kind that is still here.
    func each<Machine: ClientMachine>(
        _ kind: Machine.Type, _ body: (inout Machine, Moment, inout [ClientAction]) -> Void
    ) {
        for slot in slots where slot.isHere {
            guard var machine = slot.machine as? Machine else { continue }
            let now = moment
            body(&machine, now, &out)
            slot.machine = machine
            perform(slot, now)
        }
    }

    /// No link is cut on purpose any more.
    func calmDown() { for slot in slots { slot.machine.calmDown() } }

    /// Cuts what is left.
    func shutdown() { links.shutdown() }

    /// Everybody goes, with a close frame.
    func leave() {
        for slot in slots where slot.isHere {
            slot.machine.leave(&out)
            perform(slot, moment)
        }
    }

    // MARK: Time

    /// Wakes who is due. Called at every tick.
    func tick() {
        let now = moment
        while let index = wakeQueue.next(by: now.realMs) {
            let slot = slots[index]
            if let leaving = slot.leaveMs, now.realMs >= leaving {
                slot.machine.leave(&out)
            } else {
                slot.machine.wake(now, &out)
            }
            perform(slot, now)
        }
    }

    private func schedule(_ slot: ClientSlot, _ now: Moment) {
        var due = slot.machine.dueMs(now)
        if slot.machine.mayLeave, slot.leaveMs == nil { slot.leaveMs = now.realMs + lingerMs }
        if let leaving = slot.leaveMs { due = min(due, leaving) }
        // Never again in the same tick, whatever a machine says.
        wakeQueue.set(slot.isHere ? max(due, now.realMs + 1) : .max, for: slot.index)
    }

    // MARK: Links

    private func opened(_ link: ConnectionID) {
        guard let slot = slotOfLink[link] else { return }
        let now = moment
        slot.machine.opened(token: slot.greetsWithToken ? token(of: slot) : nil, now, &out)
        perform(slot, now)
    }

    private func received(_ link: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        guard let slot = slotOfLink[link] else { return }
        guard let message = try? decodeServer(bytes) else {
            tally.take(.unreadable(String(decoding: bytes.prefix(300), as: UTF8.self)), atUs: 0)
            return
        }
        let now = moment
        slot.machine.received(message, now, &out)
        perform(slot, now)
    }

    private func heard(_ link: ConnectionID) { slotOfLink[link]?.machine.session.heard(moment) }

    private func closed(_ link: ConnectionID, _ code: UInt16, _ reason: String) {
        guard let slot = slotOfLink.removeValue(forKey: link) else { return }
        slot.link = nil
        if code == 1006, !reason.isEmpty, reason != "aborted" { lastFailure = reason }
        let now = moment
        slot.machine.closed(code: code, reason: reason, now, &out)
        perform(slot, now)
    }

    private func perform(_ slot: ClientSlot, _ now: Moment) {
        // What is carried out may lead to more.
        while !out.isEmpty {
            let actions = out
            out.removeAll(keepingCapacity: true)
            for action in actions { perform(action, slot) }
        }
        schedule(slot, now)
    }

    private func perform(_ action: ClientAction, _ slot: ClientSlot) {
        switch action {
        case .note(let note): take(note)
        case .send(let bytes): if let link = slot.link { _ = links.send(link, text: bytes) }
        case .ping: if let link = slot.link { _ = links.ping(link) }
        case .connect: connect(slot)
        case .abort: if let link = release(slot) { links.abort(link) }
        case .close(let code): if let link = release(slot) { links.close(link, code: code) }
        }
    }

    private func take(_ note: ClientNote) {
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

    private func connect(_ slot: ClientSlot) {
        if let old = release(slot) { links.abort(old) }
        let bearer = slot.greetsWithToken ? nil : token(of: slot)
        slot.attempts += 1
        do {
            let link = try links.connect(
                url: urls[(slot.index + slot.attempts) % urls.count], subprotocol: "kerbside.v1.json", bearer: bearer,
                source: LoopbackSource.address(of: slot.index, urls: urls))
            slot.link = link
            slotOfLink[link] = slot
        } catch {
            lastFailure = "\(error)"
            let now = moment
            slot.machine.closed(code: 1006, reason: "", now, &out)
        }
    }

    private func token(of slot: ClientSlot) -> String {
        if let seats = slot.machine.minibusSeats { return configuration.minibusToken(slot.subject, seats) }
        return configuration.token(slot.role, slot.subject)
    }

    /// From here on nothing of this link concerns the client.
    private func release(_ slot: ClientSlot) -> ConnectionID? {
        guard let link = slot.link else { return nil }
        slotOfLink[link] = nil
        slot.link = nil
        return link
    }
}
