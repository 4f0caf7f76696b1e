import Foundation

/// Sends commands, and tells how they have ended. `Outbox` decides, this does it. Rules in brackets are those of
/// ../../behaviour.md.
final class Sender {
    struct Waiter {
        let end: (Ending) -> Void
        /// It waits no more.
        let cancel: () -> Void
    }

    /// Of a command; never the same twice.
    private(set) var id = 0
    private var acts = 0
    private(set) var outbox: Outbox
    /// What the connection has decided is being done: what is due waits until that is over.
    var isHeld = false
    /// Who waits for the end of a command, by a number of its own.
    private var waiting: [Int: Waiter] = [:]
    private var lastWaiter = 0
    private let connection: Connection
    private let device: Device
    private let teller: Teller
    private let options: Options
    private let enter: Client.Enter
    private let send: ([String: JSON]) -> Void
    /// To look again after so many ms; nil: not at all.
    private let wait: (Int?) -> Void

    /// `send`: a message on the link in use.
    init(
        connection: Connection, device: Device, teller: Teller, options: Options, enter: @escaping Client.Enter,
        send: @escaping ([String: JSON]) -> Void, wait: @escaping (Int?) -> Void
    ) {
        self.connection = connection
        self.device = device
        self.teller = teller
        self.options = options
        self.enter = enter
        self.send = send
        self.wait = wait
        outbox = Outbox(random: options.random)
    }

    func nextId() -> Int {
        id += 1
        return id
    }

    func nextWaiter() -> Int {
        lastWaiter += 1
        return lastWaiter
    }

    /// The app's own commands. `who`: acts, as far as it is known. `number`: of who waits. Throws what is refused at once.
    func call(
        _ who: String, _ command: String, _ fields: [String: JSON], key: String?, _ number: Int, _ waiter: Waiter
    ) throws {
        if ofConnection.contains(command) { throw Misuse(reason: "\(command) is sent by the client itself") }
        if !JSON.object(fields).isFinite { throw Misuse(reason: "\(command) has a number that is not finite") }
        let now = options.clock.now()
        if isQuestion(command) {
            waiting[number] = waiter
            let until = now + Limits.questionAge
            return add(Entry(command: command, fields: fields, at: now, until: until, waiter: number))
        }
        if outbox.isFull {
            let detail = "\(Limits.outbox) commands wait for a link."
            throw HubError(code: "outbox_full", title: "Too much waits", detail: detail, retry: true)
        }
        waiting[number] = waiter
        acts += 1
        let key = key ?? UUID().uuidString.lowercased()
        let name = "act:\(padded(now, to: 15))-\(padded(acts, to: 9))-\(key)"
        let entry = Entry(
            command: command, fields: fields, at: now, until: now + Limits.outboxAge, waiter: number, name: name,
            key: key, who: who.isEmpty ? nil : who, isStored: false)
        add(entry)
        device.keep(entry) { [enter] in
            enter { $0.sender.stored(name) }
        }
    }

    /// A command of this connection, which ends with it.
    func ask(_ command: String, _ fields: [String: JSON], then: @escaping (Ending) -> Void) {
        let number = nextWaiter()
        waiting[number] = Waiter(end: then, cancel: {})
        let now = options.clock.now()
        add(Entry(command: command, fields: fields, at: now, until: .max, waiter: number, isBound: true))
    }

    /// An offer is on the screen [A1].
    func seen(_ ride: String) {
        let now = options.clock.now()
        let until = now + Limits.seenAge
        add(Entry(command: "offer.seen", fields: ["ride": .string(ride)], at: now, until: until))
    }

    /// Those of before the app's start.
    func restore(_ acts: [Entry]) {
        outbox.restore(acts)
    }

    /// Sends what is due, and looks again when the next is.
    func pump() {
        if isHeld { return }
        let now = options.clock.now()
        end(outbox.expire(now: now))
        if connection.isGreeted {
            for entry in outbox.ready(now: now) {
                let number = nextId()
                outbox.sent(entry, id: number, now: now)
                var message = entry.fields
                message["id"] = .int(number)
                message["cmd"] = .string(entry.command)
                message["key"] = entry.key.map(JSON.string)
                send(message)
            }
        }
        wait(outbox.wait(from: now))
    }

    /// What the hub has answered to one of them.
    func reply(_ id: Int, _ ending: Ending) {
        if let ended = outbox.reply(id, ending, now: options.clock.now()) { end([ended]) }
    }

    /// The link is gone.
    func lost() {
        end(outbox.lost())
    }

    /// `who` is connected.
    func belongTo(_ who: String) {
        end(outbox.belongTo(who))
    }

    /// Nobody waits for its end any more; it goes on all the same.
    func stopWaiting(_ number: Int) {
        waiting.removeValue(forKey: number)?.cancel()
    }

    /// It is on the device.
    func stored(_ name: String) {
        for entry in outbox.entries where entry.name == name { entry.isStored = true }
        pump()
    }

    private func add(_ entry: Entry) {
        outbox.add(entry)
        if entry.isStored { pump() }
    }

    private func end(_ ended: [Outbox.Ended]) {
        for (entry, ending) in ended {
            if entry.isKept { device.forget(entry) }
            if let waiter = entry.waiter { waiting.removeValue(forKey: waiter)?.end(ending) }
            guard let key = entry.key else { continue }
            teller.tell(Outcome(command: entry.command, fields: entry.fields, key: key, result: ending))
        }
    }

    private func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
