internal import CCurl
public import EventLoop

/// Sends to a push service over HTTP, many at once, on a loop. It follows no redirect, and speaks TLS only. Used on the loop's thread.
///
/// Each service has a client of its own, with connections of its own: who names endpoints there that say nothing holds up nobody elsewhere.
public final class PushClient {
    private let loop: EventLoop
    private let multi: UnsafeMutableRawPointer
    private let authorities: String?
    private let timer: LoopTimer
    private var polls: [curl_socket_t: LoopPoll] = [:]
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    private var isClosed = false

    /// Connections at once: to a service that is one host; to one that has many, where a subscriber may choose which, in all and to each.
    private static let connections = (ofOne: 8, ofMany: 16, toEach: 2)
    private static let timeoutMs = 15_000

    private struct Transfer {
        let headers: UnsafeMutablePointer<curl_slist>?
        /// Bytes of the answer that were passed over.
        let taken: UnsafeMutablePointer<Int>
        let completion: (PushAnswer) -> Void
    }

    /// service: a host, or `*.domain`; authorities: a PEM file; empty: those that the machine trusts.
    public init(loop: EventLoop, service: String, authorities: String) {
        guard kb_curl_init() != 0, let multi = curl_multi_init() else { preconditionFailure("libcurl does not start") }
        self.loop = loop
        self.multi = multi
        self.authorities = authorities.isEmpty ? nil : authorities
        timer = LoopTimer(loop)
        let own = Unmanaged.passUnretained(self).toOpaque()
        guard kb_curl_socket_callback(multi, onSocket, own) != 0, kb_curl_timer_callback(multi, onTimeout, own) != 0
        else {
            preconditionFailure("libcurl takes no callbacks")
        }
        let isMany = service.hasPrefix("*.")
        kb_curl_limit_connections(
            multi, isMany ? Self.connections.ofMany : Self.connections.ofOne,
            isMany ? Self.connections.toEach : Self.connections.ofOne)
    }

    /// Sends once, and says what was answered. The completion comes in a later turn of the loop; never after `close`.
    public func post(_ url: String, _ headers: [String], _ body: [UInt8], _ completion: @escaping (PushAnswer) -> Void)
    {
        loop.preconditionOnLoop()
        guard !isClosed, let easy = curl_easy_init() else { return }
        var list: UnsafeMutablePointer<curl_slist>?
        for header in headers { list = curl_slist_append(list, header) }
        let taken = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        taken.initialize(to: 0)
        transfers[easy] = Transfer(headers: list, taken: taken, completion: completion)
        let isReady = kb_curl_post(easy, url, list, body, body.count, Self.timeoutMs, authorities, taken) != 0
        guard isReady, curl_multi_add_handle(multi, easy) == CURLM_OK else {
            preconditionFailure("libcurl takes no transfers: is there no memory?")
        }
    }

    /// Ends all that is under way.
    public func close() {
        loop.preconditionOnLoop()
        guard !isClosed else { return }
        isClosed = true
        timer.close()
        for easy in Array(transfers.keys) { _ = end(easy) }
        curl_multi_cleanup(multi)
        for poll in polls.values { poll.close() }
        polls = [:]
    }

    private func end(_ easy: UnsafeMutableRawPointer) -> ((PushAnswer) -> Void)? {
        curl_multi_remove_handle(multi, easy)
        curl_easy_cleanup(easy)
        guard let transfer = transfers.removeValue(forKey: easy) else { return nil }
        curl_slist_free_all(transfer.headers)
        transfer.taken.deallocate()
        return transfer.completion
    }

    // MARK: what libcurl asks for

    fileprivate func watch(_ socket: curl_socket_t, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            polls.removeValue(forKey: socket)?.close()
            return
        }
        var events: LoopPoll.Events = []
        if what != CURL_POLL_OUT { events.insert(.readable) }
        if what != CURL_POLL_IN { events.insert(.writable) }
        if let poll = polls[socket] { return poll.change(to: events) }
        // A descriptor that can't be watched ends by its time-out.
        guard let poll = try? LoopPoll(loop, descriptor: socket) else { return }
        polls[socket] = poll
        poll.start(for: events) { [unowned self] ready in
            var bits: Int32 = 0
            if ready.contains(.readable) { bits |= CURL_CSELECT_IN }
            if ready.contains(.writable) { bits |= CURL_CSELECT_OUT }
            act(socket, bits)
        }
    }

    fileprivate func wait(ms: Int) {
        guard !isClosed else { return }
        guard ms >= 0 else { return timer.stop() }
        timer.start(afterMs: UInt64(ms)) { [unowned self] in act(CURL_SOCKET_TIMEOUT, 0) }
    }

    private func act(_ socket: curl_socket_t, _ events: Int32) {
        guard !isClosed else { return }
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, events, &running)
        var code: Int32 = 0
        while !isClosed, let easy = kb_curl_ended(multi, &code) {
            let answer =
                code == Int32(CURLE_OK.rawValue)
                ? PushAnswer(status: kb_curl_status(easy), retryAfterS: kb_curl_retry_after(easy))
                : PushAnswer(status: 0, failure: String(cString: curl_easy_strerror(CURLcode(UInt32(code)))))
            end(easy)?(answer)
        }
    }
}

private func onSocket(
    _ easy: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32, _ owner: UnsafeMutableRawPointer?,
    _ own: UnsafeMutableRawPointer?
) -> Int32 {
    guard let owner else { return 0 }
    Unmanaged<PushClient>.fromOpaque(owner).takeUnretainedValue().watch(socket, what)
    return 0
}

private func onTimeout(_ multi: UnsafeMutableRawPointer?, _ ms: Int, _ owner: UnsafeMutableRawPointer?) -> Int32 {
    guard let owner else { return 0 }
    Unmanaged<PushClient>.fromOpaque(owner).takeUnretainedValue().wait(ms: ms)
    return 0
}
