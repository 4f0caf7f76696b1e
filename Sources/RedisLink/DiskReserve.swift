internal import EventLoop
internal import Glibc

/// Room on the disk for what Redis has acknowledged and not yet written.
///
/// With `everysec` Redis answers first and writes then. When the disk is full it keeps in memory what it could not write, refuses
/// whatever would write more, and tries again all the time; killed now, it would lose what waits. So a file in the data directory
/// holds some room, and is deleted after a write has failed. Redis would then take writes again, until this room is full too and
/// the next ones wait. So it is told before to refuse them: it asks for a replica, and a hub's own Redis has none. When there
/// is room for a new file, that is taken back. A Redis that is started where there is none refuses writes from the first on.
///
/// Used on the loop's thread only.
final class DiskReserve {
    /// Redis takes no writes after the first that failed, so only what came in one turn of its loop waits, or in the two seconds for
    /// which it may hold back a write while the disk is slow.
    static let bytes = 1 << 20
    /// Arguments of a redis-server that is started while writes are refused.
    static let refusal = ["--min-replicas-to-write", "1"]
    private static let lookEveryMs: UInt64 = 1_000

    private let directory: String
    private let path: String
    private let timer: LoopTimer
    private var isAsking = false
    private var isStopped = false
    /// It was said that the room was too little.
    private var isStuckSaid = false

    /// Redis is told to take no writes.
    private(set) var isRefusing = false
    var onChange: ((EmbeddedRedis.Disk) -> Void)?

    init(loop: EventLoop, directory: String) {
        self.directory = directory
        path = directory + "/reserve"
        timer = LoopTimer(loop)
    }

    /// Makes the file, really allocated, if it isn't there; false: the disk is full. A file system that keeps no room for a file is none
    /// to wait for.
    func make() -> Bool {
        let failure = allocate()
        return failure != ENOSPC && failure != EDQUOT
    }

    private func allocate() -> Int32 {
        if isThere { return 0 }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let failure = posix_fallocate(descriptor, 0, off_t(Self.bytes))
        if failure != 0 { unlink(path) }
        return failure
    }

    /// What is written now has its room.
    func giveUp() { unlink(path) }

    private var isThere: Bool {
        var status = stat()
        return stat(path, &status) == 0 && Int(status.st_blocks) * 512 >= Self.bytes
    }

    /// Redis is started with `refusal`, until there is room.
    func refuse() {
        isRefusing = true
        onChange?(.fullAtStart)
    }

    /// Whether the disk has room for the file twice: with room for one, Redis would be at the end of it at once. Asks the kernel each time.
    var hasRoom: Bool {
        var disk = statvfs()
        return statvfs(directory, &disk) == 0
            && UInt(disk.f_bavail) >= UInt(2 * Self.bytes) / max(1, UInt(disk.f_frsize))
    }

    /// Asks Redis each second how its last write went.
    func watch(_ control: RedisConnection) {
        timer.start(afterMs: Self.lookEveryMs, repeatMs: Self.lookEveryMs) { [weak self, weak control] in
            guard let self, let control, control.isUp, !isAsking else { return }
            isAsking = true
            control.send(["INFO", "persistence"]) { [weak self] result in
                guard let self else { return }
                isAsking = false
                guard !isStopped, case .success(let reply) = result, let text = reply.text else { return }
                judge(AppendStatus(text), control)
            }
        }
    }

    func stop() {
        isStopped = true
        timer.stop()
    }

    private func judge(_ status: AppendStatus, _ control: RedisConnection) {
        if status.isFailing {
            guard !isRefusing || isThere else { return sayStuck(status.waiting) }
            set(1, control) {
                self.giveUp()
                if !self.isRefusing { self.onChange?(.full(waiting: status.waiting)) }
                self.isRefusing = true
            }
        } else if isRefusing, isThere || hasRoom, make() {
            set(0, control) {
                self.isRefusing = false
                self.isStuckSaid = false
                self.onChange?(.hasRoom)
            }
        }
    }

    private func sayStuck(_ waiting: Int) {
        guard !isStuckSaid else { return }
        isStuckSaid = true
        onChange?(.stuck(waiting: waiting))
    }

    /// Where it fails, the next look does it again.
    private func set(_ replicas: Int, _ control: RedisConnection, _ done: @escaping () -> Void) {
        control.send(["CONFIG", "SET", "min-replicas-to-write", RedisArgument(replicas)]) { result in
            if case .success = result { done() }
        }
    }
}

/// How Redis' last write to its append-only file went, from the text of `INFO persistence`.
struct AppendStatus: Equatable {
    var isFailing = false
    /// Acknowledged and not written, bytes.
    var waiting = 0

    init(_ info: String) {
        for line in info.split(whereSeparator: \.isNewline) {
            if line == "aof_last_write_status:err" { isFailing = true }
            if line.hasPrefix("aof_buffer_length:") { waiting = Int(line.dropFirst("aof_buffer_length:".count)) ?? 0 }
        }
    }
}
