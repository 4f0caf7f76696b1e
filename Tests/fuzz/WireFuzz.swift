// The entry of the fuzzer. `tools/fuzz` compiles it with the sources of Wire as one module, so it sees their internals
// and imports nothing of them. Whatever the bytes are, what stands here must hold; memory errors and leaks are found by
// the address sanitizer, which also guards the end of the input.

import Glibc

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let tree = checkTree(bytes)
    checkSkipping(bytes, tree)
    checkCommand(bytes, tree)
    checkServerMessage(bytes)
    checkNumber(bytes)
    checkWriter(bytes)
    checkBinaryCommand(bytes)
    return 0
}

/// What is accepted is UTF-8; what is read, written and read again is the same, in value and in bytes.
private func checkTree(_ bytes: UnsafeRawBufferPointer) -> Result<JSONValue, WireError> {
    let tree = Result { () throws(WireError) in try JSONValue(parsing: bytes) }
    switch tree {
    case .success(let value):
        require(String(validating: bytes, as: UTF8.self) != nil, "accepted, but not UTF-8")
        let text = value.serialized()
        guard let again = try? JSONValue(parsing: text) else { fatalError("what was written can't be read") }
        require(again == value, "the value changed by writing and reading it")
        require(again.serialized() == text, "the text changed by reading and writing it")
        for element in value.elements ?? [value] { checkRow(element) }
    case .failure(let error):
        require((0...bytes.count).contains(error.offset), "an error outside the text")
        require(error.line >= 1 && error.column >= 1, "an error without a place")
    }
    return tree
}

/// Skipping finds the same faults as reading.
private func checkSkipping(_ bytes: UnsafeRawBufferPointer, _ tree: Result<JSONValue, WireError>) {
    var reader = JSONReader(bytes)
    do throws(WireError) {
        try reader.skipValue()
        try reader.finish()
        guard case .success = tree else { fatalError("skipped, but not read") }
    } catch {
        guard case .failure(let other) = tree else { fatalError("read, but not skipped") }
        require(error.reason == other.reason && error.offset == other.offset, "two different faults")
    }
}

/// A command is understood only if it is well formed, survives writing and reading, and is refused with the id that the
/// tree has, if it is a valid one.
private func checkCommand(_ bytes: UnsafeRawBufferPointer, _ tree: Result<JSONValue, WireError>) {
    let decoded = decode(bytes)
    if case .refused(let id, let error) = decoded, error.field == nil, let offset = tooManyMembers(error.detail) {
        return checkTooMany(bytes, id, error, offset, tree)
    }
    switch (decoded, tree) {
    case (.message(let message), .success(let value)):
        require(value["id"]?.integer == message.id, "another id")
        require(value["cmd"]?.text == message.command.name, "another command")
        let again = message.encoded().withUnsafeBytes { decode($0) }
        require(again == decoded, "the command changed by writing and reading it")
    case (.message, .failure):
        fatalError("understood, but not well formed")
    case (.refused(let id, let error), .success(let value)):
        let expected = value["id"]?.integer.flatMap { (0...WireLimits.largestInteger).contains($0) ? $0 : nil }
        require(id == expected, "the id was lost")
        require(value.members == nil || error.field != nil, "well formed, but no field is named")
        checkRefusal(id, error)
    case (.refused(let id, let error), .failure(let fault)):
        require(error.code == .badMessage && error.field == nil, "malformed, but a field is named")
        if fault.offset > 0, bytes.first == UInt8(ascii: "{") {
            require(error.detail == "byte \(fault.offset): \(fault.reason.rawValue)", "two different faults")
        }
        checkRefusal(id, error)
    }
}

/// Where an object had more members than are read; nil: another refusal.
private func tooManyMembers(_ detail: String) -> Int? {
    let (begin, end) = ("byte ", ": " + WireError.Reason.tooManyMembers.rawValue)
    guard detail.hasPrefix(begin), detail.hasSuffix(end) else { return nil }
    return Int(detail.dropFirst(begin.utf8.count).dropLast(end.utf8.count))
}

/// What follows is not read: no fault is found there, nor an id. There was no fault before.
private func checkTooMany(
    _ bytes: UnsafeRawBufferPointer, _ id: Int64?, _ error: ErrorReply, _ offset: Int,
    _ tree: Result<JSONValue, WireError>
) {
    require(error.code == .badMessage, "too many members, but another code")
    let commas = bytes.prefix(offset).reduce(0) { $1 == UInt8(ascii: ",") ? $0 + 1 : $0 }
    require(commas >= WireLimits.members, "refused for members that it lacks")
    if case .failure(let fault) = tree { require(fault.offset >= offset, "a fault before was not found") }
    checkRefusal(id, error)
}

/// A binary command that is understood is the one that its JSON says; any other is refused in a way that can be sent.
private func checkBinaryCommand(_ bytes: UnsafeRawBufferPointer) {
    let wire = ProtobufWire()
    switch wire.decode(bytes) {
    case .message(let message):
        let again = message.encoded().withUnsafeBytes { decode($0) }
        require(again == .message(message), "the binary command changed by writing and reading it")
    case .refused(let id, let error):
        checkRefusal(id, error)
    }
    guard bytes.count >= 8 else { return }
    let double = bytes.loadUnaligned(as: Double.self)
    var writer = JSONWriter()
    writer.exact(double)
    guard let number = try? JSONValue(parsing: writer.bytes) else { fatalError("an exact number can't be read") }
    require(double.isFinite ? number.double == double : number.isNull, "an exact number changed")
}

/// A refusal can be sent and read.
private func checkRefusal(_ id: Int64?, _ error: ErrorReply) {
    guard let message = try? decodeServer(Encode.error(id: id, error)) else { fatalError("a refusal can't be read") }
    let expected = ServerMessage.error(id: id, code: error.code, detail: error.detail, retry: error.code.retry)
    require(message == expected, "the refusal changed on its way")
}

/// What clients read, encoded again, is read as the same.
private func checkServerMessage(_ bytes: UnsafeRawBufferPointer) {
    guard let message = try? decodeServer(bytes) else { return }
    let again: [UInt8]
    switch message {
    case .reply(let id, let body): again = Encode.replyOK(id: id, json: body.serialized())
    case .error(let id, let code, let detail, let retry):
        // Whether to retry goes with the code; only the hub's own word is kept.
        guard retry == code.retry else { return }
        again = Encode.error(id: id, ErrorReply(code: code, detail: detail))
    case .event(let channel, let seq, let type, let time, let data):
        again = Encode.event(channel: channel, seq: seq, type: type, time: time, data: data.serialized())
    case .state(let channel, let type, let time, let data):
        again = Encode.state(channel: channel, type: type, time: time, data: data.serialized())
    case .positions(let channel, let time, let gone, let data):
        again = JSONValue.object([
            "ch": .string(channel), "type": "positions", "time": .number(Double(time)),
            "gone": .array(gone.map { .string($0) }), "data": data,
        ]).serialized()
    case .gap(let channel): again = Encode.gap(channel: channel)
    case .snapshot(let channel, let time, let data):
        again = Encode.snapshot(channel: channel, time: time, data: data.serialized())
    }
    require((try? decodeServer(again)) == message, "the message changed by writing and reading it")
}

/// A row that is understood can be written, and is understood again.
private func checkRow(_ value: JSONValue) {
    guard let row = PositionRow(value) else { return }
    var writer = JSONWriter()
    row.encode(into: &writer)
    guard let again = try? JSONValue(parsing: writer.bytes), let second = PositionRow(again) else {
        fatalError("a row can't be read")
    }
    require(second.id == row.id && second.rest == row.rest, "the row changed by writing and reading it")
}

/// A number is the one that `strtod` reads: the one that stands there, and some with digits and exponents of its bytes.
private func checkNumber(_ bytes: UnsafeRawBufferPointer) {
    var reader = JSONReader(bytes)
    if (try? reader.number()) != nil { checkNumber(Array(bytes[..<reader.offset])) }

    guard bytes.count >= 9 else { return }
    let digits = bytes.loadUnaligned(as: UInt64.self)
    for shift in stride(from: 0, to: 64, by: 7) {
        checkNumber(Array("\(digits >> UInt64(shift))e\(Int(bytes[8] % 48) - 24)".utf8))
    }
}

private func checkNumber(_ text: [UInt8]) {
    guard
        let number = text.withUnsafeBytes({ bytes in
            var reader = JSONReader(bytes)
            return try? reader.number()
        })
    else { fatalError("a number can't be read") }
    let expected = (text + [0]).withUnsafeBytes { bytes in
        bytes.withMemoryRebound(to: CChar.self) { strtod($0.baseAddress!, nil) }
    }
    require(number.double.bitPattern == expected.bitPattern, "another number than strtod's")
    if let integer = number.integer {
        require(Double(integer) == expected, "another whole number than strtod's")
    }
}

/// Any text and any double can be written so that it is read as the same.
private func checkWriter(_ bytes: UnsafeRawBufferPointer) {
    let text = String(decoding: bytes, as: UTF8.self)
    var writer = JSONWriter()
    writer.string(text)
    guard let string = try? JSONValue(parsing: writer.bytes) else { fatalError("a string can't be read") }
    require(string.text?.utf8.elementsEqual(text.utf8) == true, "a string changed")

    guard bytes.count >= 8 else { return }
    let double = bytes.loadUnaligned(as: Double.self)
    writer.removeAll()
    writer.beginArray()
    writer.double(double)
    for places in 0...6 { writer.decimal(double, places: places) }
    writer.endArray()
    guard let numbers = try? JSONValue(parsing: writer.bytes) else { fatalError("a number can't be read") }
    require(double.isFinite ? numbers[0]?.double == double : numbers[0]?.isNull == true, "a number changed")
}

/// A precondition whose message is printed in optimised builds too.
private func require(_ condition: Bool, _ fault: StaticString) {
    if !condition { fatalError("\(fault)") }
}
