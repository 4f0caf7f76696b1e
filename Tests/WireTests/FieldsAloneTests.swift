import Testing

@testable import Wire

/// A command whose name and key came beside its fields, as over HTTP.
@Suite struct FieldsAloneTests {
    private func read(_ text: String, of command: String = "ride.cancel", key: String? = nil) -> Decoded {
        Array(text.utf8).withUnsafeBytes { decode(fields: $0, of: command, key: key) }
    }

    private func refusal(_ text: String, of command: String = "ride.cancel", key: String? = nil) -> ErrorReply? {
        guard case .refused(nil, let error) = read(text, of: command, key: key) else { return nil }
        return error
    }

    @Test func `every command is read as it is from a message`() throws {
        for rule in Command.rules {
            let text = #"{"cmd":"\#(rule.name)","lat":1,"lon":2,"at":3,"key":"k"}"#
            let whole = Array(text.utf8).withUnsafeBytes { decode($0) }
            #expect(read(text, of: rule.name) == whole, "\(rule.name)")
        }
    }

    @Test func `the key comes with the fields or beside them`() {
        let message = ClientMessage(key: "k", command: .rides(.rideCancel(ride: "r")))
        #expect(read(#"{"ride":"r"}"#, key: "k") == .message(message))
        #expect(read(#"{"ride":"r","key":"k"}"#) == .message(message))
        #expect(read(#"{"ride":"r","key":"k"}"#, key: "k") == .message(message))
        for (text, key) in [
            (#"{"key":"k"}"#, "l"), ("{}", ""), ("{}", "a b"), ("{}", String(repeating: "k", count: 65)),
        ] {
            #expect(refusal(text, key: key)?.code == .badMessage)
            #expect(refusal(text, key: key)?.field == "key")
        }
    }

    @Test func `another command is not slipped in`() {
        #expect(refusal(#"{"cmd":"ride.search"}"#)?.field == "cmd")
        #expect(refusal(#"{"cmd":1}"#)?.field == "cmd")
        #expect(refusal("{}", of: "nothing")?.code == .unknownCommand)
        #expect(refusal("[]")?.code == .badMessage)
        #expect(refusal("{}{}")?.code == .badMessage)
    }

    @Test func `what is of a connection goes over none`() {
        let connected = Command.rules.filter { $0.rolesOverHTTP.isEmpty }.map(\.name)
        #expect(Set(connected).isSuperset(of: ["hello", "position", "subscribe", "unsubscribe", "watch", "unwatch"]))
        for rule in Command.rules {
            #expect(Set(rule.rolesOverHTTP).isSubset(of: Set(rule.roles)), "\(rule.name)")
            if rule.objects == .connection { #expect(rule.rolesOverHTTP.isEmpty, "\(rule.name)") }
        }
    }
}
