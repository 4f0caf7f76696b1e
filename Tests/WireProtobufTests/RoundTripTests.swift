import Foundation
import SwiftProtobuf
import Testing
import Wire
import WireProtobuf

@Suite("Every message of the contract says the same in both encodings")
struct RoundTripTests {
    @Test("the contract has its examples")
    func examples() {
        #expect(ContractExample.commands.count >= Command.rules.count)
        #expect(ContractExample.ofTheHub.count >= 40)
        let names = Set(ContractExample.commands.map(\.definition))
        #expect(names.isSuperset(of: Command.rules.map(\.name)))
    }

    @Test("a command", arguments: ContractExample.commands)
    func command(example: ContractExample) throws {
        let json = example.message.serialized()
        let bytes = try ClientBytes.encode(example.message)
        let expected = json.withUnsafeBytes { Wire.decode($0) }
        guard case .message = expected else { throw Failure("the example is refused: \(expected)") }
        #expect(bytes.withUnsafeBytes { ProtobufWire().decode($0) } == expected)
    }

    @Test("a message of the hub", arguments: ContractExample.ofTheHub)
    func message(example: ContractExample) throws {
        let command = example.file == "replies" ? example.definition : nil
        let bytes = ProtobufWire().encode(json: example.message.serialized(), replyTo: command)
        let message = try Kerbside_V1_ServerMessage(serializedBytes: bytes)
        let back = try JSONForm.of(message)
        let difference = JSONForm.difference(example.message, back, path: "")
        #expect(difference == nil, "\(back)")
        let channel = example.message["ch"]?.text ?? ""
        let isUnknown = channel.hasPrefix("topic:") || channel.hasPrefix("events:")
        #expect(isUnknown || !JSONForm.isUntyped(message), "kerbside.proto does not know \(example.definition)")
    }

    @Test("an ETA of 0 s is not an unknown one")
    func presence() throws {
        for (eta, expected) in [("0", true), ("null", false)] {
            let data = #"{"ride":"r","taxi":"T1","position":null,"eta_s":\#(eta)}"#
            let json = Encode.event(
                channel: "passenger:p", seq: "1-0", type: "ride.accepted", time: 5, data: Array(data.utf8))
            let message = try Kerbside_V1_ServerMessage(serializedBytes: ProtobufWire().encode(json: json))
            #expect(message.event.rideAccepted.hasEtaS == expected)
            #expect(!message.event.rideAccepted.hasPosition)
        }
    }

    @Test(
        "what kerbside.proto does not know, or knows otherwise, travels as JSON",
        arguments: [
            ("driver:T1", "offer.something", #"{"a":[1,2,{"b":"ü"}]}"#), ("topic:x", "offer.made", #"{"ride":"r"}"#),
            ("topic:x", "json", #""AAAA""#), ("driver:T1", "offer.made", #"{"ride":7}"#), ("driver:T1", "a\"b", "[]"),
        ])
    func unknown(channel: String, type: String, data: String) throws {
        let json = Encode.event(channel: channel, seq: "1-0", type: type, time: 5, data: Array(data.utf8))
        let event = try Kerbside_V1_ServerMessage(serializedBytes: ProtobufWire().encode(json: json)).event
        #expect(event.ch == channel && event.seq == "1-0" && event.type == type && event.time == 5)
        #expect(event.json == Data(data.utf8))
    }

    private func event(_ channel: String, _ type: String, _ data: String) throws -> Kerbside_V1_Event {
        let json = Encode.event(channel: channel, seq: "1-0", type: type, time: 5, data: Array(data.utf8))
        return try Kerbside_V1_ServerMessage(serializedBytes: ProtobufWire().encode(json: json)).event
    }

    @Test("numbers at the ends of their ranges, and beyond", arguments: [Int64(Int32.min), -1, 0, 1, Int64(Int32.max)])
    func signed(delta: Int64) throws {
        func changed(_ delta: Int64, taken: Int64) throws -> Kerbside_V1_Event {
            try event("driver:T1", "seats.changed", #"{"taken":\#(taken),"delta":\#(delta),"reason":"x"}"#)
        }
        let fits = try changed(delta, taken: Int64(UInt32.max)).seatsChanged
        #expect(Int64(fits.delta) == delta && fits.taken == UInt32.max && fits.reason == "x")
        for (delta, taken) in [(Int64(Int32.max) + 1, 0), (0, Int64(UInt32.max) + 1), (0, -1)] {
            #expect(
                try changed(delta, taken: taken).data
                    == .json(Data(#"{"taken":\#(taken),"delta":\#(delta),"reason":"x"}"#.utf8)))
        }
    }

    @Test("texts and messages of any length", arguments: [0, 1, 126, 127, 128, 16_383, 16_384, 70_000])
    func lengths(count: Int) throws {
        let name = String(repeating: "ü", count: count / 2) + String(repeating: "\"", count: count % 2)
        var data = JSONObject()
        data["tour"] = .string(name)
        data["places"] = [
            ["place": .string(name), "requests": [["name": .string(name)], ["help": ["a", "", "b"]]]], [:],
        ]
        let event = try event(
            "driver:T1", "stop.list", String(decoding: JSONValue.object(data).serialized(), as: UTF8.self))
        #expect(event.stopList.tour == name && event.stopList.places.count == 2)
        #expect(event.stopList.places[0].place == name && event.stopList.places[0].requests[0].name == name)
        #expect(event.stopList.places[0].requests[1].help == ["a", "", "b"])
    }

    @Test(
        "data that does not fit somewhere inside travels as JSON whole",
        arguments: [
            #"{"tour":"t","places":[{"place":"p","requests":[{"at":"soon"}]}]}"#, #"{"tour":"t","places":[null]}"#,
            #"{"tour":"t","places":{}}"#, #"{"tour":"t","quiet":0}"#, #"{"tour":"t","answer_by":1.5}"#, "null", "7",
        ])
    func misfits(data: String) throws {
        #expect(try event("driver:T1", "stop.list", data).data == .json(Data(data.utf8)))
    }

    @Test("a member that kerbside.proto does not know does not hide the others")
    func newMember() throws {
        let json = Encode.event(
            channel: "driver:T1", seq: "1-0", type: "ride.confirm_aboard", time: 5,
            data: Array(#"{"ride":"r","mood":"good"}"#.utf8))
        let event = try Kerbside_V1_ServerMessage(serializedBytes: ProtobufWire().encode(json: json)).event
        #expect(event.rideConfirmAboard.ride == "r")
    }

    @Test("a reply to a command that was not named, an error without id, nonsense")
    func rest() throws {
        let wire = ProtobufWire()
        let reply = try Kerbside_V1_ServerMessage(
            serializedBytes: wire.encode(json: Encode.replyOK(id: 7, json: Array(#"{"x":1}"#.utf8)))
        ).reply
        #expect(reply.id == 7 && reply.json == Data(#"{"x":1}"#.utf8))
        let error = ErrorReply(code: .badMessage, field: "cmd", detail: "no")
        let refused = try Kerbside_V1_ServerMessage(
            serializedBytes: wire.encode(json: Encode.error(id: nil, error))
        ).error
        #expect(!refused.hasID && refused.code == "bad_message" && refused.field == "cmd" && !refused.retry)
        for text in ["", "{", "[]", "{}", #"{"ch":"x","type":"y"}"#] {
            let message = try Kerbside_V1_ServerMessage(serializedBytes: wire.encode(json: Array(text.utf8)))
            #expect(message.error.code == "internal")
        }
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

enum ClientBytes {
    /// A command as a client with generated code sends it.
    static func encode(_ command: JSONValue) throws -> [UInt8] {
        guard case .object(var object) = command else { throw Failure("no object") }
        let data = object["data"]
        object["data"] = nil
        var message = try Kerbside_V1_ClientMessage(jsonUTF8Bytes: JSONValue.object(object).serialized())
        if let data { message.data = Data(data.serialized()) }
        return try message.serializedBytes()
    }
}

/// A binary message back in the JSON of the contract.
enum JSONForm {
    static func of(_ message: Kerbside_V1_ServerMessage) throws -> JSONValue {
        switch message.message {
        case .reply(let reply):
            let (members, name) = try parts(reply, known: ["id"])
            return ["id": members["id"] ?? 0, "ok": try data(name, members, reply.json)]
        case .error(let error):
            var members = try parts(error, known: []).members
            let id = members["id"]
            members["id"] = nil
            if members["retry"] == nil { members["retry"] = false }
            var whole = JSONObject()
            whole["id"] = id
            whole["error"] = .object(members)
            return .object(whole)
        case .event(let event):
            var (members, name) = try parts(event, known: ["ch", "seq", "type", "time"])
            let value = try data(name, members, event.json)
            members[name] = nil
            members["data"] = value
            return .object(members)
        case .state(let state):
            var (members, name) = try parts(state, known: ["ch", "type", "time"])
            let value = try data(name, members, state.json)
            members[name] = nil
            members["data"] = value
            return .object(members)
        case .snapshot(let snapshot):
            let (members, name) = try parts(snapshot, known: ["ch", "time"])
            return [
                "ch": members["ch"] ?? nil, "type": "snapshot", "time": members["time"] ?? 0,
                "data": try data(name, members, snapshot.json),
            ]
        case .gap(let gap): return ["ch": .string(gap.ch), "type": "gap"]
        case .positions, nil: throw Failure("not expected")
        }
    }

    /// The message that it is, and the alternative that its data is in; nil: it has no alternatives.
    static func alternative(
        of message: Kerbside_V1_ServerMessage
    ) throws -> (message: String, name: String)? {
        switch message.message {
        case .reply(let reply): ("Reply", try parts(reply, known: ["id"]).name)
        case .event(let event): ("Event", try parts(event, known: ["ch", "seq", "type", "time"]).name)
        case .state(let state): ("State", try parts(state, known: ["ch", "type", "time"]).name)
        case .snapshot(let snapshot): ("Snapshot", try parts(snapshot, known: ["ch", "time"]).name)
        case .error, .gap, .positions, nil: nil
        }
    }

    static func isUntyped(_ message: Kerbside_V1_ServerMessage) -> Bool {
        !message.reply.json.isEmpty || !message.event.json.isEmpty || !message.state.json.isEmpty
            || !message.snapshot.json.isEmpty
    }

    /// The members, and the name of the one that is not known.
    private static func parts(
        _ message: any SwiftProtobuf.Message, known: Set<String>
    ) throws -> (members: JSONObject, name: String) {
        var options = JSONEncodingOptions()
        options.preserveProtoFieldNames = true
        options.alwaysPrintInt64sAsNumbers = true
        let json: [UInt8] = try message.jsonUTF8Bytes(options: options)
        guard let members = try JSONValue(parsing: json).members else { throw Failure("no object") }
        return (members, members.keys.first { !known.contains($0) } ?? "")
    }

    private static func data(_ name: String, _ members: JSONObject, _ json: Data) throws -> JSONValue {
        name == "json" ? try JSONValue(parsing: [UInt8](json)) : members[name] ?? nil
    }

    /// Where `back` says something else than `original`. What is absent in it is null, or the default, in the original.
    static func difference(_ original: JSONValue, _ back: JSONValue?, path: String) -> String? {
        switch (original, back) {
        case (.object(let left), .object(let right)?):
            for (key, value) in left {
                if let difference = difference(value, right[key], path: "\(path).\(key)") { return difference }
            }
            return right.keys.first { left[$0] == nil }.map { "\(path).\($0) is invented" }
        case (.array(let left), .array(let right)?) where left.count == right.count:
            for (index, (one, other)) in zip(left, right).enumerated() {
                if let difference = difference(one, other, path: "\(path)[\(index)]") { return difference }
            }
            return nil
        case (_, nil):
            let defaults: [JSONValue] = [nil, 0, "", false, [], [:]]
            return defaults.contains(original) ? nil : "\(path) is missing"
        case (_, let back?): return original == back ? nil : "\(path): \(original) became \(back)"
        }
    }
}
