import Foundation
import Testing
import Wire

/// The closed lists here against those of the published contract in `config/contract`.
@Suite("Codes and names agree with the published contract")
struct ContractTests {
    private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("config/contract")

    private func schema(_ name: String) throws -> JSONValue {
        try JSONValue(parsing: [UInt8](Data(contentsOf: Self.folder.appendingPathComponent("schemas/\(name)"))))
    }

    /// The entries `name: { … }` below a heading of asyncapi.yaml, up to the next line that is less indented.
    private func entries(below heading: String) throws -> [(name: String, text: String)] {
        let yaml = try String(contentsOf: Self.folder.appendingPathComponent("asyncapi.yaml"), encoding: .utf8)
        let lines = yaml.split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.hasSuffix(" \(heading):") })
        let indent = lines[start].prefix { $0 == " " }.count
        return lines[(start + 1)...].prefix { $0.prefix { $0 == " " }.count > indent }
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.hasPrefix("#") }
            .compactMap { line in
                line.firstIndex(of: ":").map {
                    (line[..<$0].trimmingCharacters(in: CharacterSet(charactersIn: "'\"")), String(line[$0...]))
                }
            }
    }

    @Test("error codes, and whether to try again")
    func errorCodes() throws {
        let codes = try schema("errors.json")["$defs"]?["code"]?["enum"]?.elements?.compactMap(\.text)
        #expect(codes == ErrorCode.allCases.map(\.rawValue))
        let entries = try entries(below: "x-error-codes")
        #expect(entries.map(\.name) == ErrorCode.allCases.map(\.rawValue))
        for entry in entries {
            let code = try #require(ErrorCode(rawValue: entry.name))
            #expect(entry.text.contains("retry: \(code.retry), status: \(code.status)"), "\(entry.name)")
        }
    }

    @Test("close codes")
    func closeCodes() throws {
        #expect(try entries(below: "x-close-codes").map(\.name) == CloseCode.allCases.map { "\($0.rawValue)" })
    }

    @Test("commands, and the fields of each")
    func commands() throws {
        let schemas = try #require(try schema("commands.json")["$defs"]?.members)
        #expect(Set(schemas.keys) == Set(Command.rules.map(\.name)))
        for rule in Command.rules {
            let properties = try #require(schemas[rule.name]?["properties"]?.members)
            let all = rule.fields + ["cmd", "id", "key"] + (rule.forCallers ? ["on_behalf_of"] : [])
            #expect(Set(properties.keys) == Set(all), "\(rule.name)")
        }
    }

    @Test("the fields of a binary command are those of all commands")
    func binaryFields() throws {
        let proto = try String(contentsOf: Self.folder.appendingPathComponent("kerbside.proto"), encoding: .utf8)
        let message = try #require(proto.split(separator: "message ClientMessage {").last)
        let fields = message.prefix { $0 != "}" }.split(separator: "\n").filter { $0.contains(" = ") }
            .compactMap { $0.split(separator: " = ").first?.split(separator: " ").last.map(String.init) }
        #expect(Set(fields) == Set(Command.rules.flatMap(\.fields) + ["cmd", "id", "key", "on_behalf_of"]))
        #expect(fields.count == Set(fields).count)
    }

    @Test("every code has a title and a remedy; every close reason fits into its frame")
    func texts() {
        for code in ErrorCode.allCases {
            #expect(!code.title.isEmpty && code.remedy.hasSuffix("."))
        }
        for fault in [ErrorCode.zonesUnknown, .unavailable, .internal] { #expect(fault.retry, "it may pass") }
        #expect(Set(ErrorCode.allCases.map(\.title)).count == ErrorCode.allCases.count)
        for code in CloseCode.allCases { #expect((1...123).contains(code.reason.utf8.count)) }
    }

    @Test("a drain says when to come back; any other code has a rule")
    func reconnect() {
        #expect(CloseCode.restartReason(retryMs: 1234) == "restart; retry_ms=1234")
        #expect(CloseCode.retryMs(inReason: CloseCode.restartReason(retryMs: 1234)) == 1234)
        for reason in ["", "restart", "retry_ms=", "retry_ms=x", "wait=5", "="] {
            #expect(CloseCode.retryMs(inReason: reason) == nil, "\(reason)")
        }
        #expect(CloseCode.reconnect(after: 1006) == .resume)
        #expect(CloseCode.reconnect(after: 4410) == .withNewToken)
        #expect(CloseCode.reconnect(after: 1002) == .never)
        #expect(CloseCode.reconnect(after: 4429) == .after(ms: 10_000))
    }
}
