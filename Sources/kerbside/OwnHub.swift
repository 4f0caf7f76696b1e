import Foundation
import Hub
import Settings

/// A hub that lives as long as a command: its own data directory, a port that is free, plain text on loopback.
final class OwnHub {
    let settings: Settings
    private let process = Process()
    private let directory: String

    /// Starts it with the command's own options and these settings on top, and waits until it is ready.
    init(_ options: ConfigOptions, with extra: [String]) throws {
        directory = "/tmp/kerbside-\(getpid())"
        guard mkdir(directory, 0o700) == 0 else {
            throw CommandFailure("\(directory) can't be made: \(String(cString: strerror(errno)))")
        }
        var options = options
        options.data = directory
        options.port = try PortReservation(host: "127.0.0.1", port: 0).port
        options.set += extra + ["server.host=127.0.0.1", "server.tls.certificate=", "server.tls.key=", "redis.url="]
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
            return (name: command.hasPrefix("redis") ? "redis" : "worker", pid: pid)
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
        for _ in 0..<150 where process.isRunning {
            let answer = LocalHTTP.get("/readyz", host: "127.0.0.1", port: settings.server.port)
            if answer?.status == 200 { return true }
            usleep(100_000)
        }
        return false
    }
}
