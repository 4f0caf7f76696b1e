import ArgumentParser
import Settings
import Tokens

struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Signs a token and prints it.",
        discussion:
            "The secret is the one that `serve` uses with the same --config or --data, and makes when it starts first.")

    @OptionGroup var options: ConfigOptions
    @OptionGroup var person: TokenPerson

    @Option(
        name: .customLong("for"),
        help: "How long it is good: a number with s, m, h or d; at most tokens.max_life_s. 24h unless given, or that.")
    var duration: String?

    @Flag(help: "Make the secret if there is none, for a hub that is started with it later.")
    var newSecret = false

    func validate() throws {
        try person.check()
        if let duration { try TokenPerson.check(duration: duration) }
    }

    func run() throws {
        let settings = try options.settings()
        let duration = duration ?? "\(min(86_400, settings.tokens.maxLifeS))s"
        let claims = try person.claims(settings, for: duration, makesSecret: newSecret)
        Terminal.result(try TokenIssuer(settings, makesSecret: newSecret).issue(claims) + "\n")
    }
}
