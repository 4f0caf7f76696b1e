// How often memory is taken to deliver frames to readers who keep up, at the optimisation of a release. Needs the counter of
// tools/allocations preloaded. Prints "send N": in all, over the last rounds, once for each way to send.

import EventLoop
import Glibc
import WebSocketServer

/// What had been taken when the server came to the end of a turn.
@MainActor
final class Mark {
    var at: UInt = 0
}

@MainActor
final class Deliveries {
    private static let readers = 200
    private static let rounds = 30

    private let count: @convention(c) () -> UInt
    private let loop: EventLoop
    private let server: WebSocketServer
    private let client: WebSocketClient
    private let timer: LoopTimer
    private let isSoon: Bool
    private let frames = (0..<12).map { Frame.text(String(repeating: "x", count: 100 + $0)) }
    private var ids: [ConnectionID] = []
    private var heard = 0
    private let mark = Mark()
    /// What has been taken by the server since the round began. It writes in several turns, and the client takes memory between them.
    private var ofRound: UInt?
    private var taken: [UInt] = []

    init(_ count: @escaping @convention(c) () -> UInt, isSoon: Bool) throws {
        self.count = count
        self.isSoon = isSoon
        loop = try EventLoop()
        // Before the server's own hook.
        loop.atEndOfTurn { [mark] in MainActor.assumeIsolated { mark.at = count() } }
        var limits = ServerLimits()
        limits.coalesceMs = 2
        limits.coalesceLoad = 0...0
        server = try WebSocketServer(loop: loop, limits: limits, path: nil)
        client = try WebSocketClient(loop: loop)
        timer = LoopTimer(loop)
    }

    func run() throws -> [UInt] {
        let port = try server.listen(host: "127.0.0.1", port: 0)
        server.onOpen = { [unowned self] id, _ in MainActor.assumeIsolated { self.ids.append(id) } }
        client.onMessage = { [unowned self] _, _, _ in MainActor.assumeIsolated { self.heard += 1 } }
        for _ in 0..<Self.readers { try client.connect(url: "ws://127.0.0.1:\(port)/") }
        timer.start(afterMs: 20, repeatMs: 5) { [unowned self] in MainActor.assumeIsolated { self.round() } }
        // The server's own hook comes first.
        loop.atEndOfTurn { [unowned self] in MainActor.assumeIsolated { self.turnEnds() } }
        loop.run()
        return taken.suffix(Self.rounds / 2)
    }

    private func round() {
        guard ids.count == Self.readers, server.bytesQueued == 0, ofRound == nil,
            heard == taken.count * Self.readers * frames.count
        else { return }
        guard taken.count < Self.rounds else { return loop.stop() }
        let begun = count()
        for frame in frames {
            for id in ids { _ = isSoon ? server.sendSoon(id, frame) : server.send(id, frame) }
        }
        ofRound = count() - begun
    }

    private func turnEnds() {
        guard let before = ofRound else { return }
        let sum = before + count() - mark.at
        ofRound = server.bytesQueued == 0 ? nil : sum
        if ofRound == nil { taken.append(sum) }
    }
}

guard let symbol = dlsym(nil, "kb_allocations") else { fatalError("started without the counter of tools/allocations") }
let count = unsafeBitCast(symbol, to: (@convention(c) () -> UInt).self)
for isSoon in [false, true] {
    let taken = try Deliveries(count, isSoon: isSoon).run()
    print("\(isSoon ? "send.soon" : "send") \(taken.reduce(0, +))")
}
