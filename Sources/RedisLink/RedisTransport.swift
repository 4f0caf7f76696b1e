internal import CHiredis
internal import EventLoop
internal import Glibc

/// What a transport reports, always from within the loop. After `transportLost`, and after the owner's own `close`,
/// nothing is reported any more.
protocol RedisTransportOwner: AnyObject {
    func transportConnected()
    /// The reply is valid during the call.
    func transportReceived(_ reply: UnsafeMutablePointer<redisReply>)
    func transportLost(_ reason: String)
}

/// One socket to Redis from connect to loss: hiredis makes it and parses what comes, this writes and watches it.
///
/// Replies have a share of a turn, as one client's commands may be answered together: the others wait in hiredis' parser
/// for the next turn, and nothing is read before they are handed over.
///
/// hiredis's own asynchronous half is not used, for the reasons of decision 51.
final class RedisTransport {
    /// Enough for a few hundred replies per read; hiredis alone would take 16 KiB.
    private static let readBytes = 64 << 10
    /// A buffer that a burst has made larger than this is given back.
    private static let keptBytes = 1 << 20
    /// Nanoseconds of one turn for replies, and after how many of them the clock is looked at: one takes its owner 2 to
    /// 100 µs.
    static let shareNs: UInt64 = 1_000_000
    static let repliesPerLook = 4

    private weak var owner: (any RedisTransportOwner)?
    private let loop: EventLoop
    private var context: UnsafeMutablePointer<redisContext>?
    private var watch: UnsafeMutablePointer<kb_redis_watch>?
    private var outbound: [UInt8] = []
    private var sent = 0
    private var isConnected = false
    private var isReading = false
    /// The share of a turn was over before all replies that have come were handed over: the next turn goes on with them.
    private(set) var hasRepliesWaiting = false
    private var input: UnsafeMutableRawBufferPointer

    /// Starts to connect. `host` of a TCP address has to be numeric. A failure that is known at once is thrown.
    init(loop: EventLoop, address: RedisEndpoint.Address, owner: any RedisTransportOwner) throws(RedisTransportError) {
        self.loop = loop
        self.owner = owner
        input = .allocate(byteCount: Self.readBytes, alignment: 16)
        let context: UnsafeMutablePointer<redisContext>? =
            switch address {
            case .unix(let path): redisConnectUnixNonBlock(path)
            case .tcp(let host, let port): redisConnectNonBlock(host, Int32(port))
            }
        guard let context else { throw RedisTransportError(reason: "no memory for a connection") }
        self.context = context
        guard context.pointee.err == 0 else {
            throw RedisTransportError(reason: context.pointee.errorText)
        }
        // Otherwise hiredis would give its buffer back after every read.
        context.pointee.reader.pointee.maxbuf = 2 * Self.readBytes
        let pointer = Unmanaged.passUnretained(self).toOpaque()
        guard let watch = kb_redis_watch_open(loop.rawLoop, context.pointee.fd, pointer, onReady) else {
            throw RedisTransportError(reason: "the loop cannot watch the connection")
        }
        self.watch = watch
        kb_redis_watch_set(watch, Int32(UV_WRITABLE.rawValue))
    }

    deinit {
        input.deallocate()
        // Off the loop this is left for the loop to do, in this order: the descriptor is closed by redisFree.
        let watch = UInt(bitPattern: watch)
        let context = UInt(bitPattern: context)
        let release: @Sendable () -> Void = {
            if let watch = UnsafeMutablePointer<kb_redis_watch>(bitPattern: watch) { kb_redis_watch_close(watch) }
            if let context = UnsafeMutablePointer<redisContext>(bitPattern: context) { redisFree(context) }
        }
        if loop.isOnLoop { release() } else { loop.submit(release) }
    }

    /// Bytes that the kernel has not taken yet.
    var unsentBytes: Int { outbound.count - sent }

    /// Puts a command into the outbound buffer; `flush` sends it.
    func append(_ arguments: [RedisArgument]) {
        CommandWriter.append(arguments, to: &outbound)
    }

    /// Sends what the kernel takes now; the rest follows when it takes more. May report the loss.
    func flush() {
        guard isConnected, unsentBytes > 0, let context, let watch else { return }
        while unsentBytes > 0 {
            let count = outbound.withUnsafeBytes { bytes in
                send(context.pointee.fd, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                let reason = errnoText(errno)
                // The server's last words may still be there to read.
                readAll(upToError: true)
                lose(reason)
                return
            }
        }
        let isDone = unsentBytes == 0
        compact()
        kb_redis_watch_set(watch, Int32(UV_READABLE.rawValue | (isDone ? 0 : UV_WRITABLE.rawValue)))
    }

    /// Ends it without a report. Safe within a report of its own.
    func close() {
        owner = nil
        isConnected = false
        if let watch { kb_redis_watch_close(watch) }
        watch = nil
        // The parser is in use while a reply is being handed over.
        guard !isReading, let context else { return }
        redisFree(context)
        self.context = nil
    }

    private func lose(_ reason: String) {
        guard let owner else { return }
        close()
        owner.transportLost(reason)
    }

    private func compact() {
        if unsentBytes == 0 {
            outbound.removeAll(keepingCapacity: outbound.capacity <= Self.keptBytes)
            sent = 0
        } else if sent > outbound.count / 2 {
            outbound.removeSubrange(..<sent)
            sent = 0
        }
    }

    fileprivate func ready(_ events: Int32) {
        guard isConnected else { return connected() }
        // Replies that wait are handed over before more is read: the kernel holds that, and the loop tells of it again.
        let isReadable = events & Int32(UV_READABLE.rawValue) != 0 && !hasRepliesWaiting
        if events < 0 || isReadable { readAll(upToError: events < 0) }
        if events >= 0, events & Int32(UV_WRITABLE.rawValue) != 0 { flush() }
    }

    private func connected() {
        guard let context, let watch else { return }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(context.pointee.fd, SOL_SOCKET, SO_ERROR, &code, &size)
        guard code == 0 else { return lose(errnoText(code)) }
        isConnected = true
        kb_redis_watch_set(watch, Int32(UV_READABLE.rawValue))
        owner?.transportConnected()
    }

    /// Reads once, or until nothing is left and the reason of an error shows. What the server said before its end is
    /// handed over whatever the time is: nothing comes after it.
    private func readAll(upToError: Bool) {
        isReading = true
        defer { endReading() }
        if upToError, let context { handOverReplies(context.pointee.reader, isInShare: false) }
        repeat {
            guard let context, owner != nil else { return }
            let count = recv(context.pointee.fd, input.baseAddress, input.count, 0)
            if count > 0 {
                redisReaderFeed(context.pointee.reader, input.baseAddress, count)
                handOverReplies(context.pointee.reader, isInShare: !upToError)
                // What a socket's callback puts off comes in the same turn, after the other sockets.
                if hasRepliesWaiting { loop.inNextTurn { [weak self] in self?.goOnInNextTurn() } }
            } else if count == 0 {
                lose("the server closed the connection")
            } else if errno == EAGAIN, upToError {
                lose("the connection is in error")
            } else if errno != EINTR, errno != EAGAIN {
                lose(errnoText(errno))
            }
        } while upToError
    }

    private func endReading() {
        isReading = false
        // It was closed meanwhile, but for the parser.
        if owner == nil { close() }
    }

    private func handOverReplies(_ reader: UnsafeMutablePointer<redisReader>, isInShare: Bool) {
        hasRepliesWaiting = false
        let end = EventLoop.currentTimeNs() + Self.shareNs
        var replies = 0
        while let owner {
            var reply: UnsafeMutableRawPointer?
            guard redisReaderGetReply(reader, &reply) == REDIS_OK else {
                return lose("not the Redis protocol: \(reader.pointee.errorText)")
            }
            guard let reply else { return }
            owner.transportReceived(reply.assumingMemoryBound(to: redisReply.self))
            freeReplyObject(reply)
            replies += 1
            guard isInShare, replies % Self.repliesPerLook == 0, EventLoop.currentTimeNs() >= end else { continue }
            hasRepliesWaiting = true
            return
        }
    }

    /// Not when the socket is readable: it may have nothing more to say.
    private func goOnInNextTurn() {
        loop.inNextTurn { [weak self] in self?.goOn() }
    }

    private func goOn() {
        guard hasRepliesWaiting, owner != nil, let context else { return }
        isReading = true
        defer { endReading() }
        handOverReplies(context.pointee.reader, isInShare: true)
        if hasRepliesWaiting { goOnInNextTurn() }
    }
}

/// Why a connection could not even be begun.
struct RedisTransportError: Error {
    let reason: String
}

private func onReady(_ owner: UnsafeMutableRawPointer?, _ events: Int32) {
    Unmanaged<RedisTransport>.fromOpaque(owner!).takeUnretainedValue().ready(events)
}

func errnoText(_ code: Int32) -> String { String(cString: strerror(code)) }

extension redisContext {
    fileprivate var errorText: String {
        err == REDIS_ERR_IO
            ? errnoText(errno)
            : withUnsafeBytes(of: errstr) { String(cString: $0.bindMemory(to: CChar.self).baseAddress!) }
    }
}

extension redisReader {
    fileprivate var errorText: String {
        withUnsafeBytes(of: errstr) { String(cString: $0.bindMemory(to: CChar.self).baseAddress!) }
    }
}
