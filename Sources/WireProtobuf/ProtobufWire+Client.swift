import Wire

/// `ClientMessage` of kerbside.proto, written as the JSON that says the same: each field as the member of its name. A field that
/// comes twice counts with its last value, as in JSON.
extension ProtobufWire {
    /// What must be known of a command besides its JSON.
    struct Head {
        /// Longer must its JSON not become.
        let mostBytes: Int
        /// In all its messages within messages; a way of 50 points has 161. Elsewhere a field of two bytes has 17 as JSON.
        var fieldsLeft = 256
        /// Set as soon as it was read: a refusal carries it.
        var id: UInt64?
        var setsRoute = false
        var hasRoute = false

        /// Looks at a field whose value comes next.
        mutating func note(_ field: ProtobufSchema.Field, _ reader: ProtobufReader) throws(ProtobufFault) {
            var reader = reader
            switch field.name {
            case "id": id = try reader.integer(field.name)
            case "cmd": setsRoute = try reader.text(field.name).elementsEqual("route.set".utf8)
            case "route": hasRoute = true
            default: break
            }
        }
    }

    static func transcribe(
        _ bytes: UnsafeRawBufferPointer, into json: inout JSONWriter, _ head: inout Head
    ) throws(ProtobufFault) {
        json.beginObject()
        try members(of: ProtobufReader(bytes), ProtobufSchema.ofTheContract.clientMessage, &head, &json)
        // JSON says null for no route, which is absence here.
        if head.setsRoute, !head.hasRoute {
            json.key("route")
            json.null()
        }
        json.endObject()
    }

    private static func members(
        of message: ProtobufReader, _ kind: Int, _ head: inout Head, _ json: inout JSONWriter
    ) throws(ProtobufFault) {
        let schema = ProtobufSchema.ofTheContract
        var reader = message
        /// A bit for each field with elements, by its number: they may stand anywhere in the message.
        var lists: UInt128 = 0
        while let number = try reader.nextField() {
            head.fieldsLeft -= 1
            guard head.fieldsLeft >= 0 else { throw reader.fault(.tooManyFields) }
            guard let field = schema.field(number, of: kind) else {
                try reader.skip()
                continue
            }
            if field.isNoted { try head.note(field, reader) }
            switch (field.kind, field.isRepeated) {
            case (.text, true):
                _ = try reader.text(field.name)
                lists |= 1 << UInt128(number)
            case (_, true), (.map, _):
                _ = try reader.message(field.name)
                lists |= 1 << UInt128(number)
            default:
                json.key(escaping: field.name)
                try value(field, &reader, &head, &json)
            }
        }
        while lists != 0 {
            let number = UInt32(lists.trailingZeroBitCount)
            lists &= lists - 1
            if let field = schema.field(number, of: kind) { try elements(of: field, in: message, &head, &json) }
        }
    }

    private static func value(
        _ field: ProtobufSchema.Field, _ reader: inout ProtobufReader, _ head: inout Head, _ json: inout JSONWriter
    ) throws(ProtobufFault) {
        switch field.kind {
        case .text: json.string(checkedUTF8: try reader.text(field.name))
        case .unsigned32, .unsigned64: json.integer(Int64(clamping: try reader.integer(field.name)))
        case .signed32:
            let bits = try reader.integer(field.name)
            json.integer(Int64(bitPattern: bits >> 1) ^ -Int64(bits & 1))
        case .double: json.exact(try reader.double(field.name))
        case .flag: json.bool(try reader.integer(field.name) != 0)
        case .bytes: json.raw(try checkedJSON(field.name, &reader))
        case .map: try entry(field, &reader, &json)
        case .message(let kind):
            let message = try reader.message(field.name)
            json.beginObject()
            do throws(ProtobufFault) {
                try members(of: message, kind, &head, &json)
            } catch {
                throw error.within(field.name)
            }
            json.endObject()
        }
        if json.bytes.count > head.mostBytes { throw reader.fault(.tooLong, field.name) }
    }

    /// A list, or the entries of a map.
    private static func elements(
        of field: ProtobufSchema.Field, in message: ProtobufReader, _ head: inout Head, _ json: inout JSONWriter
    ) throws(ProtobufFault) {
        var reader = message
        json.key(escaping: field.name)
        if field.isRepeated { json.beginArray() } else { json.beginObject() }
        while let number = try reader.nextField() {
            if number == field.number { try value(field, &reader, &head, &json) } else { try reader.skip() }
        }
        if field.isRepeated { json.endArray() } else { json.endObject() }
    }

    private static func entry(_ field: ProtobufSchema.Field, _ reader: inout ProtobufReader, _ json: inout JSONWriter)
        throws(ProtobufFault)
    {
        var entry = try reader.message(field.name)
        var key = UnsafeRawBufferPointer(start: nil, count: 0)
        var text = key
        while let part = try entry.nextField() {
            switch part {
            case 1: key = try entry.text(field.name)
            case 2: text = try entry.text(field.name)
            default: try entry.skip()
            }
        }
        json.key(checkedUTF8: key)
        json.string(checkedUTF8: text)
    }

    /// JSON within the message goes over as it is, so it must be one value and nothing else.
    private static func checkedJSON(
        _ name: String, _ reader: inout ProtobufReader
    ) throws(ProtobufFault) -> UnsafeRawBufferPointer {
        let bytes = try reader.bytes(name)
        var json = JSONReader(bytes)
        do throws(WireError) {
            try json.skipValue()
            try json.finish()
        } catch {
            throw reader.fault(.badJSON, name)
        }
        return bytes
    }
}

extension JSONWriter {
    /// The double in up to 18 digits, the rest cut off. That is less than 1e-17 of it, and the next double is at least
    /// 1.1e-16 of it away: it reads back as the very same. `double` writes fewer digits, and needs memory for it.
    mutating func exact(_ value: Double) {
        let scaled = (value * 1e6).rounded()
        let isShort = scaled.magnitude < 0x1p53 && scaled / 1e6 == value
        // Beyond this range stands nothing that the contract allows but in theory.
        guard !isShort, value.magnitude >= 1e-6, value.magnitude < 0x1p49 else { return double(value) }
        withUnsafeTemporaryAllocation(byteCount: 48, alignment: 1) { buffer in
            let count = Self.writeDigits(of: value, into: buffer)
            raw(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// The value is the significand divided by 2^shift: its whole part first, then one digit after another.
    private static func writeDigits(of value: Double, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let shift = UInt128(52 - Int(value.exponent))
        let significand = UInt128(value.significandBitPattern | 1 << 52)
        let whole = UInt64(significand &>> shift)
        var fraction = significand & ((1 as UInt128) &<< shift - 1)
        var count = 0
        var significant = 0
        if value < 0 {
            buffer[0] = UInt8(ascii: "-")
            count = 1
        }
        var unit: UInt64 = 1
        while whole / unit >= 10 { unit *= 10 }
        while unit > 0 {
            buffer[count] = UInt8(ascii: "0") + UInt8(whole / unit % 10)
            count += 1
            if whole > 0 { significant += 1 }
            unit /= 10
        }
        buffer[count] = UInt8(ascii: ".")
        count += 1
        repeat {
            fraction *= 10
            let digit = UInt8(truncatingIfNeeded: fraction &>> shift)
            fraction &= (1 as UInt128) &<< shift - 1
            buffer[count] = UInt8(ascii: "0") + digit
            count += 1
            if significant > 0 || digit > 0 { significant += 1 }
        } while fraction > 0 && significant < 18
        return count
    }
}
