import Glibc
import Testing

@testable import Hub

/// Whether a process that is to be sent a signal would be ended by it, and whether a debugger has it.
@Suite struct ProcessStandingTests {
    private func status(blocked: String, ignored: String, caught: String) -> String {
        "Name:\tkerbside\nSigQ:\t3/96365\nSigPnd:\t0000000000000001\nShdPnd:\t0000000000000001\nSigBlk:\t\(blocked)\n"
            + "SigIgn:\t\(ignored)\nSigCgt:\t\(caught)\nCapInh:\t0000000000000000\n"
    }

    private func survives(_ signal: Int32, _ blocked: String, _ ignored: String, _ caught: String) throws -> Bool {
        try #require(ProcessStanding(status(blocked: blocked, ignored: ignored, caught: caught))).survives(signal)
    }

    @Test func `what is held, ignored or caught ends nobody`() throws {
        let (none, hangup, terminate) = ("0000000000000000", "0000000000000001", "0000000000004000")
        #expect(try !survives(SIGHUP, none, none, none))
        #expect(try survives(SIGHUP, hangup, none, none))
        #expect(try survives(SIGHUP, none, hangup, none))
        #expect(try survives(SIGHUP, none, none, hangup))
        #expect(try !survives(SIGHUP, terminate, terminate, terminate))
        #expect(try survives(SIGTERM, none, none, terminate))
    }

    @Test func `whom a debugger has is told`() throws {
        let rest = status(blocked: "0", ignored: "0", caught: "0")
        #expect(try !#require(ProcessStanding(rest)).isTraced)
        #expect(try !#require(ProcessStanding("TracerPid:\t0\n" + rest)).isTraced)
        #expect(try #require(ProcessStanding("TracerPid:\t4711\n" + rest)).isTraced)
    }

    @Test func `this process is known, and one that isn't there is not`() {
        #expect(ProcessStanding(of: getpid()) != nil)
        #expect(ProcessStanding(of: .max) == nil)
        #expect(ProcessStanding("Name:\tkerbside\n") == nil)
    }
}
