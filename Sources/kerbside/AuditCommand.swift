import ArgumentParser
import Foundation
import Hub
import Settings
import Wire

struct Audit: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints what operators did, the newest first.",
        discussion: """
            The hub must be running here; operators elsewhere send office.audit. Each line has when, who, the command, on whom, \
            and with what reason; then what was before, and after.
            """)

    @OptionGroup var options: ConfigOptions

    @Option(name: .shortAndLong, help: "So many entries.")
    var number = 20

    @Flag(help: "Each entry as a JSON object on a line.")
    var json = false

    func validate() throws {
        guard (1...100_000).contains(number) else { throw ValidationError("--number: expected 1 to 100000") }
    }

    func run() throws {
        let number = number
        for entry in try CatalogStore.run(try options.settings(), { try await $0.audit(number) }) {
            let head = #"{"id":"\#(entry.id)","time":\#(entry.time),"#
            if json { Terminal.result("\(head)\(entry.act.dropFirst())\n") } else { Terminal.line(try line(entry)) }
        }
    }

    private func line(_ entry: AuditEntry) throws -> String {
        let act = try JSONValue(parsing: Array(entry.act.utf8))
        func text(_ field: String) -> String { act[field]?.text ?? "–" }
        func facts(_ field: String) -> String { String(decoding: (act[field] ?? .null).serialized(), as: UTF8.self) }
        let time = Date(timeIntervalSince1970: Double(entry.time) / 1000).formatted(.iso8601)
        let parts = [time, text("operator"), text("command"), text("target"), text("reason")]
        return parts.joined(separator: "  ") + "  \(facts("before")) → \(facts("after"))"
    }
}
