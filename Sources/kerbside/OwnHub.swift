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
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var options = options
        options.data = directory
        options.port = try PortReservation(host: "127.0.0.1", port: 0).port
        options.set += extra + ["server.host=127.0.0.1", "server.tls.certificate=", "server.tls.key=", "redis.url="]
        settings = try options.settings()
        let log = URL(fileURLWithPath: directory + "/hub.log")
        try Data().write(to: log)
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
            if Self.answersOK(port: UInt16(settings.server.port)) { return true }
            usleep(100_000)
        }
        return false
    }
}

extension OwnHub {
    /// Whether /readyz on loopback answers 200.
    fileprivate static func answersOK(port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let request = Array("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n".utf8)
        guard isConnected, send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return false
        }
        var answer = [UInt8](repeating: 0, count: 64)
        let count = recv(descriptor, &answer, answer.count, 0)
        return count > 12 && answer[..<count].starts(with: "HTTP/1.1 200".utf8)
    }
}
