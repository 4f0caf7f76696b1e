import Domain
import Testing
import Wire

/// What a client makes of the messages of one feed: the vehicles as it believes them to be.
struct FeedReader {
    struct Vehicle: Equatable {
        var lat5: Int
        var lon5: Int
        var heading: Int?
        var at: Int64
        var state: VehicleState
        var kind: VehicleKind
        var seats: Int?
        var freshness: Freshness
        var route: String?
    }

    private(set) var vehicles: [String: Vehicle] = [:]
    /// Ids of the last message's rows.
    private(set) var told: [String] = []
    private(set) var wasSnapshot = false
    /// Of Protocol Buffers: whose number it is, and from where it counts.
    private var numbers: [UInt64: (id: String, lat: Int, lon: Int)] = [:]

    mutating func read(_ payload: [UInt8], _ encoding: FeedEncoding, channel: String) throws {
        told = []
        switch encoding {
        case .json: try readJSON(payload, channel)
        case .protobuf: try readProtobuf(payload, channel)
        }
    }

    private mutating func readJSON(_ payload: [UInt8], _ channel: String) throws {
        let message = try JSONValue(parsing: payload)
        #expect(message["ch"]?.text == channel)
        let time = try #require(message["time"]?.integer)
        let type = try #require(message["type"]?.text)
        wasSnapshot = type == "snapshot"
        #expect(wasSnapshot || type == "positions")
        if wasSnapshot { vehicles = [:] }
        let gone = message["gone"]?.elements ?? []
        #expect(message["gone"] == nil || !gone.isEmpty)
        for id in gone {
            let known = vehicles.removeValue(forKey: try #require(id.text))
            #expect(known != nil, "gone was never there")
        }
        let rows = try #require(message["data"]?.elements)
        #expect(wasSnapshot || !rows.isEmpty || !gone.isEmpty)
        for value in rows {
            let row = try #require(PositionRow(value))
            told.append(row.id)
            let (lat5, lon5) = (Int((row.lat * 1e5).rounded()), Int((row.lon * 1e5).rounded()))
            switch row.rest {
            case .full(let full):
                vehicles[row.id] = Vehicle(
                    lat5: lat5, lon5: lon5, heading: row.heading.map { Int($0) }, at: full.at, state: full.state,
                    kind: full.kind, seats: full.seats, freshness: full.freshness, route: full.route)
            case .moved(let age):
                var vehicle = try #require(vehicles[row.id], "a short row of an unknown vehicle")
                vehicle.lat5 = lat5
                vehicle.lon5 = lon5
                vehicle.heading = row.heading.map { Int($0) }
                vehicle.at = time - age
                vehicles[row.id] = vehicle
            }
        }
    }

    private mutating func readProtobuf(_ payload: [UInt8], _ channel: String) throws {
        var outer = ProtobufFields(payload[...])
        let first = outer.next()
        let (field, message) = try #require(first)
        #expect(field == 15 && outer.isAtEnd)
        var fields = ProtobufFields(message.bytes)
        var time: Int64 = 0
        wasSnapshot = false
        var (gone, full, moved): ([UInt64], [ArraySlice<UInt8>], [UInt64]) = ([], [], [])
        while let (field, value) = fields.next() {
            switch field {
            case 1: #expect(String(decoding: value.bytes, as: UTF8.self) == channel)
            case 2: time = Int64(value.number)
            case 3: wasSnapshot = value.number == 1
            case 4: gone += ProtobufFields.varints(value.bytes)
            case 5: full.append(value.bytes)
            case 6: moved += ProtobufFields.varints(value.bytes)
            default: Issue.record("field \(field)")
            }
        }
        #expect(fields.isAtEnd)
        if wasSnapshot { (vehicles, numbers) = ([:], [:]) }
        for number in gone {
            let known = numbers.removeValue(forKey: number)
            let id = try #require(known, "gone was never there").id
            vehicles[id] = nil
        }
        for bytes in full { try announce(bytes) }
        #expect(moved.count % 5 == 0)
        for start in stride(from: 0, to: moved.count, by: 5) {
            let known = try #require(numbers[moved[start]], "an unknown number moved")
            told.append(known.id)
            vehicles[known.id]?.lat5 = known.lat + Int(moved[start + 1])
            vehicles[known.id]?.lon5 = known.lon + Int(moved[start + 2])
            vehicles[known.id]?.heading = moved[start + 3] == 0 ? nil : Int(moved[start + 3] - 1) * 3
            vehicles[known.id]?.at = time - Int64(moved[start + 4]) * 10
        }
    }

    private mutating func announce(_ bytes: ArraySlice<UInt8>) throws {
        var values = [UInt64](repeating: 0, count: 14)
        var (id, route): (String, String?) = ("", nil)
        var fields = ProtobufFields(bytes)
        while let (field, value) = fields.next() {
            switch field {
            case 2: id = String(decoding: value.bytes, as: UTF8.self)
            case 13: route = String(decoding: value.bytes, as: UTF8.self)
            default: values[field] = value.number
            }
        }
        #expect(fields.isAtEnd && !id.isEmpty)
        func signed(_ value: UInt64) -> Int { Int(value >> 1) ^ -Int(value & 1) }
        let corner = (lat: signed(values[3]), lon: signed(values[4]))
        let other = numbers.first { $0.value.id == id && $0.key != values[1] }
        #expect(other == nil, "a vehicle has two numbers")
        #expect(numbers[values[1]] == nil || numbers[values[1]]?.id == id, "a number of two vehicles")
        numbers[values[1]] = (id, corner.lat, corner.lon)
        told.append(id)
        vehicles[id] = Vehicle(
            lat5: corner.lat + Int(values[5]), lon5: corner.lon + Int(values[6]),
            heading: values[7] == 0 ? nil : Int(values[7] - 1) * 3, at: Int64(values[10]),
            state: try #require(VehicleState(rawValue: UInt8(values[8]))),
            kind: try #require(VehicleKind(rawValue: UInt8(values[12]))),
            seats: values[9] == 0 ? nil : Int(values[9] - 1),
            freshness: try #require(Freshness(rawValue: UInt8(values[11]))), route: route)
    }
}

/// The fields of a message of Protocol Buffers.
struct ProtobufFields {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// Number and value; nil at the end, or where the bytes are none.
    mutating func next() -> (field: Int, value: (number: UInt64, bytes: ArraySlice<UInt8>))? {
        guard let tag = Self.varint(&rest) else { return nil }
        guard let number = Self.varint(&rest) else { return nil }
        if tag & 7 == 0 { return (Int(tag >> 3), (number, [])) }
        guard tag & 7 == 2, Int(number) <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(number)) }
        return (Int(tag >> 3), (0, rest.prefix(Int(number))))
    }

    static func varints(_ bytes: ArraySlice<UInt8>) -> [UInt64] {
        var (rest, numbers): (ArraySlice<UInt8>, [UInt64]) = (bytes, [])
        while let number = varint(&rest) { numbers.append(number) }
        return numbers
    }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = bytes.popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
