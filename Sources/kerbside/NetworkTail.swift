import EventLoop
import Foundation
import Hub
import WebSocketServer
import Wire

/// Follows `events:<pattern>` of a hub elsewhere: comes back after a loss where it was, and says what is missing.
final class NetworkTail {
    private let loop: EventLoop
    private let client: WebSocketClient
    private let url: String
    private let channel: String
    /// Of which events are wanted; it is asked once whether they are there.
    private let zones: [String]
    private let since: String?
    /// Read anew for each connection, as it may have been renewed.
    private let token: () throws -> String
    private let show: (CityEvent) -> Void

    /// Where it stands: the last event, or the place at which it began.
    private var seq: String?
    private var failures = 0
    /// The hub has said: later.
    private var isPutOff = false
    private var failure: CommandFailure?
    private let retry: LoopTimer

    private static let (hello, subscribe, leave, zone) = (Int64(1), Int64(2), Int64(3), Int64(10))

    init(
        loop: EventLoop, url: String, trust: ClientTrust, channel: String, zones: [String],
        since: String?, token: @escaping () throws -> String, show: @escaping (CityEvent) -> Void
    ) throws {
        self.loop = loop
        client = try WebSocketClient(loop: loop, trust: trust)
        (self.url, self.channel, self.zones, self.since) = (url, channel, zones, since)
        (self.token, self.show) = (token, show)
        retry = LoopTimer(loop)
        client.onOpen = { [unowned self] in self.greet($0) }
        client.onMessage = { [unowned self] id, bytes, _ in self.take(id, bytes) }
        client.onClose = { [unowned self] _, code, reason in self.closed(code, reason) }
    }

    /// Runs the loop until Ctrl-C. Throws when the hub refuses, or can't be reached at first.
    func run() throws {
        let interrupt = try LoopSignal(loop, signal: SIGINT) { self.loop.stop() }
        defer { interrupt.close() }
        connect()
        loop.run()
        retry.close()
        if let failure { throw failure }
    }

    private func connect() {
        do { try client.connect(url: url, subprotocol: "kerbside.v1.json") } catch { end("\(url): \(error)") }
    }

    private func end(_ reason: String) {
        failure = failure ?? CommandFailure(reason)
        loop.stop()
    }

    private func greet(_ id: ConnectionID) {
        do {
            var json = JSONWriter()
            json.beginObject()
            json.member("id", Self.hello)
            json.member("cmd", "hello")
            json.member("token", try token())
            json.endObject()
            client.send(id, text: json.bytes)
        } catch { end("\(error)") }
    }

    private func follow(_ id: ConnectionID) {
        if seq == nil {
            for (index, zone) in zones.enumerated() { send(id, Self.zone + Int64(index), "subscribe", "zone:" + zone) }
        }
        send(id, Self.subscribe, "subscribe", channel, since: seq ?? since)
    }

    private func send(
        _ id: ConnectionID, _ number: Int64, _ command: String, _ channel: String, since: String? = nil
    ) {
        var json = JSONWriter()
        json.beginObject()
        json.member("id", number)
        json.member("cmd", command)
        json.member("channel", channel)
        if let since { json.member("since", since) }
        json.endObject()
        client.send(id, text: json.bytes)
    }

    /// Whether a zone is there, of which events are wanted. Its vehicles are not.
    private func learn(_ id: ConnectionID, _ zone: String, _ error: JSONValue?) {
        if error == nil { return send(id, Self.leave, "unsubscribe", "zone:" + zone) }
        if error?["code"]?.text == ErrorCode.notFound.rawValue { Terminal.warn(Tail.noZone(zone)) }
    }

    private func take(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) {
        guard let message = try? JSONValue(parsing: Array(bytes)) else {
            return end("\(url) sends what is no JSON: is it a hub?")
        }
        if let answered = message["id"]?.integer {
            if answered >= Self.zone, zones.indices.contains(Int(answered - Self.zone)) {
                return learn(id, zones[Int(answered - Self.zone)], message["error"])
            }
            if answered == Self.leave { return }
            if let error = message["error"] {
                let detail = error["detail"]?.text ?? error["title"]?.text ?? "refused"
                // The hub's store is away, for a while.
                if error["retry"]?.boolean == true {
                    isPutOff = true
                    return client.close(id)
                }
                return end(detail)
            }
            if answered == Self.hello { return follow(id) }
            failures = 0
            seq = seq ?? message["ok"]?["seq"]?.text
        } else if message["ch"]?.text == channel {
            if message["type"]?.text == "gap" {
                Terminal.warn("some events are missing here: the hub does not keep them any more")
            } else if let event = message.event {
                seq = message["seq"]?.text ?? seq
                show(event)
            }
        }
    }

    private func closed(_ code: UInt16, _ reason: String) {
        guard failure == nil else { return }
        let wasPutOff = isPutOff
        isPutOff = false
        let rule = wasPutOff ? .resume : CloseCode.reconnect(after: code)
        guard rule != .never, rule != .withNewToken || failures == 0 else {
            return end("\(url) has closed the connection: \(code) \(reason)")
        }
        guard seq != nil || failures > 0 || wasPutOff else { return end("\(url): \(reason)") }
        if failures == 0 {
            let cause = wasPutOff ? "the hub can't answer now" : "the connection is lost (\(code) \(reason))"
            Terminal.warn("\(cause); trying again")
        }
        failures += 1
        let wait = min(30_000, 250 << min(failures, 7))
        let range =
            switch rule {
            case .withJitter(let most): 0...(CloseCode.retryMs(inReason: reason) ?? most)
            case .after(let ms): ms...(ms + wait)
            default: wait / 2...wait
            }
        retry.start(afterMs: UInt64(Int.random(in: range))) { self.connect() }
    }
}

extension JSONValue {
    fileprivate var event: CityEvent? {
        guard let type = self["type"]?.text, let time = self["time"]?.integer, let data = self["data"] else {
            return nil
        }
        return CityEvent(type: type, time: time, data: data.description)
    }
}
