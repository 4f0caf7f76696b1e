import CSV
import Foundation
import Hub
import Settings
import Wire

/// What `kerbside drivers` and `kerbside vehicles` do, as an operator would.
enum RegistryOffice {
    /// As whom the audit has it: `kerbside:` and who is logged in here.
    private static var whoIsHere: String {
        "kerbside:"
            + String(NSUserName().unicodeScalars.map { $0.isASCII && $0.properties.isAlphabetic ? Character($0) : "-" })
            .prefix(50)
    }

    static func done(_ command: RegistryCommand, _ options: ConfigOptions) throws -> JSONValue {
        let who = whoIsHere
        return try CatalogStore.run(try options.settings()) { try await $0.registry(command, by: who) }
    }

    /// A command of which the fields are texts.
    static func read(_ command: String, _ fields: [(String, String)]) throws -> RegistryCommand {
        var json = JSONWriter()
        json.beginObject()
        for (name, value) in fields {
            json.key(escaping: name)
            json.string(value)
        }
        if command.hasSuffix(".list") { json.member("limit", 100) }
        json.endObject()
        do throws(ErrorReply) { return try RegistryCommand.reading(command, fields: json.bytes) } catch {
            throw CommandFailure(error.detail)
        }
    }

    /// All pages of a list. `page`: the command for the page that begins there.
    static func all(
        _ list: String, _ options: ConfigOptions, page: @escaping @Sendable (String?) throws -> RegistryCommand
    ) throws -> [JSONValue] {
        let who = whoIsHere
        return try CatalogStore.run(try options.settings()) { store in
            var records: [JSONValue] = []
            var from: String?
            repeat {
                let reply = try await store.registry(try page(from), by: who)
                records += reply[list]?.elements ?? []
                from = reply["next"]?.text
            } while from != nil
            return records
        }
    }

    static func printJSON(_ records: [JSONValue]) {
        for record in records { Terminal.result(record.serialized() + [UInt8(ascii: "\n")]) }
    }

    static func show(_ kind: RegistryTable.Kind, _ id: String, _ options: ConfigOptions) throws {
        let record = try done(kind == .drivers ? .driver(id) : .vehicle(id), options)
        let values = RegistryRecord.values(kind, record) + (record["code"]?.text.map { [("code", $0)] } ?? [])
        let width = values.map(\.name.count).max() ?? 0
        for (name, value) in values {
            Terminal.line(name.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + value)
        }
        let time = Date(timeIntervalSince1970: Double(record["at"]?.integer ?? 0) / 1000).formatted(.iso8601)
        Terminal.line("written \(time) by \(record["by"]?.text ?? "–")")
    }

    /// Changes what is given, and leaves the rest as it is. If somebody else changes the record at the same moment, it is
    /// refused, and nothing is lost.
    static func change(
        _ kind: RegistryTable.Kind, _ id: String, _ given: [(String, String?)], newCode: Bool = false,
        _ options: ConfigOptions
    ) throws {
        let who = whoIsHere
        let (reply, isNew) = try CatalogStore.run(try options.settings()) { store in
            let old = try await store.record(kind == .drivers ? .driver(id) : .vehicle(id), by: who)
            var values = Dictionary(
                old.map { RegistryRecord.values(kind, $0) } ?? [], uniquingKeysWith: { first, _ in first })
            values[kind.columns[0]] = id
            for (name, value) in given {
                if let value { values[name] = value.isEmpty ? nil : value }
            }
            let command: RegistryCommand
            do throws(ErrorReply) {
                command = try RegistryRecord.command(kind, values.map { ($0.key, $0.value) }, newCode: newCode)
            } catch {
                throw CommandFailure(error.detail)
            }
            return (try await store.registry(command, by: who, seen: old?["at"]?.integer ?? 0), old == nil)
        }
        let what = reply["changed"] == .bool(false) ? "nothing has changed" : isNew ? "registered" : "changed"
        Terminal.line("\(kind.rawValue.dropLast()) \(id): \(what)")
        if newCode {
            Terminal.line(
                "Its sign has a new code; the old one is no vehicle's from now on: kerbside vehicles qr \(id)")
        }
    }

    static func take(_ file: TableOptions, _ kind: RegistryTable.Kind, _ options: ConfigOptions) throws {
        let table: RegistryTable
        do {
            table = try RegistryTable(
                kind, name: file.file, bytes: try InputFile.read(file.file), separator: Character(file.separator))
        } catch let fault as CSVFault {
            throw CommandFailure("\(fault); nothing was written")
        }
        try refuse(file.file, for: table.problems)
        let records = count(table.rows.count, String(kind.rawValue.dropLast()))
        if file.check {
            Terminal.line("\(file.file): good; \(records)")
        } else {
            let changed = try write(table.rows, of: file.file, options)
            Terminal.line(
                "\(file.file): \(records); \(changed) written, \(table.rows.count - changed) the same as before")
        }
        warnOfEndedPapers(table.rows, of: file.file)
    }

    private static func refuse(_ file: String, for problems: [String]) throws {
        guard !problems.isEmpty else { return }
        for problem in problems.prefix(20) { Terminal.warn(problem) }
        let more = problems.count > 20 ? " (the first 20 are shown)" : ""
        throw CommandFailure("\(file) is refused for \(count(problems.count, "error"))\(more); nothing was written")
    }

    /// Such a record may be right, and is most often an old table.
    private static func warnOfEndedPapers(_ rows: [RegistryTable.Row], of file: String) {
        for row in rows {
            guard case .setDriver(let record) = row.command else { continue }
            for (column, day) in [("licence_until", record.licenceUntil), ("medical_until", record.medicalUntil)] {
                guard let day, day < today else { continue }
                Terminal.warn(
                    "\(file):\(row.line): column \(column): \(day) is over, so \(record.driver) can't go available")
            }
        }
    }

    /// By UTC, as 2027-11-20.
    static var today: String { Date().formatted(.iso8601.year().month().day()) }

    /// Answers how many were new. Vehicles that drivers name are looked for before the first is written.
    private static func write(_ rows: [RegistryTable.Row], of file: String, _ options: ConfigOptions) throws -> Int {
        let who = whoIsHere
        return try CatalogStore.run(try options.settings()) { store in
            var isKnown: [String: Bool] = [:]
            var problems: [String] = []
            for row in rows {
                guard case .setDriver(let record) = row.command, let vehicle = record.vehicle else { continue }
                if isKnown[vehicle] == nil {
                    isKnown[vehicle] = try await store.record(.vehicle(vehicle), by: who) != nil
                }
                guard isKnown[vehicle] == false else { continue }
                problems.append("\(file):\(row.line): column vehicle: no vehicle \(vehicle) is registered")
            }
            try refuse(file, for: problems)
            var changed = 0
            for row in rows {
                do {
                    let reply = try await store.registry(row.command, by: who)
                    if reply["changed"] == .bool(true) { changed += 1 }
                } catch {
                    throw CommandFailure(
                        "\(file):\(row.line): \(error); the lines before it were written, and may be imported again")
                }
            }
            return changed
        }
    }

    private static func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }
}
