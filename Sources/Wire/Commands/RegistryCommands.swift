/// Who drives, and with what: the records that operators keep.
public enum RegistryCommand: CommandGroup {
    /// Replaces the record whole.
    case setDriver(DriverRecord)
    case driver(String)
    /// `from`: where the page begins, as `next` of the page before has it. `endsBy` (YYYY-MM-DD): only those one of whose papers ends by then.
    /// 1–100 records.
    case drivers(from: String?, limit: Int, endsBy: String?)
    case removeDriver(String)
    /// Replaces the record whole. `newCode`: the sign that the vehicle has is worth nothing from now on.
    case setVehicle(VehicleRecord, newCode: Bool)
    case vehicle(String)
    case vehicles(from: String?, limit: Int)
    case removeVehicle(String)

    public static let entries = 50

    static let kinds: [CommandKind<RegistryCommand>] = [
        CommandKind(
            "drivers.set", [.operator], .city, DriverRecord.fields, make: RegistryCommand.setDriver,
            take: { if case .setDriver(let record) = $0 { record } else { nil } }),
        CommandKind(
            "drivers.get", [.operator], .city, Field.required("driver", .word), make: RegistryCommand.driver,
            take: { if case .driver(let id) = $0 { id } else { nil } }),
        CommandKind(
            "drivers.list", [.operator], .city, Field.optional("from", .page),
            Field.optional("limit", .records, absent: entries), Field.optional("ends_by", .day),
            make: RegistryCommand.drivers,
            take: { if case .drivers(let from, let limit, let date) = $0 { (from, limit, date) } else { nil } }),
        CommandKind(
            "drivers.remove", [.operator], .city, Field.required("driver", .word), make: RegistryCommand.removeDriver,
            take: { if case .removeDriver(let id) = $0 { id } else { nil } }),
        CommandKind(
            "vehicles.set", [.operator], .city, VehicleRecord.fields,
            Field.optional("new_code", FlagKind(), absent: false), make: RegistryCommand.setVehicle,
            take: { if case .setVehicle(let record, let isNew) = $0 { (record, isNew) } else { nil } }),
        CommandKind(
            "vehicles.get", [.operator], .city, Field.required("vehicle", .catalogID), make: RegistryCommand.vehicle,
            take: { if case .vehicle(let id) = $0 { id } else { nil } }),
        CommandKind(
            "vehicles.list", [.operator], .city, Field.optional("from", .page),
            Field.optional("limit", .records, absent: entries), make: RegistryCommand.vehicles,
            take: { if case .vehicles(let from, let limit) = $0 { (from, limit) } else { nil } }),
        CommandKind(
            "vehicles.remove", [.operator], .city, Field.required("vehicle", .catalogID),
            make: RegistryCommand.removeVehicle,
            take: { if case .removeVehicle(let id) = $0 { id } else { nil } }),
    ]
}

/// What the office knows of a driver. Dates are YYYY-MM-DD, the last day on which a paper is valid, by the city's clock.
public struct DriverRecord: Equatable, Sendable {
    /// The subject of its token; of a taxi and a minibus also the vehicle's name.
    public var driver: String
    /// 1–80 bytes.
    public var name: String
    public var phone: String?
    public var company: String?
    /// An https URL.
    public var photo: String?
    /// Its number.
    public var licence: String?
    public var licenceUntil: String?
    public var medicalUntil: String?
    /// Of a registered vehicle that the driver drives; nil: the one that has the driver's id.
    public var vehicle: String?
    /// Words such as `wheelchair`.
    public var capabilities: [String]?

    public init(driver: String, name: String) {
        self.driver = driver
        self.name = name
    }
}

/// What the office knows of a vehicle.
public struct VehicleRecord: Equatable, Sendable {
    public var vehicle: String
    /// The number plate, 1–16 bytes.
    public var plate: String
    /// The number under which the authority has registered it.
    public var registration: String?
    /// Who operates it.
    public var company: String?
    public var model: String?
    public var colour: String?
    /// Words such as `wheelchair`.
    public var capabilities: [String]?

    public init(vehicle: String, plate: String) {
        self.vehicle = vehicle
        self.plate = plate
    }
}

extension DriverRecord {
    static let fields = Fields(
        Field.required("driver", .word),
        Field.required(
            "name", ProseKind(limit: WireLimits.personNameBytes, expected: "a name, 1 to 80 bytes of text on one line")),
        Field.optional(
            "phone", ProseKind(limit: WireLimits.phoneNumberBytes, expected: "a number to call, 1 to 32 bytes")),
        Field.optional("company", .label), Field.optional("photo", .picture), Field.optional("licence", .number),
        Field.optional("licence_until", .day), Field.optional("medical_until", .day),
        Field.optional("vehicle", .catalogID), Field.optional("capabilities", CapabilitiesKind()),
        make: { driver, name, phone, company, photo, licence, licenceUntil, medicalUntil, vehicle, capabilities in
            var record = DriverRecord(driver: driver, name: name)
            (record.phone, record.company, record.photo, record.licence) = (phone, company, photo, licence)
            (record.licenceUntil, record.medicalUntil) = (licenceUntil, medicalUntil)
            (record.vehicle, record.capabilities) = (vehicle, capabilities)
            return record
        },
        take: {
            (
                $0.driver, $0.name, $0.phone, $0.company, $0.photo, $0.licence, $0.licenceUntil, $0.medicalUntil,
                $0.vehicle, $0.capabilities
            )
        })

    /// The record as JSON, as the functions keep it.
    public var json: [UInt8] { RegistryCommand.object { Self.fields.write(self, &$0) } }
}

extension VehicleRecord {
    static let fields = Fields(
        Field.required("vehicle", .catalogID),
        Field.required("plate", ProseKind(limit: 16, expected: "a number plate, 1 to 16 bytes of text on one line")),
        Field.optional("registration", .number), Field.optional("company", .label), Field.optional("model", .label),
        Field.optional("colour", ProseKind(limit: 32, expected: "1 to 32 bytes of text on one line")),
        Field.optional("capabilities", CapabilitiesKind()),
        make: { vehicle, plate, registration, company, model, colour, capabilities in
            var record = VehicleRecord(vehicle: vehicle, plate: plate)
            (record.registration, record.company, record.model) = (registration, company, model)
            (record.colour, record.capabilities) = (colour, capabilities)
            return record
        },
        take: { ($0.vehicle, $0.plate, $0.registration, $0.company, $0.model, $0.colour, $0.capabilities) })

    /// The record as JSON, as the functions keep it.
    public var json: [UInt8] { RegistryCommand.object { Self.fields.write(self, &$0) } }
}

extension RegistryCommand {
    fileprivate static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        members(&json)
        json.endObject()
        return json.bytes
    }

    /// A record that came as fields of text, such as a row of a table. Throws the refusal that the command would get.
    public static func reading(_ command: String, fields: [UInt8]) throws(ErrorReply) -> RegistryCommand {
        switch fields.withUnsafeBytes({ decode(fields: $0, of: command, key: nil) }) {
        case .message(let message):
            guard case .registry(let command) = message.command else {
                throw ErrorReply(code: .unknownCommand, detail: "\(command) is no command of the registry")
            }
            return command
        case .refused(_, let error): throw error
        }
    }
}

extension FieldKind where Self == ProseKind {
    fileprivate static var label: ProseKind { ProseKind(limit: 80, expected: "1 to 80 bytes of text on one line") }
    fileprivate static var number: ProseKind {
        ProseKind(limit: 40, expected: "a number of papers, 1 to 40 bytes of text on one line")
    }
}

extension FieldKind where Self == TextKind {
    fileprivate static var page: TextKind {
        TextKind(.visible, upTo: 80, "where a page begins, as `next` has it")
    }
}

extension FieldKind where Self == WholeKind<Int> {
    fileprivate static var records: WholeKind<Int> { WholeKind(1...100, "a whole number from 1 to 100") }
}

/// A text of a form that one function knows.
private struct FormKind: FieldKind {
    let expected: StaticString
    let isSuch: @Sendable (UnsafeRawBufferPointer) -> Bool

    func read(_ name: StaticString, _ slot: Envelope.Slot, of object: Envelope) throws(ErrorReply) -> String {
        guard slot.kind == .string, object.reader.withBytes(slot.token, isSuch) else {
            throw object.refusal(name, expected)
        }
        return object.reader.text(slot.token)
    }

    func write(_ value: String, into writer: inout JSONWriter) { writer.string(value) }
}

extension FieldKind where Self == FormKind {
    /// YYYY-MM-DD.
    fileprivate static var day: FormKind {
        FormKind(expected: "a day of the calendar from 1970 to 2999, as 2026-11-21", isSuch: isDay)
    }

    /// At an https URL, whose host a page may name as a source of pictures.
    fileprivate static var picture: FormKind {
        FormKind(expected: "an https URL, as https://host/path, of 500 bytes at most", isSuch: isPicture)
    }
}

private func isDay(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return false }
    func number(_ range: Range<Int>) -> Int? {
        var value = 0
        for byte in bytes[range] {
            guard byte >= 48, byte <= 57 else { return nil }
            value = value * 10 + Int(byte - 48)
        }
        return value
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
        (1970...2999).contains(year), (1...12).contains(month)
    else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (1...days[month - 1]).contains(day)
}

private func isPicture(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let scheme = Array("https://".utf8)
    guard bytes.count <= 500, bytes.starts(with: scheme) else { return false }
    let rest = bytes[scheme.count...]
    let host = rest.prefix { $0 != UInt8(ascii: "/") }
    let isHost =
        !host.isEmpty && host.count < rest.count
        && host.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"):
                true
            default: false
            }
        }
    let quotes: [UInt8] = Array("\"'<>\\^`{|}".utf8)
    return isHost && rest.allSatisfy { $0 > 0x20 && $0 < 0x7F && !quotes.contains($0) }
}
