import ArgumentParser
import Hub
import Settings

struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config", abstract: "Checks a configuration file and says what is wrong, line by line.")

    @Argument(help: "The configuration file (YAML).")
    var file: String

    func run() throws {
        var options = try ConfigOptions.parse([])
        options.config = file
        let loaded = try options.load()
        for warning in loaded.warnings { Terminal.warn("\(warning)") }
        if let excess = Hub.Doctor.excessConnections(loaded.settings) { Terminal.warn(excess) }
        let problems =
            Exposures.of(loaded.settings)
            + NamedFiles.problems(loaded.settings) { Terminal.warn("zones repaired: \($0)") }
        guard problems.isEmpty else {
            for problem in problems { Terminal.warn(problem) }
            throw ExitCode.failure
        }
        Terminal.line("\(file): good")
    }
}

struct PrintConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print-config",
        abstract: "Prints the settings that are in effect, and where each one comes from.")

    @OptionGroup var options: ConfigOptions

    func run() throws {
        let loaded = try options.load()
        Terminal.result(loaded.settings.describe(sources: loaded.sources))
    }
}
