import Glibc

/// Keeps two hubs from using one data directory. The kernel lets go of it when the process ends, however it ends.
final class DirectoryLock {
    private let descriptor: Int32

    init(_ directory: String) throws(HubFailure) {
        let path = directory + "/lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw HubFailure("\(path) can't be made: \(String(cString: strerror(errno)))") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw HubFailure(
                "another hub uses the data directory \(directory). Stop it first, or give this one its own with --data."
            )
        }
    }

    deinit { close(descriptor) }

    /// Whether a hub uses the data directory now.
    static func isHeld(_ directory: String) -> Bool {
        let descriptor = open(directory + "/lock", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
