public import ArgumentParser
import Hub
import Settings
public import Wire

/// `driver` or `passenger`.
extension ReliabilityCommand.Person: ExpressibleByArgument {}

/// `kerbside reliability driver T345`
struct Reliability: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows what counts of a driver or passenger: no-shows, late cancellations, rides given back.",
        discussion: """
            The hub must be running here; operators elsewhere send reliability.of, and reliability.reset to set it back. Who \
            telephones is a passenger, too: tel: and the digits of the number. Of somebody the hub has not heard of nothing counts.
            """)

    @OptionGroup var options: ConfigOptions

    @Argument(help: "driver (of a taxi or minibus) or passenger.")
    var role: ReliabilityCommand.Person

    @Argument(help: "The subject of its token.")
    var subject: String

    @Flag(help: "The same as a JSON object.")
    var json = false

    func validate() throws {
        let marks = Set("_.:-".utf8)
        let isID = subject.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || marks.contains(byte)
        }
        guard isID, (1...64).contains(subject.utf8.count) else {
            throw ValidationError("\(subject): expected 1 to 64 characters of A-Z a-z 0-9 _ . : -")
        }
    }

    func run() throws {
        let (role, subject) = (role, subject)
        let told = try CatalogStore.run(try options.settings()) { try await $0.reliability(of: role, subject) }
        if json { Terminal.result(told.description + "\n") } else { Terminal.line(text(told)) }
    }

    private func text(_ told: JSONValue) -> String {
        func number(_ field: String) -> Int64? { told[field]?.integer }
        let counts = [("no_shows", "no-shows"), ("late_cancels", "late cancellations"), ("give_backs", "given back")]
            .compactMap { field, name in number(field).map { "\(name) \($0)" } }.joined(separator: ", ")
        var parts = [
            "\(role.rawValue) \(subject): \(number("total") ?? 0) in \(number("window_days") ?? 0) days (\(counts))"
        ]
        if let count = number("warn_at") { parts.append("warned from \(count) on") }
        if let count = number("pause_at") { parts.append("paused from \(count) on") }
        if let time = number("paused_until") { parts.append("paused until \(Instant(unixMs: time))") }
        if told["deposit"]?.boolean == true { parts.append("a deposit is wanted") }
        if let points = number("points") { parts.append("\(points) points") }
        return parts.joined(separator: "; ")
    }
}
