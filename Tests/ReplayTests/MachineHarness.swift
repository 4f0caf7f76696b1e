import Domain
import Testing
import Wire

@testable import Replay

/// Plays the hub to one machine: reads what the machine sends, and answers as told. Hub time runs at `speed`.
struct MachineHarness<Machine> {
    var machine: Machine
    var now: Moment
    var out: [ClientAction] = []
    /// Nothing comes over the link but what the test says; otherwise the hub pings as ever.
    var isLinkSilent = false
    private var number: UInt64 = 0

    init(_ machine: Machine, speed: Double = 1) {
        self.machine = machine
        now = Moment(realMs: 0, hubMs: 1_000_000, speed: speed)
    }

    /// What has been done since the last look, apart from notes.
    mutating func actions() -> [ClientAction] {
        defer { out.removeAll { if case .note = $0 { false } else { true } } }
        return out.filter { if case .note = $0 { false } else { true } }
    }

    var notes: [ClientNote] { out.compactMap { if case .note(let note) = $0 { note } else { nil } } }

    /// The commands sent since the last look, positions apart.
    mutating func sent() throws -> [ClientMessage] {
        try actions().compactMap { action in
            guard case .send(let bytes) = action else { return nil }
            let decoded = bytes.withUnsafeBytes { decode($0) }
            guard case .message(let message) = decoded else {
                throw Unreadable(text: String(decoding: bytes, as: UTF8.self))
            }
            if case .position = message.command { return nil }
            return message
        }
    }

    struct Unreadable: Error { var text: String }

    mutating func pass(hubMs: Int64) {
        now.hubMs += hubMs
        now.realMs += Int64(Double(hubMs) / now.speed)
    }

    mutating func seq() -> String {
        number += 1
        return "1000-\(number)"
    }
}

extension MachineHarness where Machine: ClientMachine {
    mutating func wake(afterHubMs ms: Int64 = 0) {
        pass(hubMs: ms)
        if !isLinkSilent { machine.session.heard(now) }
        machine.wake(now, &out)
    }

    mutating func hear(_ message: ServerMessage) { machine.received(message, now, &out) }

    mutating func event(_ type: String, _ data: JSONValue) {
        hear(.event(ch: machine.session.ownChannel, seq: seq(), type: type, time: now.hubMs, data: data))
    }

    /// Connects and answers the hello.
    mutating func connect() throws {
        wake()
        #expect(actions() == [.connect])
        machine.opened(token: "tok.en", now, &out)
        try greet()
    }

    /// Answers the hello that was sent; returns what it asked to resume.
    @discardableResult mutating func greet() throws -> [String] {
        let hello = try #require(try sent().first)
        guard case .session(.hello(_, let resume)) = hello.command else { throw Unreadable(text: "\(hello)") }
        let ok: JSONValue = [
            "session": "s", "time": .number(Double(now.hubMs)), "seq": .object([machine.session.ownChannel: "1000-0"]),
        ]
        hear(.reply(id: hello.id!, ok: ok))
        return resume.map(\.seq)
    }

    /// Takes the one command that was sent, which must be this one.
    mutating func take(_ command: Command) throws -> ClientMessage {
        let all = try sent()
        #expect(all.map(\.command) == [command])
        return try #require(all.first)
    }

    mutating func grant(_ command: Command, _ ok: JSONValue) throws {
        hear(.reply(id: try take(command).id!, ok: ok))
    }

    mutating func refuse(_ command: Command, _ code: ErrorCode) throws {
        hear(.error(id: try take(command).id!, code: code, detail: "", retry: code.retry))
    }
}
