internal import Glibc

/// Why the private Redis could not be started, and what to do.
public struct EmbeddedRedisFailure: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
}

/// The files of a private Redis, all in the data directory.
struct EmbeddedRedisFiles {
    /// `sun_path` has 108 bytes, the last of them zero.
    private static let longestSocketPath = 107

    let directory: String

    var socket: String { directory + "/redis.sock" }
    var configuration: String { directory + "/redis.conf" }
    var log: String { directory + "/redis.log" }
    private var lock: String { directory + "/redis.lock" }

    /// Makes the directory if it isn't there, takes its lock, and writes the configuration.
    /// Returns the descriptor that holds the lock, for `giveUp`; the end of the process gives it up too.
    func prepare(fsync: EmbeddedRedis.Fsync, maxMemory: Int) throws(EmbeddedRedisFailure) -> Int32 {
        let length = socket.utf8.count
        guard length <= Self.longestSocketPath else {
            throw EmbeddedRedisFailure(
                description:
                    "the path of the socket of the private Redis is \(length) bytes long, and the system allows "
                    + "\(Self.longestSocketPath): choose a shorter data directory (\(socket))")
        }
        try makeDirectory()
        let descriptor = try takeLock()
        do {
            try checkManifest()
            try write(try text(fsync: fsync, maxMemory: maxMemory), to: configuration)
        } catch {
            Self.giveUp(lock: descriptor)
            throw error
        }
        return descriptor
    }

    /// Closing alone would not do: a process that is just being started has a copy of the descriptor for a moment.
    static func giveUp(lock descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private func makeDirectory() throws(EmbeddedRedisFailure) {
        var path = directory.hasPrefix("/") ? "/" : ""
        let parts = directory.split(separator: "/")
        for (index, part) in parts.enumerated() {
            path += (index == 0 ? "" : "/") + part
            // The socket is there, and later the secrets of the hub: nobody else has business in it.
            if mkdir(path, index == parts.count - 1 ? 0o700 : 0o755) != 0, errno != EEXIST {
                throw EmbeddedRedisFailure(description: "cannot make the data directory \(path): \(errnoText(errno))")
            }
        }
        var status = stat()
        guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw EmbeddedRedisFailure(description: "the data directory \(directory) is no directory")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw EmbeddedRedisFailure(
                description: "the data directory \(directory) may be written to by other users: chmod 700 it")
        }
    }

    private func checkManifest() throws(EmbeddedRedisFailure) {
        let names = AppendOnlyFile.withoutManifest(in: directory)
        guard !names.isEmpty else { return }
        let place = directory + "/appendonlydir"
        throw EmbeddedRedisFailure(
            description:
                "\(place) holds \(names.joined(separator: ", ")), but not appendonly.aof.manifest, without which Redis "
                + "would start empty and mix old and new: restore it from a backup, or write it, a line for each of these "
                + "(\"file NAME seq NUMBER type b\" for base, i for incr), or move \(place) away to begin with nothing")
    }

    private func takeLock() throws(EmbeddedRedisFailure) -> Int32 {
        let descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw EmbeddedRedisFailure(
                description: "cannot write to the data directory \(directory): \(errnoText(errno))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw EmbeddedRedisFailure(
                description: "another hub uses the data directory \(directory): stop it, or choose another directory")
        }
        return descriptor
    }

    private func text(fsync: EmbeddedRedis.Fsync, maxMemory: Int) throws(EmbeddedRedisFailure) -> String {
        guard let resolved = realpath(directory, nil) else {
            throw EmbeddedRedisFailure(description: "cannot find the data directory \(directory): \(errnoText(errno))")
        }
        defer { free(resolved) }
        return """
            # Written at each start of the hub: changes are lost.
            # Only through the socket, only by this user. Its path is relative to dir, as paths of sockets have to be short.
            port 0
            unixsocket redis.sock
            unixsocketperm 700
            dir \(Self.quoted(String(cString: resolved)))
            daemonize no
            loglevel notice
            logfile redis.log
            always-show-logo no
            # Every change goes to the append-only file, which is read back at start, without its tail if that was cut.
            appendonly yes
            appendfsync \(fsync.rawValue)
            aof-load-truncated yes
            save ""
            # Rides are no cache: rather refuse a write than forget one. In bytes; 0 is no limit.
            maxmemory \(maxMemory)
            maxmemory-policy noeviction
            # A function has tens of commands; nobody reads how long each of them took.
            latency-tracking no
            # A stream takes a piece of memory at once, however little is in it, and everybody has one: 1.3 KB in place of 4.3.
            stream-node-max-bytes 1024

            """
    }

    /// As redis.conf reads it: quoted, with every byte that is special there in hexadecimal.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for byte in text.utf8 {
            if (0x20...0x7e).contains(byte), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                quoted.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                quoted += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return quoted + "\""
    }

    private func write(_ text: String, to path: String) throws(EmbeddedRedisFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw EmbeddedRedisFailure(description: "cannot write \(path): \(errnoText(errno))")
        }
        defer { close(descriptor) }
        fchmod(descriptor, 0o600)
        let bytes = Array(text.utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw EmbeddedRedisFailure(description: "cannot write \(path): \(errnoText(errno))")
        }
    }

    var logSize: Int {
        var status = stat()
        return stat(log, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The last lines that were logged after the first `start` bytes.
    func logTail(after start: Int) -> String {
        let descriptor = open(log, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "it has logged nothing" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(descriptor, &bytes, bytes.count, off_t(max(start, logSize - bytes.count)))
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.isEmpty ? "it has logged nothing" : lines.suffix(5).joined(separator: " | ")
    }
}
