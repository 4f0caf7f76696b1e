import Foundation
import Glibc
import TestSupport

/// A real redis-server of a test's own, in a directory of its own under /tmp. Ends with the object.
final class TestRedis {
    let directory: String
    private(set) var pid: pid_t = 0
    private let arguments: [String]

    var socket: String { directory + "/s" }

    /// `options` are lines of redis.conf; port 0 and no persistence unless they say otherwise.
    init(_ options: [String] = [], isStarted: Bool = true) throws {
        directory = try temporaryDirectory()
        let lines =
            ["port 0", "unixsocket \(directory)/s", "dir \(directory)", "save \"\"", "loglevel warning"] + options
        let path = directory + "/redis.conf"
        try writeFile(path, lines.joined(separator: "\n") + "\n")
        arguments = [path, "--logfile", directory + "/log"]
        guard isStarted else { return }
        try start()
        while !isListening { usleep(1000) }
    }

    deinit {
        kill9()
        removeTree(directory)
    }

    func start() throws { pid = try spawn("redis-server", arguments) }

    func kill9() {
        guard pid > 0 else { return }
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
        pid = 0
    }

    private var isListening: Bool {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// Stopped, the process neither reads nor answers, while the kernel keeps its connections.
    func suspend() { kill(pid, SIGSTOP) }

    func resume() { kill(pid, SIGCONT) }
}

struct TestFailure: Error, CustomStringConvertible { let description: String }

func temporaryDirectory() throws -> String {
    var template = Array("/tmp/kb-redis-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestFailure(description: "mkdtemp: \(errno)") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

func writeFile(_ path: String, _ text: String) throws {
    guard let file = fopen(path, "w") else { throw TestFailure(description: "cannot write \(path)") }
    fputs(text, file)
    fclose(file)
}

func readFile(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
}

func removeTree(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

/// A TCP port of 127.0.0.1 that was free a moment ago.
func freePort() -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = bind(descriptor, $0, size)
            _ = getsockname(descriptor, $0, &size)
        }
    }
    return UInt16(bigEndian: address.sin_port)
}
