import Glibc
import Settings

/// Small files of a running hub under `<data>/run`: what workers run with, each worker's metrics.
enum WorkerFiles {
    static func directory(_ data: String) -> String { data + "/run" }
    /// What workers run with.
    static func current(_ data: String) -> String { directory(data) + "/current" }
    static func settings(_ data: String) -> String { current(data) + "/settings.yaml" }
    static let certificateName = "certificate.pem"
    static let keyName = "key.pem"
    /// There is one where TLS is on.
    static func certificate(_ data: String) -> String { "\(current(data))/\(certificateName)" }
    static func key(_ data: String) -> String { "\(current(data))/\(keyName)" }

    /// What this hub runs with, as its supervisor has tried it.
    static func settings(of data: String) throws -> Settings {
        try Settings(decoding: String(decoding: try read(settings(data)), as: UTF8.self))
    }

    /// The same, for a process of that hub. Throws when somebody else has put something in the place of what the hub has written: the data
    /// directory, or the one above it, may have been opened since the hub started.
    static func ownSettings(of data: String) throws -> Settings {
        // The data directory may be a link of whoever keeps the machine.
        for path in [data + "/.", directory(data), current(data), settings(data)] {
            var info = stat()
            guard lstat(path, &info) == 0, info.st_uid != geteuid(), info.st_uid != 0 else { continue }
            throw HubFailure(
                "\(path) belongs to user \(info.st_uid), who may have exchanged what this hub runs with: let nobody else write to \(data) and the directory above it, and start the hub anew"
            )
        }
        return try settings(of: data)
    }

    /// What workers count together: connections by address, and their beats.
    static func addresses(_ data: String) -> String { directory(data) + "/addresses" }

    static func metrics(_ data: String) -> String { directory(data) + "/metrics" }

    /// Makes the directories, readable by the hub's user alone. The data directory is there, and nobody else's. A link is refused: where it leads
    /// somebody else may exchange what workers run with.
    static func prepare(_ data: String) throws(HubFailure) {
        for path in [directory(data), metrics(data)] where mkdir(path, 0o700) != 0 {
            guard errno == EEXIST else {
                throw HubFailure("the directory \(path) can't be made: \(String(cString: strerror(errno)))")
            }
            var info = stat()
            guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFDIR else {
                throw HubFailure("\(path) is no directory: move it away, and the hub makes one")
            }
        }
    }

    /// A city of 2,000 zones with all their corners has some megabytes; a device that never ends is none.
    private static let mostBytes = 32 << 20

    static func read(_ path: String) throws(HubFailure) -> [UInt8] {
        do throws(TextFile.Failure) {
            return try TextFile.read(path, maxBytes: mostBytes)
        } catch {
            throw HubFailure("\(path) can't be read: \(error.reason)")
        }
    }

    /// Whole or not at all: written beside, then renamed. Mode 0600.
    static func write(_ bytes: [UInt8], to path: String) throws(HubFailure) {
        let beside = path + ".new"
        let descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw HubFailure("\(path) can't be written: \(String(cString: strerror(errno)))") }
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        // A part is written when there is no space for the rest.
        let code = count < 0 ? errno : ENOSPC
        close(descriptor)
        guard count == bytes.count else {
            unlink(beside)
            throw HubFailure("\(path) can't be written: \(String(cString: strerror(code)))")
        }
        guard rename(beside, path) == 0 else {
            throw HubFailure("\(path) can't be written: \(String(cString: strerror(errno)))")
        }
    }
}
