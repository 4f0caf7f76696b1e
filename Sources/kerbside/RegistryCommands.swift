import ArgumentParser
import Foundation
import Hub
import QRCode
import Settings
import Wire

struct Drivers: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keeps the records of drivers: licence and medical certificate, company, picture.",
        discussion: """
            The hub must be running here; operators elsewhere send drivers.set and its like. Past the last day of a paper \
            its driver can't go available. Every change has its entry in the audit (kerbside audit).
            """,
        subcommands: [List.self, Show.self, Change.self, Remove.self, Import.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the drivers, or those whose papers end.")
        @OptionGroup var options: ConfigOptions
        @Option(help: "Only those one of whose papers ends by this day, as 2027-02-28; the first to end comes first.")
        var endsBy: String?
        @Flag(help: "Each record as a JSON object on a line.") var json = false

        func run() throws {
            let endsBy = endsBy
            let records = try RegistryOffice.all("drivers", options) { from in
                try RegistryOffice.read(
                    "drivers.list",
                    [("from", from), ("ends_by", endsBy)].compactMap { name, value in value.map { (name, $0) } })
            }
            guard !json else { return RegistryOffice.printJSON(records) }
            let today = RegistryOffice.today
            for record in records {
                func text(_ field: String) -> String? { record[field]?.text }
                let papers = [("licence", text("licence_until")), ("medical certificate", text("medical_until"))]
                    .map { "\($0) until \($1 ?? "–")\($1.map { $0 < today } == true ? " (ended)" : "")" }
                let parts = [text("name"), text("company"), text("vehicle").map { "vehicle \($0)" }].compactMap { $0 }
                Terminal.line("\(text("driver") ?? ""): \((parts + papers).joined(separator: ", "))")
            }
            Terminal.line(records.count == 1 ? "1 driver" : "\(records.count) drivers")
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows a driver's record.")
        @OptionGroup var options: ConfigOptions
        @Argument(help: "The driver's id: the subject of its token.") var driver: String

        func run() throws { try RegistryOffice.show(.drivers, driver, options) }
    }

    struct Change: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Registers a driver, or changes what is given of its record.",
            discussion: "What is not given stays; an empty text takes it out.")
        @OptionGroup var options: ConfigOptions
        @Argument(help: "The driver's id: the subject of its token.") var driver: String
        @Option(help: "As passengers are shown it.") var name: String?
        @Option(help: "A number to call, for the office alone.") var phone: String?
        @Option(help: "Who operates the vehicle.") var company: String?
        @Option(help: "An https URL of a picture.") var photo: String?
        @Option(help: "The number of the licence.") var licence: String?
        @Option(help: "The last day of the licence, as 2027-11-20.") var licenceUntil: String?
        @Option(help: "The last day of the medical certificate.") var medicalUntil: String?
        @Option(help: "The registered vehicle; without it the one that has the driver's id.") var vehicle: String?
        @Option(help: "Words such as wheelchair, with blanks between them.") var capabilities: String?

        func run() throws {
            try RegistryOffice.change(
                .drivers, driver,
                [
                    ("name", name), ("phone", phone), ("company", company), ("photo", photo), ("licence", licence),
                    ("licence_until", licenceUntil), ("medical_until", medicalUntil), ("vehicle", vehicle),
                    ("capabilities", capabilities),
                ], options)
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Takes a driver out of the records.")
        @OptionGroup var options: ConfigOptions
        @Argument(help: "The driver's id.") var driver: String

        func run() throws {
            _ = try RegistryOffice.done(.removeDriver(driver), options)
            Terminal.line("driver \(driver) is removed")
        }
    }

    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes the records of a table (CSV): all of them, or none when one is wrong.",
            discussion: """
                The first line has the names of the columns: \(RegistryTable.Kind.drivers.names); the first two must be there. \
                A record is replaced whole. Drivers that are not in the table stay as they are. Vehicles are registered \
                before (kerbside vehicles import).
                """)
        @OptionGroup var options: ConfigOptions
        @OptionGroup var file: TableOptions

        func run() throws { try RegistryOffice.take(file, .drivers, options) }
    }
}

struct Vehicles: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keeps the records of vehicles, and makes their signs.",
        discussion: """
            The hub must be running here; operators elsewhere send vehicles.set and its like. Every change has its entry in \
            the audit (kerbside audit).
            """,
        subcommands: [List.self, Show.self, Change.self, Remove.self, Import.self, Picture.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the vehicles.")
        @OptionGroup var options: ConfigOptions
        @Flag(help: "Each record as a JSON object on a line.") var json = false

        func run() throws {
            let records = try RegistryOffice.all("vehicles", options) { from in
                try RegistryOffice.read("vehicles.list", from.map { [("from", $0)] } ?? [])
            }
            guard !json else { return RegistryOffice.printJSON(records) }
            for record in records {
                let parts = ["plate", "colour", "model", "company", "registration"].compactMap { record[$0]?.text }
                Terminal.line("\(record["vehicle"]?.text ?? ""): \(parts.joined(separator: ", "))")
            }
            Terminal.line(records.count == 1 ? "1 vehicle" : "\(records.count) vehicles")
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a vehicle's record, with the code of its sign.")
        @OptionGroup var options: ConfigOptions
        @Argument(help: "The vehicle's id.") var vehicle: String

        func run() throws { try RegistryOffice.show(.vehicles, vehicle, options) }
    }

    struct Change: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Registers a vehicle, or changes what is given of its record.",
            discussion: "What is not given stays; an empty text takes it out.")
        @OptionGroup var options: ConfigOptions
        @Argument(
            help: "The vehicle's id: of a taxi or minibus its driver's, of a bus that of the catalog, or any other.")
        var vehicle: String
        @Option(help: "The number plate.") var plate: String?
        @Option(help: "The number under which the authority has registered it.") var registration: String?
        @Option(help: "Who operates it.") var company: String?
        @Option(help: "Such as Skoda Octavia.") var model: String?
        @Option(help: "Such as white.") var colour: String?
        @Option(help: "Words such as wheelchair, with blanks between them.") var capabilities: String?
        @Flag(help: "The sign is stolen or lost: make a new code; the old one is no vehicle's from now on.")
        var newCode = false

        func run() throws {
            try RegistryOffice.change(
                .vehicles, vehicle,
                [
                    ("plate", plate), ("registration", registration), ("company", company), ("model", model),
                    ("colour", colour), ("capabilities", capabilities),
                ], newCode: newCode, options)
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Takes a vehicle out of the records; its sign ends.")
        @OptionGroup var options: ConfigOptions
        @Argument(help: "The vehicle's id.") var vehicle: String

        func run() throws {
            _ = try RegistryOffice.done(.removeVehicle(vehicle), options)
            Terminal.line("vehicle \(vehicle) is removed")
        }
    }

    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes the records of a table (CSV): all of them, or none when one is wrong.",
            discussion: """
                The first line has the names of the columns: \(RegistryTable.Kind.vehicles.names); the first two must be there. \
                A record is replaced whole and keeps the code of its sign. Vehicles that are not in the table stay as they \
                are.
                """)
        @OptionGroup var options: ConfigOptions
        @OptionGroup var file: TableOptions

        func run() throws { try RegistryOffice.take(file, .vehicles, options) }
    }

    struct Picture: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "qr", abstract: "Writes the code of a vehicle's sign as a picture (SVG) to standard output.")
        @OptionGroup var options: ConfigOptions
        @Argument(help: "The vehicle's id.") var vehicle: String
        @Option(help: "Where the public reaches the hub, as https://taxi.example; drivers.public_url without it.")
        var address: String?

        func run() throws {
            let record = try RegistryOffice.done(.vehicle(vehicle), options)
            let publicURL = try address ?? options.settings().drivers.publicURL
            guard let code = record["code"]?.text, let page = SignAddress(publicURL: publicURL)?.page(code) else {
                throw CommandFailure(
                    "the code leads to a page of this hub: say where the public reaches it, by --address https://… or drivers.public_url"
                )
            }
            guard let picture = QRCode(page) else { throw CommandFailure("\(page) is too long for a code") }
            Terminal.result(picture.svg(title: page))
        }
    }
}

struct TableOptions: ParsableArguments {
    @Argument(help: "The table; - reads standard input.") var file: String
    @Option(help: "What stands between two values.") var separator = ","
    @Flag(help: "Only say whether it is good; needs no hub, so whether vehicles are registered is not looked at.")
    var check = false

    func validate() throws {
        guard separator.utf8.count == 1 else { throw ValidationError("--separator: expected one character, as ;") }
    }
}
