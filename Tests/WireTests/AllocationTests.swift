import Glibc
import Testing
import Wire

/// Whether code allocates is tried in a child process in which no memory can be had: its address space is capped, and
/// what the allocator still holds is taken away. The first allocation then kills it.
@Suite("Reading a position allocates nothing", .enabled(if: !isSanitized, "a sanitizer allocates by itself"))
struct AllocationTests {
    private static let positions = [
        #"{"cmd":"position","lat":45.464211,"lon":9.191383,"at":1795210199000,"heading":271,"speed":8.3,"accuracy":6}"#,
        #"{"id":7,"cmd":"position","lat":-45.46421100000123,"lon":179.19138333333333,"at":1795210199000}"#,
        #" { "at" : 1795210199000.0 , "lon" : 9191383e-6 , "l\u0061t" : 0.4546421100000000000000000000001e2 , "#
            + #""cmd" : "pos\u0069tion" , "battery" : { "level" : [ 0.5, 1e-30, "\ud83d\ude00 é" ] } , "heading" : null } "#,
    ]

    @Test("in every form of a position message")
    func position() throws {
        for text in Self.positions {
            #expect(try livesWithoutMemory { isPosition(text) }, "\(text)")
        }
    }

    @Test("a command with a long text does, so the test can fail")
    func control() throws {
        let ride = String(repeating: "r", count: 64)
        let text = #"{"cmd":"offer.accept","ride":"\#(ride)"}"#
        #expect(
            try !livesWithoutMemory {
                decoded(text) == .message(ClientMessage(command: .rides(.offerAccept(ride: ride))))
            })
    }

    private func isPosition(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard case .message(let message) = decode(UnsafeRawBufferPointer(bytes)) else { return false }
            guard case .position(let fix) = message.command else { return false }
            return fix.at == 1_795_210_199_000
        }
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
