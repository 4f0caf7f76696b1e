import Glibc

/// Wakes a thread that waits for a socket. Of any thread.
final class Alarm: Sendable {
    /// What the thread waits for.
    let descriptor: Int32
    private let bell: Int32

    /// Nil where the process may open no more files.
    init?() {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (descriptor, bell) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(bell)
    }

    func ring() {
        // A pipe that is full will wake it, too.
        var byte: UInt8 = 0
        _ = write(bell, &byte, 1)
    }

    func silence() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
