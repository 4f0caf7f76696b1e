import Foundation
import Hub
import Settings

/// A hub that lives as long as a command: its own data directory, a port that is free, on loopback, in plain text unless told.
final class OwnHub {
    let settings: Settings
    private let process = Process()
    private let directory: String

    /// Starts it with the command's own options and these settings on top, and waits until it is ready.
    init(_ options: ConfigOptions, with extra: [String], tls: OwnCertificate.Key? = nil) throws {
        directory = "/tmp/kerbside-\(getpid())"
        guard mkdir(directory, 0o700) == 0 else {
            throw CommandFailure("\(directory) can't be made: \(String(cString: strerror(errno)))")
        }
        var options = options
        options.data = directory
        options.port = try PortReservation(host: "127.0.0.1", port: 0).port
        let pair = try tls.map { [directory] in try OwnCertificate(of: $0, in: directory) }
        options.set += extra + ["server.host=127.0.0.1", "redis.url="]
        options.set += ["server.tls.certificate=\(pair?.certificate ?? "")", "server.tls.key=\(pair?.key ?? "")"]
        settings = try options.settings()
        let log = URL(fileURLWithPath: directory + "/hub.log")
        try OutputFile.write([], to: log.path)
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["serve", "--end-with-parent"] + options.arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        guard waitUntilReady() else {
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            stop()
            throw CommandFailure("the run's own hub did not start:\n\(text.suffix(2000))")
        }
    }

    /// Its workers and its Redis, by what they are.
    var children: [(name: String, pid: Int32)] {
        let path = "/proc/\(process.processIdentifier)/task/\(process.processIdentifier)/children"
        let pids = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return pids.split(separator: " ").compactMap { Int32($0) }.map { pid in
            let command = (try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)) ?? ""
            let words = (try? String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8)) ?? ""
            let name = words.contains("\0recorder\0") ? "recorder" : "worker"
            return (name: command.hasPrefix("redis") ? "redis" : name, pid: pid)
        }
    }

    func stop() {
        if process.isRunning {
            process.terminate()
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func waitUntilReady() -> Bool {
        let (host, port) = ("127.0.0.1", settings.server.port)
        for _ in 0..<150 where process.isRunning {
            // It listens when it is ready; over TLS we don't ask it.
            let isReady =
                settings.server.tls.isOn
                ? LocalHTTP.isListening(host: host, port: port)
                : LocalHTTP.get("/readyz", host: host, port: port)?.status == 200
            if isReady { return true }
            usleep(100_000)
        }
        return false
    }
}
