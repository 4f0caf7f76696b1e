import Glibc
import Testing
import Wire
import WireProtobuf

/// Whether code allocates is tried in a child process in which no memory can be had: its address space is capped, and
/// what the allocator still holds is taken away. The first allocation then kills it.
@Suite("Reading a binary position allocates nothing", .enabled(if: !isSanitized, "a sanitizer allocates by itself"))
struct AllocationTests {
    private static let positions = [
        #"{"cmd":"position","lat":45.464211,"lon":9.191383,"at":1795210199000,"heading":271,"speed":8.3,"accuracy":6}"#,
        #"{"id":7,"cmd":"position","lat":-45.46421100000123,"lon":179.19138333333333,"at":1795210199000}"#,
        #"{"cmd":"position","lat":0.00012345678901234567,"lon":9.1,"at":1795210199000,"speed":8.300000000000001}"#,
    ]

    @Test("in every form of a position message", arguments: positions)
    func position(json: String) throws {
        let wire = ProtobufWire()
        let bytes = try ClientBytes.encode(JSONValue(parsing: Array(json.utf8)))
        #expect(try livesWithoutMemory { isPosition(bytes, wire) }, "\(json)")
    }

    @Test("a command with a long text does, so the test can fail")
    func control() throws {
        let wire = ProtobufWire()
        let ride = String(repeating: "r", count: 64)
        let bytes = try ClientBytes.encode(["cmd": "offer.accept", "ride": .string(ride)])
        let message = Decoded.message(ClientMessage(command: .rides(.offerAccept(ride: ride))))
        #expect(try !livesWithoutMemory { bytes.withUnsafeBytes { wire.decode($0) } == message })
    }

    private func isPosition(_ bytes: [UInt8], _ wire: ProtobufWire) -> Bool {
        guard case .message(let message) = bytes.withUnsafeBytes({ wire.decode($0) }) else { return false }
        guard case .position(let fix) = message.command else { return false }
        return fix.at == 1_795_210_199_000
    }

    /// `body` gives true in this process, and again a thousand times in a child without memory.
    private func livesWithoutMemory(_ body: () -> Bool) throws -> Bool {
        // By address, as the compiler may leave out calls to an allocator that it knows.
        let symbol = try #require(dlsym(nil, "malloc"))
        let allocate = unsafeBitCast(symbol, to: (@convention(c) (Int) -> UnsafeMutableRawPointer?).self)
        #expect(body())
        let child = fork()
        try #require(child >= 0)
        if child == 0 {
            for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGBUS] { Glibc.signal(signal, SIG_DFL) }
            close(STDERR_FILENO)
            // A lock that another thread held when this process was forked would otherwise be waited for without end.
            alarm(30)
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &none)
            var size = 1 << 20
            while size > 0 {
                while allocate(size) != nil {}
                size -= size > 4096 ? 4096 : 8
            }
            for _ in 0..<1000 where !body() { _exit(1) }
            _exit(0)
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status == 0
    }
}

private let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
