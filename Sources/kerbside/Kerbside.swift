import ArgumentParser
import Glibc

/// The command line. Exit codes: 0 done, 1 failed (the message says why and what to do), 64 wrong use.
@main
struct Kerbside: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kerbside",
        abstract: "A WebSocket push hub for taxis, minibus taxis and community buses.",
        version: "0.1.0",
        subcommands: [
            Serve.self, WorkerCommand.self, RecorderCommand.self, PushSenderCommand.self, Token.self, Invite.self,
            CheckConfig.self,
            PrintConfig.self,
            Zones.self, Import.self, Lines.self, Drivers.self, Vehicles.self, Stats.self, Audit.self, Trips.self,
            RecordsCommand.self,
            Reliability.self, Advice.self, PermissionsCommand.self,
            Replay.self, Simulate.self, Demo.self, Tail.self, ETAAccuracyCommand.self,
            WaitAdviceCommand.self, Bench.self, Echo.self, Doctor.self,
        ])

    /// As ParsableCommand does it, but for what is said at the end: an error may quote what others wrote.
    static func main() {
        openStandardFiles()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            let (code, text) = (exitCode(for: error), fullMessage(for: error))
            if !text.isEmpty {
                if code.isSuccess { Terminal.line(text) } else { Terminal.fail(text) }
            }
            Glibc.exit(code.rawValue)
        }
    }

    /// A program may be started with 0, 1 or 2 closed. The next file that it opened would take that place, and what it says would go in there.
    private static func openStandardFiles() {
        var descriptor: Int32
        repeat { descriptor = open("/dev/null", O_RDWR) } while (STDIN_FILENO...STDERR_FILENO).contains(descriptor)
        if descriptor >= 0 { close(descriptor) }
    }
}
