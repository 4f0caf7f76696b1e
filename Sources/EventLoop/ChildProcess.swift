internal import CLibuv
internal import Glibc

/// A process that this one has started. Keeps itself alive until the process has exited. Used on the loop's thread.
public final class ChildProcess {
    /// Where an output of the child goes.
    public enum Output: Sendable {
        case inherit
        case discard
        /// Appended to the file at this path, which is made with mode 0640 when it isn't there.
        case file(String)
    }

    /// Called once, with the exit status, and the signal that ended it (0 if none).
    public typealias ExitBody = (_ status: Int64, _ signal: Int32) -> Void

    private let handle: UnsafeMutablePointer<uv_process_t>
    private var onExit: ExitBody?

    public private(set) var isRunning = false
    public private(set) var pid: Int32 = 0

    private init(onExit: @escaping ExitBody) {
        self.onExit = onExit
        handle = allocateHandle(uv_process_t.self)
    }

    /// Starts `executable` (a path, or a name looked up in PATH).
    ///
    /// - Parameters:
    ///   - arguments: without the name of the executable itself.
    ///   - environment: the whole environment as `NAME=value`; nil inherits ours.
    ///   - ownSession: true puts it into a session of its own, so that Ctrl-C on our terminal does not reach it.
    /// - Throws: `LoopError` when it can't be started (not found, no permission, no processes left), or its output
    ///   file can't be opened.
    public static func spawn(
        loop: EventLoop, executable: String, arguments: [String], environment: [String]? = nil,
        stdout: Output = .inherit, stderr: Output = .inherit, ownSession: Bool = false,
        onExit: @escaping ExitBody
    ) throws -> ChildProcess {
        loop.preconditionOnLoop()
        let outputs = try [open(stdout, standard: STDOUT_FILENO), open(stderr, standard: STDERR_FILENO)]
        defer { for output in outputs where output > STDERR_FILENO { Glibc.close(output) } }

        var stdio = [uv_stdio_container_t](repeating: uv_stdio_container_t(), count: 3)
        stdio[0].flags = UV_IGNORE
        for (index, descriptor) in outputs.enumerated() {
            stdio[index + 1].flags = descriptor < 0 ? UV_IGNORE : UV_INHERIT_FD
            stdio[index + 1].data.fd = descriptor
        }

        var options = uv_process_options_t()
        options.exit_cb = onProcessExit
        options.stdio_count = 3
        options.flags = ownSession ? UInt32(UV_PROCESS_DETACHED.rawValue) : 0
        let argumentStrings = CStrings([executable] + arguments)
        let environmentStrings = environment.map(CStrings.init)
        nameParent()
        let child = ChildProcess(onExit: onExit)
        let code = executable.withCString { file in
            stdio.withUnsafeMutableBufferPointer { stdio in
                options.file = file
                options.args = argumentStrings.pointers
                options.env = environmentStrings?.pointers
                options.stdio = stdio.baseAddress
                return withExtendedLifetime((argumentStrings, environmentStrings)) {
                    uv_spawn(loop.loop, child.handle, &options)
                }
            }
        }
        guard code == 0 else {
            // A failed spawn leaves an initialised handle, which has to be closed like any other.
            closeAndFree(child.handle)
            throw LoopError("cannot start \(executable)", code)
        }
        child.isRunning = true
        child.pid = child.handle.pointee.pid
        child.handle.pointee.data = Unmanaged.passRetained(child).toOpaque()
        return child
    }

    /// Sends a signal; nothing happens when the process has exited already.
    public func kill(_ signal: Int32) {
        if isRunning { uv_process_kill(handle, signal) }
    }

    fileprivate func exited(status: Int64, signal: Int32) {
        isRunning = false
        closeAndFree(handle)
        let body = onExit
        onExit = nil
        body?(status, signal)
    }

    /// The descriptor to hand down, or -1 for none.
    private static func open(_ output: Output, standard: Int32) throws -> Int32 {
        switch output {
        case .inherit: return standard
        case .discard: return -1
        case .file(let path):
            let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
            guard descriptor >= 0 else { throw LoopError("cannot open \(path)", -errno) }
            return descriptor
        }
    }
}

private func onProcessExit(_ handle: UnsafeMutablePointer<uv_process_t>?, _ status: Int64, _ signal: Int32) {
    Unmanaged<ChildProcess>.fromOpaque(handle!.pointee.data).takeRetainedValue().exited(status: status, signal: signal)
}

/// A null-terminated array of C strings, freed with the object.
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        count = strings.count
        pointers = .allocate(capacity: count + 1)
        for (index, string) in strings.enumerated() { (pointers + index).initialize(to: strdup(string)) }
        (pointers + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}
