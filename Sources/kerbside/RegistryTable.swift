import CSV
import Wire

/// Records of drivers or vehicles as a table: a head line with the names of fields, and a record on each line.
struct RegistryTable {
    enum Kind: String {
        case drivers, vehicles

        /// `drivers.set`
        var command: String { rawValue + ".set" }

        var columns: [String] {
            switch self {
            case .drivers:
                [
                    "driver", "name", "phone", "company", "photo", "licence", "licence_until", "medical_until",
                    "vehicle",
                    "capabilities",
                ]
            case .vehicles: ["vehicle", "plate", "registration", "company", "model", "colour", "capabilities"]
            }
        }

        var names: String { columns.joined(separator: ", ") }
        var required: [String] { Array(columns.prefix(2)) }
    }

    /// A record, and the line of the file on which it stands.
    struct Row: Sendable {
        let line: Int
        let command: RegistryCommand
    }

    let rows: [Row]
    /// What is wrong, each with its file, line and column. With any of them there is nothing to write.
    let problems: [String]

    /// Throws a ``CSVFault`` when it is no table at all.
    init(_ kind: Kind, name: String, bytes: [UInt8], separator: Character) throws {
        var table = try CSVTable(name: name, bytes: bytes, separator: separator)
        var problems = Self.openQuote(table).map { [$0] } ?? Self.problems(ofHead: table.head, kind, name)
        var rows: [Row] = []
        var lines: [String: Int] = [:]
        let hasColumns = problems.isEmpty
        while hasColumns, table.readNext() {
            if let problem = Self.openQuote(table) {
                problems.append(problem)
                break
            }
            let values = kind.columns.map { (name: $0, value: table.text(table.column($0))) }.filter {
                !$0.value.isEmpty
            }
            // Spreadsheets write rows of nothing but separators below a table.
            if values.isEmpty { continue }
            let id = table.text(table.column(kind.columns[0]))
            if table.fieldCount > table.head.count {
                problems.append(
                    "\(name):\(table.line): there are \(table.fieldCount) values for \(table.head.count) columns")
            } else if !id.isEmpty, let first = lines.updateValue(table.line, forKey: id) {
                problems.append("\(name):\(table.line): column \(kind.columns[0]): \(id) stands on line \(first), too")
            }
            do throws(ErrorReply) {
                rows.append(Row(line: table.line, command: try RegistryRecord.command(kind, values)))
            } catch {
                problems.append("\(name):\(table.line): \(Self.text(of: error))")
            }
        }
        self.rows = rows
        self.problems = problems
    }

    /// All that follows is one value then, and what is wrong with that is of no use.
    private static func openQuote(_ table: CSVTable) -> String? {
        table.openQuote.map { "\(table.name):\($0): a quote (\") begins here, and nothing closes it" }
    }

    private static func problems(ofHead head: [String], _ kind: Kind, _ name: String) -> [String] {
        let all = kind.names
        guard !head.isEmpty else { return ["\(name): it is empty; its first line has the names of columns: \(all)"] }
        if head.count == 1, let other = [";", "\t", ","].first(where: { head[0].contains($0) }) {
            let named = other == "\t" ? "$'\\t'" : "'\(other)'"
            return ["\(name):1: it has one column, \(head[0]): to take it as several, say --separator \(named)"]
        }
        let unknown = head.filter { !kind.columns.contains($0) }.map { column in
            "\(name):1: there is no column \"\(column)\"; there are \(all)"
        }
        let counts = Dictionary(head.map { ($0, 1) }, uniquingKeysWith: +)
        let twice = counts.filter { $0.value > 1 }.keys.sorted().map {
            "\(name):1: the column \($0) stands there twice"
        }
        return unknown + twice
            + kind.required.filter { !head.contains($0) }.map { "\(name):1: the column \($0) is missing" }
    }

    /// A field of the command is a column of the table.
    private static func text(of error: ErrorReply) -> String {
        guard let field = error.field, error.detail.hasPrefix("field `\(field)`: ") else { return error.detail }
        return "column \(field): " + error.detail.dropFirst("field `\(field)`: ".count)
    }
}

/// A record from texts, such as the options of a command line.
enum RegistryRecord {
    /// Throws the refusal that the hub would answer.
    static func command(
        _ kind: RegistryTable.Kind, _ values: [(name: String, value: String)], newCode: Bool = false
    ) throws(ErrorReply) -> RegistryCommand {
        var json = JSONWriter()
        json.beginObject()
        for (name, value) in values {
            json.key(escaping: name)
            guard name == "capabilities" else {
                json.string(value)
                continue
            }
            json.beginArray()
            for word in value.split(whereSeparator: { " ;,".contains($0) }) { json.string(String(word)) }
            json.endArray()
        }
        if newCode { json.member("new_code", true) }
        json.endObject()
        return try RegistryCommand.reading(kind.command, fields: json.bytes)
    }

    /// The fields of a record as the hub answers it.
    static func values(_ kind: RegistryTable.Kind, _ record: JSONValue) -> [(name: String, value: String)] {
        kind.columns.compactMap { name in
            let words = record[name]?.elements?.compactMap(\.text).joined(separator: " ")
            return (words ?? record[name]?.text).map { (name, $0) }
        }
    }
}
