import Foundation
import KerbsideClient
import KerbsideClientOpenSSL

/// One app on the client.
actor App {
    /// name → what a phone keeps.
    private static let stores = Stores()

    private let name: String
    private let hub: Kerbside
    private let clock: TestClock?
    private let tokens: Tokens
    private let sockets = Sockets()
    private let output: Output
    private var subscriptions: [String: Subscription] = [:]

    /// `what`: the fields of `new`.
    init(_ name: String, _ what: JSON) async throws {
        let clock = what["clock"]?.int.map(TestClock.init)
        let output = Output(name)
        let (sockets, tokens) = (sockets, Tokens(what["tokens"] ?? [], output))
        self.name = name
        self.clock = clock
        self.output = output
        self.tokens = tokens
        guard let url = URL(string: what["url"]?.string ?? "") else { throw Misuse(reason: "no url: \(what.text)") }
        let way = clock == nil || what["way"] == "either" ? either(openSSLSocket, eventStream) : openSSLSocket
        let transport: Transport = { url, events in
            let link = CountedLink(sockets)
            try link.open(way, url, events, hears: clock == nil)
            return link
        }
        hub = Kerbside(
            Options(
                url: url, transport: transport, storage: await App.stores.of(what["store"]?.string ?? name),
                remembers: what["remembers"]?.bool ?? false, clock: clock ?? SystemClock(),
                random: chance(seed: what["seed"]?.int ?? 1, always: what["random"]?.double),
                token: { try tokens.next(refused: $0) }))
        await listen(to: what["handles"]?.array?.compactMap(\.string) ?? [])
    }

    private func listen(to handles: [String]) async {
        let output = output
        await hub.on(StateChange.self) { (change: StateChange) in
            let fields: [String: JSON] = [
                "state": .string(change.state.rawValue), "reason": .string(change.reason), "wait": .int(change.wait),
            ]
            output.saw("state", fields)
        }
        await hub.on(Gap.self) { (gap: Gap) in output.saw("gap", ["channel": .string(gap.channel)]) }
        await hub.on(HubError.self) { (error: HubError) in output.saw("refused", ["code": .string(error.code)]) }
        await hub.on(Fault.self) { (fault: Fault) in output.saw("fault", ["text": .string("\(fault.error)")]) }
        await hub.on(Outcome.self) { (outcome: Outcome) in
            var fields: [String: JSON] = ["cmd": .string(outcome.command), "key": .string(outcome.key)]
            switch outcome.result {
            case .success(let ok): fields["ok"] = ok
            case .failure(let error): fields["error"] = .string(error.code)
            }
            output.saw("outcome", fields)
        }
        for type in handles { await hub.on(type) { (_: Message) in } }
        await hub.on("*") { (message: Message) in output.saw(message) }
    }

    func obey(_ what: JSON) async throws -> [String: JSON] {
        let fields = what["fields"]?.object ?? [:]
        switch what["do"]?.string {
        case "start": await hub.start()
        case "stop": await hub.stop()
        case "wake": await hub.wake()
        case "tokens": tokens.set(what["tokens"] ?? [])
        case "call": await call(what["cmd"]?.string ?? "", fields, key: what["key"]?.string, as: what["as"])
        case "position": await hub.position(what["fix"]?.object ?? [:])
        case "subscribe": await follow(hub.subscribe(what["channel"]?.string ?? "", fields))
        case "watch": await follow(hub.watch(fields))
        case "leave": await subscriptions.removeValue(forKey: what["channel"]?.string ?? "")?.close()
        case "time":
            let answer = clock?.advance(what["ms"]?.int ?? 0) ?? [:]
            await hub.settled()
            return answer
        case "clock": clock?.put(what["ms"]?.int ?? 0)
        case "look": return await look()
        case "die":
            // Nothing is said. What had come is done with before, as nobody can end it in between here.
            sockets.closeAll()
            await hub.settled()
            output.end()
        default: throw Misuse(reason: "nobody knows how to \(what.text)")
        }
        await hub.settled()
        return [:]
    }

    private func call(_ command: String, _ fields: [String: JSON], key: String?, as name: JSON?) async {
        let output = output
        await hub.send(command, fields, key: key) { result in
            guard let name else { return }
            switch result {
            case .success(let ok): output.saw("answer", ["as": name, "ok": ok])
            case .failure(let error):
                let code = (error as? HubError)?.code ?? "\(error)"
                output.saw("answer", ["as": name, "error": .string(code)])
            }
        }
    }

    private func follow(_ one: Subscription) async {
        if subscriptions[one.channel] === one { return }
        subscriptions[one.channel] = one
        let output = output
        await one.on(HubError.self) { (error: HubError) in
            output.saw("denied", ["channel": .string(one.channel), "code": .string(error.code)])
        }
        await one.on("*") { (message: Message) in output.saw(message) }
    }

    private func look() async -> [String: JSON] {
        // First, so that what is counted has been done by the end.
        let (counts, said) = (sockets.counts, sockets.said)
        await hub.settled()
        let pending = await hub.pending
        return [
            "sockets": counts, "sent": .int(said.sent), "heard": .int(said.heard),
            "state": .string(await hub.state.rawValue), "time": .int(await hub.time),
            "pending": .array(pending.map { ["cmd": .string($0.command), "key": .string($0.key)] }),
            "vehicles": .array(await hub.vehicles.values.map(\.shown)),
        ]
    }
}

extension Vehicle {
    fileprivate var shown: JSON {
        [
            "id": .string(id), "lat": .double(lat), "lon": .double(lon), "heading": heading.map(JSON.double) ?? .null,
            "state": .string(state.rawValue), "seats": seats.map(JSON.int) ?? .null, "at": .int(at),
            "freshness": .string(isStale ? "stale" : "live"), "kind": .string(kind.rawValue),
            "route": route.map(JSON.string) ?? .null,
        ]
    }
}

/// What phones keep, as long as the program lives.
actor Stores {
    private var stores: [String: MemoryStorage] = [:]

    func of(_ name: String) -> MemoryStorage {
        let store = stores[name] ?? MemoryStorage()
        stores[name] = store
        return store
    }
}

/// The login service of an app.
final class Tokens: @unchecked Sendable {
    // Sendable because the tokens are used under the lock.
    private let lock = NSLock()
    private var tokens: [String]
    private let output: Output

    init(_ tokens: JSON, _ output: Output) {
        self.tokens = tokens.array?.compactMap(\.string) ?? []
        self.output = output
    }

    func set(_ tokens: JSON) {
        lock.withLock { self.tokens = tokens.array?.compactMap(\.string) ?? [] }
    }

    func next(refused: String?) throws -> String? {
        output.saw("token", ["refused": refused.map(JSON.string) ?? .null])
        let token = lock.withLock { tokens.count > 1 ? tokens.removeFirst() : tokens.first }
        if token == "away" { throw Misuse(reason: "the login service is away") }
        return token
    }
}

/// Of a seed, or always the same.
func chance(seed: Int, always: Double?) -> Chance {
    if let always { return { always } }
    let source = Source(UInt64(truncatingIfNeeded: seed))
    return { source.next() }
}

/// SplitMix64.
private final class Source: @unchecked Sendable {
    // Sendable because the state is used under the lock.
    private let lock = NSLock()
    private var state: UInt64

    init(_ seed: UInt64) {
        state = seed
    }

    func next() -> Double {
        lock.withLock {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return Double((mixed ^ (mixed >> 31)) >> 11) / 9_007_199_254_740_992
        }
    }
}
