import Wire

extension RoundTripTests {
    static let fullDriver = {
        var record = DriverRecord(driver: "T1", name: "Ada")
        (record.phone, record.company, record.photo) = ("+39 02", "Rossi", "https://x.example:8443/a?b=1")
        (record.licence, record.licenceUntil, record.medicalUntil) = ("MI-1", "2027-11-20", "2028-02-29")
        (record.vehicle, record.capabilities) = ("V1", ["wheelchair", "dogs"])
        return record
    }()

    static let fullVehicle = {
        var record = VehicleRecord(vehicle: "V1", plate: "AB 123 CD")
        (record.registration, record.company, record.model) = ("MI-4711", "Rossi", "Skoda Octavia")
        (record.colour, record.capabilities) = ("white", ["child_seat"])
        return record
    }()

    static let registrySamples: [Command] = [
        .registry(.setDriver(DriverRecord(driver: "T1", name: "Zoë"))), .registry(.setDriver(fullDriver)),
        .registry(.driver("T1")), .registry(.removeDriver("T1")),
        .registry(.drivers(from: nil, limit: RegistryCommand.entries, endsBy: nil)),
        .registry(.drivers(from: "2028-02-29:T1", limit: 1, endsBy: "2028-02-29")),
        .registry(.setVehicle(VehicleRecord(vehicle: "#1/a", plate: "B-CD 12"), newCode: false)),
        .registry(.setVehicle(fullVehicle, newCode: true)), .registry(.vehicle("#1/a")),
        .registry(.removeVehicle("#1/a")), .registry(.vehicles(from: nil, limit: RegistryCommand.entries)),
        .registry(.vehicles(from: "V2", limit: 100)),
    ]
}

extension SeededGenerator {
    mutating func driversCommand() -> Command {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: return .registry(.setDriver(driverRecord()))
        case 1: return .registry(.driver(identifier()))
        case 2:
            return .registry(
                .drivers(
                    from: optional { $0.visible(upTo: 80) }, limit: .random(in: 1...100, using: &self),
                    endsBy: optional { $0.date() }))
        default: return .registry(.removeDriver(identifier()))
        }
    }

    mutating func vehiclesCommand() -> Command {
        switch Int.random(in: 0..<4, using: &self) {
        case 0:
            var record = VehicleRecord(vehicle: visible(upTo: 64), plate: visible(upTo: 16))
            record.registration = optional { $0.visible(upTo: 40) }
            record.company = optional { $0.visible(upTo: 80) }
            record.model = optional { $0.visible(upTo: 80) }
            record.colour = optional { $0.visible(upTo: 32) }
            record.capabilities = optional { _ in ["dogs"] }
            return .registry(.setVehicle(record, newCode: .random(using: &self)))
        case 1: return .registry(.vehicle(visible(upTo: 64)))
        case 2:
            return .registry(
                .vehicles(from: optional { $0.visible(upTo: 80) }, limit: .random(in: 1...100, using: &self)))
        default: return .registry(.removeVehicle(visible(upTo: 64)))
        }
    }

    private mutating func date() -> String {
        let year = Int.random(in: 1970...2999, using: &self)
        let day = Int.random(in: 10...28, using: &self)
        return "\(year)-0\(Int.random(in: 1...9, using: &self))-\(day)"
    }

    private mutating func driverRecord() -> DriverRecord {
        var record = DriverRecord(driver: identifier(), name: visible(upTo: 80))
        record.phone = optional { $0.visible(upTo: 32) }
        record.company = optional { $0.visible(upTo: 80) }
        record.photo = optional { _ in "https://x.example/a.jpg" }
        record.licence = optional { $0.visible(upTo: 40) }
        record.licenceUntil = optional { $0.date() }
        record.medicalUntil = optional { $0.date() }
        record.vehicle = optional { $0.visible(upTo: 64) }
        record.capabilities = optional { _ in ["wheelchair", "a-b_1"] }
        return record
    }
}
