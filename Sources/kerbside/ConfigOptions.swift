import ArgumentParser
import Foundation
import Settings

/// Where the settings come from: a file, the environment (`KERBSIDE_…`), flags; the later wins.
struct ConfigOptions: ParsableArguments {
    @Option(
        name: .long,
        help: "The configuration file (YAML). Without one: loopback, plain text, embedded Redis, example city.")
    var config: String?

    @Option(name: .long, help: "The data directory (data.dir): Redis' files, the token secret.")
    var data: String?

    @Option(name: .long, help: "The TCP port; 0 lets the system choose.")
    var port: Int?

    @Option(name: .long, help: "Worker processes; 0 is one per core.")
    var workers: Int?

    @Option(name: .long, help: ArgumentHelp("Any setting, as KEY=VALUE; may be repeated.", valueName: "key=value"))
    var set: [String] = []

    func validate() throws { _ = try assignments() }

    /// What --set says, by key.
    private func assignments() throws -> [String: String] {
        var values: [String: String] = [:]
        for text in set {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ValidationError("--set \(text): expected KEY=VALUE")
            }
            values[String(parts[0])] = String(parts[1])
        }
        return values
    }

    /// Reads and checks everything; all problems are reported at once, each with its file and line.
    func load() throws -> LoadedSettings {
        var flags = try assignments()
        if let data { flags["data.dir"] = data }
        if let port { flags["server.port"] = String(port) }
        if let workers { flags["server.workers"] = String(workers) }
        return try Settings.load(file: config, environment: ProcessInfo.processInfo.environment, flags: flags)
    }

    /// The same options as arguments, for a hub that a command starts.
    var arguments: [String] {
        let named = [
            ("--config", config), ("--data", data), ("--port", port.map(String.init)),
            ("--workers", workers.map(String.init)),
        ]
        return named.flatMap { name, value in value.map { [name, $0] } ?? [] } + set.flatMap { ["--set", $0] }
    }

    /// The settings alone, with warnings on standard error.
    func settings() throws -> Settings {
        let loaded = try load()
        for warning in loaded.warnings { Terminal.warn("\(warning)") }
        return loaded.settings
    }
}

/// What kept a command from its work, in a sentence.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
