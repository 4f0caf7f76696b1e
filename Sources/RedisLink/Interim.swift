// Interim: to be deleted as soon as RedisSubscriber.swift, EmbeddedRedis.swift and RedisCheck.swift are here.
internal import CHiredis
public import EventLoop
internal import Glibc
public final class RedisSubscriber {
    public var onMessage: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void = { _, _ in }
    public var onUp: (() -> Void)?
    public var onDown: ((_ reason: String) -> Void)?
    public private(set) var isUp = false
    private let session: RedisSession
    private let loop: EventLoop
    private let heartbeat: RedisConnection
    private let beat: String
    private let timer: LoopTimer
    private var channels: [String: Bool] = [:]
    private var waiting: [(left: Set<String>, done: () -> Void)] = []
    private var lastBeat: UInt64 = 0

    public init(loop: EventLoop, endpoint: RedisEndpoint, heartbeat: RedisConnection, limits: RedisLimits = RedisLimits()) {
        self.loop = loop
        self.heartbeat = heartbeat
        session = RedisSession(loop: loop, endpoint: endpoint, limits: limits)
        beat = "kerbside:beat:" + String(UInt64.random(in: .min ... .max), radix: 36)
        timer = LoopTimer(loop)
        channels[beat] = false
        session.owner = self
    }
    public func start() {
        session.start()
        timer.start(afterMs: 1000, repeatMs: 1000) { [weak self] in self?.check() }
    }
    public func close() { timer.close(); session.close() }
    private func check() {
        guard isUp, heartbeat.isUp else { lastBeat = loop.now; return }
        if loop.now - lastBeat > 5000 { return session.drop("no heartbeat") }
        heartbeat.send(["PUBLISH", RedisArgument(beat), "1"]) { _ in }
    }
    public func subscribe(_ names: [String], _ acknowledged: (() -> Void)? = nil) {
        let fresh = names.filter { channels[$0] != true }
        for name in fresh { channels[name] = false }
        if let acknowledged { waiting.append((Set(fresh), acknowledged)) }
        if session.isUp { session.append(["SUBSCRIBE"] + fresh.map { RedisArgument($0) }) }
    }
    private func confirmed(_ name: String) {
        channels[name] = true
        var done: [() -> Void] = []
        for i in waiting.indices { waiting[i].left.remove(name) }
        waiting.removeAll { if $0.left.isEmpty { done.append($0.done); return true }; return false }
        if !isUp, channels.values.allSatisfy({ $0 }) { isUp = true; lastBeat = loop.now; onUp?() }
        done.forEach { $0() }
    }
}
extension RedisSubscriber: RedisSessionOwner {
    func sessionUp() {
        for name in channels.keys { channels[name] = false }
        session.append(["SUBSCRIBE"] + channels.keys.map { RedisArgument($0) })
    }
    func sessionDown(_ reason: String, wasUp: Bool) { if isUp { isUp = false; onDown?(reason) } }
    func sessionReceived(_ reply: UnsafeMutablePointer<redisReply>) {
        let e = reply.pointee.element!
        guard reply.pointee.elements == 3, let k = e[0]?.pointee, let c = e[1]?.pointee, let p = e[2]?.pointee else { return }
        let channel = UnsafeRawBufferPointer(start: c.str, count: c.len)
        if k.text == "subscribe" { confirmed(String(decoding: channel, as: UTF8.self)); return }
        if channel.elementsEqual(beat.utf8) { lastBeat = loop.now; return }
        onMessage(channel, UnsafeRawBufferPointer(start: p.str, count: p.len))
    }
    func sessionTimer() {}
    func sessionTurnEnds() {}
}
public final class EmbeddedRedis {
  public enum Fsync { case everysec, always }
  let loop: EventLoop, directory: String, executable: String, fsync: Fsync
  var child: ChildProcess?
  var wanted = true
  var stopped: (() -> Void)?
  public init(loop: EventLoop, directory: String, executable: String = "redis-server", fsync: Fsync = .everysec) { self.loop = loop; self.directory = directory; self.executable = executable; self.fsync = fsync }
  public var onRestart: ((String) -> Void)?
  var link: RedisConnection?
  func spawn() {
     child = try! ChildProcess.spawn(loop: loop, executable: executable, arguments: ["--port","0","--unixsocket",directory+"/redis.sock","--dir",directory,"--save","","--appendonly","yes","--appendfsync",fsync == .always ? "always" : "everysec","--logfile",directory+"/redis.log"]) { s, g in
        self.child = nil
        if self.wanted { self.onRestart?("signal \(g)"); self.spawn() } else { self.stopped?() }
     }
  }
  public func start() async throws {
    spawn()
    let l = RedisConnection(loop: loop, endpoint: .unix(path: directory+"/redis.sock"))
    link = l
    await withCheckedContinuation { c in var k: CheckedContinuation<Void, Never>? = c; l.onUp = { k?.resume(); k = nil }; l.start() }
  }
  public func stop(_ done: @escaping () -> Void) { wanted = false; link?.close(); stopped = done; if let child { child.kill(SIGTERM) } else { done() } }
}
public enum RedisCheck { public static func problems(of c: RedisConnection) async throws -> [String] { [] } 
 public static func run(on c: RedisConnection, _ d: @escaping ([String]) -> Void) { d([]) } }
