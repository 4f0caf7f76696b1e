import ArgumentParser
import EventLoop
import Hub

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks whether this machine and this Redis are fit for the hub, and says what to do if not.")

    @OptionGroup var options: ConfigOptions

    func run() throws {
        var isFit = true
        Hub.Doctor.examine(try options.settings(), loop: try EventLoop()) { finding in
            let (mark, colour) =
                switch finding.verdict {
                case .good: ("good ", 32)
                case .poor: ("poor ", 33)
                case .unfit: ("UNFIT", 31)
                }
            if finding.verdict == .unfit { isFit = false }
            Terminal.line((mark, colour), (finding.text, nil))
        }
        if !isFit { throw ExitCode.failure }
    }
}
