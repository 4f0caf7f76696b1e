import Foundation
import SwiftProtobuf
import Testing
import Wire
import WireProtobuf

@Suite("Data is in the alternative of kerbside.proto that has its name")
struct AlternativeTests {
    @Test(
        "each alternative is taken for a message of the contract", arguments: ["Reply", "Event", "State", "Snapshot"])
    func everyAlternative(of message: String) throws {
        let known = try Self.alternatives(of: message)
        let taken = try ContractExample.ofTheHub.compactMap { try Self.alternative($0) }
            .filter { $0.message == message }.map(\.name)
        #expect(known.count >= 3)
        #expect(Set(taken).subtracting(["json"]) == known)
    }

    @Test("a message's alternative has the name of its type", arguments: ContractExample.ofTheHub)
    func alternative(of example: ContractExample) throws {
        guard let taken = try Self.alternative(example) else { return }
        let channel = example.message["ch"]?.text ?? ""
        let kind = String(channel.prefix { $0 != ":" })
        let type = example.message["type"]?.text ?? ""
        let name =
            switch taken.message {
            case "Reply": example.definition
            case "Snapshot": kind == "bus_driver" ? "driver" : kind
            default: kind == "topic" || kind == "events" ? "json" : type
            }
        #expect(taken.name == name.replacingOccurrences(of: ".", with: "_"))
    }

    private static func alternative(_ example: ContractExample) throws -> (message: String, name: String)? {
        let command = example.file == "replies" ? example.definition : nil
        let bytes = ProtobufWire().encode(json: example.message.serialized(), replyTo: command)
        return try JSONForm.alternative(of: Kerbside_V1_ServerMessage(serializedBytes: bytes))
    }

    /// The names of a message's alternatives in kerbside.proto, without `json`.
    private static func alternatives(of message: String) throws -> Set<String> {
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("config/contract/kerbside.proto")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let body = lines.drop { $0 != "message \(message) {" }.prefix { $0 != "}" }
        let fields = body.drop { !$0.hasPrefix("  oneof ") }.dropFirst().prefix { $0 != "  }" }
        // `Type name = number;`
        let names = fields.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) }
        return Set(names).subtracting(["json"])
    }
}
