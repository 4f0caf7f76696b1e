import ArgumentParser
import Wire

/// `kerbside permissions`: who may send what.
struct PermissionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "permissions", abstract: "Prints which role may send which command, and on whose objects.")

    @Flag(help: "One line of JSON per command: {\"cmd\":…,\"roles\":[…],\"objects\":…,\"http\":[…]}.")
    var json = false

    func run() {
        for rule in Command.rules { Terminal.line(json ? Self.json(rule) : Self.row(rule)) }
    }

    private static func row(_ rule: CommandRule) -> String {
        let roles = rule.roles.count == Role.allCases.count ? "all" : rule.roles.map(\.rawValue).joined(separator: ", ")
        return [padded(rule.name, 20), padded(rule.objects.rawValue, 11), roles].joined()
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func json(_ rule: CommandRule) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.member("cmd", rule.name)
        json.key("roles")
        json.beginArray()
        for role in rule.roles { json.string(role.rawValue) }
        json.endArray()
        json.member("objects", rule.objects.rawValue)
        json.key("http")
        json.beginArray()
        for role in rule.rolesOverHTTP { json.string(role.rawValue) }
        json.endArray()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
