import Wire

/// `ClientMessage` of kerbside.proto, written as the JSON that says the same. Field numbers as there. A field that comes
/// twice counts with its last value, as in JSON.
extension ProtobufWire {
    /// Writes the message into `json`, and its id into `id` as soon as it was read.
    func transcribe(_ bytes: UnsafeRawBufferPointer, _ id: inout UInt64?) throws(ProtobufFault) {
        var reader = ProtobufReader(bytes)
        var hasResume = false
        var hasHelp = false
        var hasRoute = false
        var hasVia = false
        var hasMute = false
        var setsRoute = false
        json.beginObject()
        while let field = try reader.nextField() {
            switch field {
            case 1:
                let number = try reader.integer("id")
                id = number
                integer("id", number)
            case 2:
                let name = try reader.text("cmd")
                setsRoute = name.count == 9 && name.elementsEqual("route.set".utf8)
                text("cmd", name)
            case 3: text("key", try reader.text("key"))
            case 4: double("lat", try reader.double("lat"))
            case 5: double("lon", try reader.double("lon"))
            case 6: integer("at", try reader.integer("at"))
            case 7: double("heading", try reader.double("heading"))
            case 8: double("speed", try reader.double("speed"))
            case 9: double("accuracy", try reader.double("accuracy"))
            case 10: text("ride", try reader.text("ride"))
            case 11: integer("passengers", try reader.integer("passengers"))
            case 12: try point("destination", reader.message("destination"), "destination.lat", "destination.lon")
            case 13: text("channel", try reader.text("channel"))
            case 14: text("token", try reader.text("token"))
            case 15:
                _ = try reader.message("resume")
                hasResume = true
            case 16: double("radius", try reader.double("radius"))
            case 17: try filter(reader.message("filter"))
            case 18: double("max_rate", try reader.double("max_rate"))
            case 19: text("since", try reader.text("since"))
            case 20: integer("taken", try reader.integer("taken"))
            case 21:
                hasRoute = true
                text("route", try reader.text("route"))
            case 22: text("type", try reader.text("type"))
            case 23: value("data", try Self.checkedJSON("data", &reader))
            case 50: text("bus", try reader.text("bus"))
            case 51: text("line", try reader.text("line"))
            case 52: text("pattern", try reader.text("pattern"))
            case 53: text("trip", try reader.text("trip"))
            case 54: text("tour", try reader.text("tour"))
            case 55: flag("skip", try reader.integer("skip"))
            case 60: text("stop", try reader.text("stop"))
            case 61: text("name", try reader.text("name"))
            case 62: text("number", try reader.text("number"))
            case 63: text("address", try reader.text("address"))
            case 64:
                _ = try reader.text("help")
                hasHelp = true
            case 65: try back(reader.message("back"))
            case 66: text("request", try reader.text("request"))
            case 67: flag("all", try reader.integer("all"))
            case 30: text("booking", try reader.text("booking"))
            case 31: text("vehicle", try reader.text("vehicle"))
            case 32: try point("pickup", reader.message("pickup"), "pickup.lat", "pickup.lon")
            case 33: text("reason", try reader.text("reason"))
            case 34: try point("start", reader.message("start"), "start.lat", "start.lon")
            case 35:
                _ = try reader.message("via")
                hasVia = true
            case 36: try point("end", reader.message("end"), "end.lat", "end.lon")
            case 37:
                _ = try reader.text("mute")
                hasMute = true
            case 38: try quiet(reader.message("quiet"))
            default: try reader.skip()
            }
        }
        if hasHelp { try list("help", of: 64, in: ProtobufReader(bytes)) }
        if hasResume { try resume(ProtobufReader(bytes)) }
        if hasVia { try via(ProtobufReader(bytes)) }
        if hasMute { try list("mute", of: 37, in: ProtobufReader(bytes)) }
        // JSON says null for no route, which is absence here.
        if setsRoute, !hasRoute {
            json.key("route")
            json.null()
        }
        json.endObject()
    }

    private func integer(_ name: StaticString, _ number: UInt64) {
        json.key(name)
        json.integer(Int64(clamping: number))
    }

    private func flag(_ name: StaticString, _ number: UInt64) {
        json.key(name)
        json.bool(number != 0)
    }

    private func double(_ name: StaticString, _ number: Double) {
        json.key(name)
        json.exact(number)
    }

    private func text(_ name: StaticString, _ text: UnsafeRawBufferPointer) {
        json.key(name)
        json.string(checkedUTF8: text)
    }

    private func value(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
        json.key(name)
        json.raw(value)
    }

    /// JSON within the message goes over as it is, so it must be one value and nothing else.
    private static func checkedJSON(
        _ name: StaticString, _ reader: inout ProtobufReader
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

    private func point(
        _ name: StaticString, _ reader: ProtobufReader, _ lat: StaticString, _ lon: StaticString
    ) throws(ProtobufFault) {
        json.key(name)
        try point(reader, lat, lon)
    }

    private func point(
        _ reader: ProtobufReader, _ lat: StaticString, _ lon: StaticString
    ) throws(ProtobufFault) {
        var reader = reader
        json.beginObject()
        while let field = try reader.nextField() {
            switch field {
            case 1: double("lat", try reader.double(lat))
            case 2: double("lon", try reader.double(lon))
            default: try reader.skip()
            }
        }
        json.endObject()
    }

    private func back(_ reader: ProtobufReader) throws(ProtobufFault) {
        var reader = reader
        json.key("back")
        json.beginObject()
        while let field = try reader.nextField() {
            switch field {
            case 1: text("stop", try reader.text("back.stop"))
            case 2: double("lat", try reader.double("back.lat"))
            case 3: double("lon", try reader.double("back.lon"))
            case 4: integer("at", try reader.integer("back.at"))
            case 5: integer("passengers", try reader.integer("back.passengers"))
            default: try reader.skip()
            }
        }
        json.endObject()
    }

    private func quiet(_ reader: ProtobufReader) throws(ProtobufFault) {
        var reader = reader
        json.key("quiet")
        json.beginObject()
        while let field = try reader.nextField() {
            switch field {
            case 1: integer("from", try reader.integer("quiet.from"))
            case 2: integer("to", try reader.integer("quiet.to"))
            case 3: text("time_zone", try reader.text("quiet.time_zone"))
            default: try reader.skip()
            }
        }
        json.endObject()
    }

    /// The way points, which may stand anywhere in the message.
    private func via(_ reader: ProtobufReader) throws(ProtobufFault) {
        var reader = reader
        json.key("via")
        json.beginArray()
        while let field = try reader.nextField() {
            if field == 35 {
                try point(reader.message("via"), "via.lat", "via.lon")
            } else {
                try reader.skip()
            }
        }
        json.endArray()
    }

    private func filter(_ reader: ProtobufReader) throws(ProtobufFault) {
        json.key("filter")
        json.beginObject()
        var fields = reader
        var kinds = 0
        var states = 0
        while let field = try fields.nextField() {
            switch field {
            case 1:
                _ = try fields.text("filter.kind")
                kinds += 1
            case 2:
                _ = try fields.text("filter.state")
                states += 1
            case 3: integer("seats", try fields.integer("filter.seats"))
            case 4: text("route", try fields.text("filter.route"))
            default: try fields.skip()
            }
        }
        if kinds > 0 { try list("kind", of: 1, in: reader) }
        if states > 0 { try list("state", of: 2, in: reader) }
        json.endObject()
    }

    /// The elements of a repeated text, which may stand anywhere in the message.
    private func list(_ name: StaticString, of number: UInt32, in reader: ProtobufReader) throws(ProtobufFault) {
        var reader = reader
        json.key(name)
        json.beginArray()
        while let field = try reader.nextField() {
            if field == number {
                json.string(checkedUTF8: try reader.text(name))
            } else {
                try reader.skip()
            }
        }
        json.endArray()
    }

    /// The entries of the map, which may stand anywhere in the message.
    private func resume(_ reader: ProtobufReader) throws(ProtobufFault) {
        var reader = reader
        json.key("resume")
        json.beginObject()
        while let field = try reader.nextField() {
            guard field == 15 else {
                try reader.skip()
                continue
            }
            var entry = try reader.message("resume")
            let none = UnsafeRawBufferPointer(start: nil, count: 0)
            var channel = none
            var seq = none
            while let part = try entry.nextField() {
                switch part {
                case 1: channel = try entry.text("resume")
                case 2: seq = try entry.text("resume")
                default: try entry.skip()
                }
            }
            json.key(checkedUTF8: channel)
            json.string(checkedUTF8: seq)
        }
        json.endObject()
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
