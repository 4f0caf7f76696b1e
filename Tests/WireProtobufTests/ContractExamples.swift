import Foundation
import Testing
import Wire
import Yams

/// One example message of asyncapi.yaml, and where the schemas define its form.
struct ContractExample: Sendable, CustomTestStringConvertible {
    /// `commands`, `replies`, …
    let file: String
    /// `driver.available`, …
    let definition: String
    let message: JSONValue

    var testDescription: String { "\(file) \(definition) \(message)" }

    /// All of them.
    static let all: [ContractExample] = {
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("config/contract/asyncapi.yaml")
        guard let text = try? String(contentsOf: file, encoding: .utf8), let node = try? Yams.compose(yaml: text),
            let messages = node["components"]?["messages"]?.mapping
        else { return [] }
        return messages.flatMap { _, message -> [ContractExample] in
            let place = message["payload"]?["$ref"]?.string ?? ""
            let parts = place.split(separator: "/")
            guard let schema = parts.first(where: { $0.hasSuffix(".json#") }), let definition = parts.last else {
                return []
            }
            return (message["examples"]?.sequence ?? []).compactMap { example in
                example["payload"].map {
                    ContractExample(
                        file: String(schema.dropLast(6)), definition: String(definition), message: JSONValue($0))
                }
            }
        }
    }()

    static let commands = all.filter { $0.file == "commands" }
    /// Without rows of vehicles, whose binary form does not come from the JSON.
    static let ofTheHub = all.filter { $0.file != "commands" && $0.message["data"]?.elements == nil }
}

extension JSONValue {
    /// A value of a YAML text.
    fileprivate init(_ node: Node) {
        if let mapping = node.mapping {
            var object = JSONObject()
            for (key, value) in mapping { object[key.string ?? ""] = JSONValue(value) }
            self = .object(object)
        } else if let sequence = node.sequence {
            self = .array(sequence.map(JSONValue.init))
        } else if node.tag == Tag(.str) {
            self = .string(node.string ?? "")
        } else if node.null != nil {
            self = .null
        } else if let bool = node.bool {
            self = .bool(bool)
        } else if let number = node.float {
            self = .number(number)
        } else {
            self = .string(node.string ?? "")
        }
    }
}
