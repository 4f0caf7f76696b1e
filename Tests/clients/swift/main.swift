// An app for the scenarios, on the Swift client: told what to do by lines of JSON on the input, tells on the output what it
// sees. Tests/clients/app.py has the other end. {"n": 1, "do": …} is answered by {"done": 1, …}; what is seen is
// {"saw": kind, …}. With `questions` as first argument: of the commands that follow, those that are questions. With `socket`
// and an address (and a file of authorities): what a link tells.

import Foundation
import KerbsideClient

/// Of an app.
final class Output: @unchecked Sendable {
    // Sendable because it is used under the lock.
    private static let lock = NSLock()
    private var isOver = false
    private let name: String

    init(_ name: String) {
        self.name = name
    }

    func saw(_ kind: String, _ fields: [String: JSON]) {
        var line = fields
        line["app"] = .string(name)
        line["saw"] = .string(kind)
        Output.lock.withLock { if !isOver { Output.write(line) } }
    }

    func saw(_ message: Message) {
        var fields: [String: JSON] = [
            "ch": .string(message.channel), "type": .string(message.type), "data": message.data,
        ]
        fields["seq"] = message.seq.map(JSON.string)
        saw(message.seq == nil ? "told" : "event", fields)
    }

    func end() {
        Output.lock.withLock { isOver = true }
    }

    static func tell(_ line: [String: JSON]) {
        lock.withLock { write(line) }
    }

    private static func write(_ line: [String: JSON]) {
        FileHandle.standardOutput.write(Data((JSON.object(line).text + "\n").utf8))
    }
}

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "questions" {
    let questions = arguments.dropFirst().filter { isQuestion($0) && !ofConnection.contains($0) }
    print(JSON.array(questions.map(JSON.string)).text)
} else if arguments.first == "socket", let address = arguments.dropFirst().first {
    try tellOfSocket(address, authorities: arguments.dropFirst(2).first)
} else {
    var apps: [String: App] = [:]
    while let line = readLine() {
        do {
            let what = try JSON(parsing: line)
            let name = what["app"]?.string ?? "app"
            var answer: [String: JSON] = [:]
            if what["do"] == "new" {
                apps[name] = try await App(name, what)
            } else if let app = apps[name] {
                answer = try await app.obey(what)
            }
            answer["done"] = what["n"]
            Output.tell(answer)
        } catch {
            Output.tell(["failed": .string("\(error)")])
        }
    }
}
