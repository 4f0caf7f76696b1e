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
        for record in records { print(String(decoding: record.serialized(), as: UTF8.self)) }
    }

    static func show(_ kind: RegistryTable.Kind, _ id: String, _ options: ConfigOptions) throws {
        let record = try done(kind == .drivers ? .driver(id) : .vehicle(id), options)
        let values = RegistryRecord.values(kind, record) + (record["code"]?.text.map { [("code", $0)] } ?? [])
        let width = values.map(\.name.count).max() ?? 0
        for (name, value) in values { print(name.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + value) }
        let time = Date(timeIntervalSince1970: Double(record["at"]?.integer ?? 0) / 1000).formatted(.iso8601)
        print("written \(time) by \(record["by"]?.text ?? "–")")
    }

    /// Changes what is given, and leaves the rest as it is.
    static func change(
        _ kind: RegistryTable.Kind, _ id: String, _ given: [(String, String?)], newCode: Bool = false,
        _ options: ConfigOptions
    ) throws {
        let old = try? done(kind == .drivers ? .driver(id) : .vehicle(id), options)
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
        let reply = try done(command, options)
        let what = reply["changed"] == .bool(false) ? "nothing has changed" : old == nil ? "registered" : "changed"
        print("\(kind.rawValue.dropLast()) \(id): \(what)")
        if newCode {
            print("Its sign has a new code; the old one is no vehicle's from now on: kerbside vehicles qr \(id)")
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
        for problem in table.problems.prefix(20) { Terminal.warn(problem) }
        guard table.problems.isEmpty else {
            let more = table.problems.count > 20 ? " (the first 20 are shown)" : ""
            throw CommandFailure(
                "\(file.file) is refused for \(count(table.problems.count, "error"))\(more); nothing was written")
        }
        let records = count(table.rows.count, String(kind.rawValue.dropLast()))
        if file.check { return print("\(file.file): good; \(records)") }
        let changed = try write(table.rows, of: file.file, options)
        print("\(file.file): \(records); \(changed) written, \(table.rows.count - changed) the same as before")
    }

    /// Answers how many were new. Vehicles that drivers name are looked for before the first is written.
    private static func write(_ rows: [RegistryTable.Row], of file: String, _ options: ConfigOptions) throws -> Int {
        let who = whoIsHere
        return try CatalogStore.run(try options.settings()) { store in
            var known: Set<String> = []
            for row in rows {
                guard case .setDriver(let record) = row.command, let vehicle = record.vehicle, !known.contains(vehicle)
                else { continue }
                do { _ = try await store.registry(.vehicle(vehicle), by: who) } catch {
                    throw CommandFailure("\(file):\(row.line): column vehicle: \(error); nothing was written")
                }
                known.insert(vehicle)
            }
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
