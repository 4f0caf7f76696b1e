internal import Glibc

// Other programs, for tests that run beside one another. Foundation's `Process` is not for them: it sees the end of a program by
// a socket, which another program that is started at the same moment may take over, and then waits for the end of that one.

/// Could not be started.
public struct NoProgram: Error, CustomStringConvertible {
    public let description: String
}

/// Starts a program that is found on the PATH. What it says goes to `output`, or nowhere.
public func spawn(
    _ program: String, _ arguments: [String], input: String = "/dev/null", output: String = "/dev/null"
) throws -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Whoever reads the tests' output must not wait for a server that outlived them.
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    // The threads of the test runner block signals; a server has to take SIGTERM.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, program, &actions, &attributes, &pointers, environ)
    guard code == 0 else { throw NoProgram(description: "cannot start \(program): \(code)") }
    return pid
}

/// Runs a program to its end: its exit status (128 and more: a signal), and what it said on either output. What it leaves running
/// is not waited for.
public func runToEnd(_ program: String, _ arguments: [String], input: String = "") throws -> (
    status: Int32, output: String
) {
    var template = Array("/tmp/kb-program-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw NoProgram(description: "mkdtemp: \(errno)") }
    let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let (source, said) = (directory + "/in", directory + "/out")
    defer {
        unlink(source)
        unlink(said)
        rmdir(directory)
    }
    let bytes = Array(input.utf8)
    guard let file = fopen(source, "w") else { throw NoProgram(description: "cannot write \(source): \(errno)") }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    let pid = try spawn(program, arguments, input: source, output: said)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 {
        guard errno == EINTR else { throw NoProgram(description: "waitpid of \(program): \(errno)") }
    }
    let signal = status & 0x7f
    return (signal == 0 ? status >> 8 & 0xff : 128 + signal, contents(of: said))
}

private func contents(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
}
