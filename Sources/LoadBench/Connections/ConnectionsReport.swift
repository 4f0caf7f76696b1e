import ClientSupport
import Wire

/// The results of the connections benchmark.
public struct ConnectionsReport: Sendable {
    let connections: Int
    /// Per process: resident bytes before and after.
    let growth: [(name: String, before: Int, after: Int)]
    /// Real time from the first to the last greeting.
    let seconds: Double

    /// Growth of the processes of that name; 0 when there is none.
    public func bytesPerConnection(of name: String) -> Double {
        let grown = growth.filter { $0.name == name }.reduce(0) { $0 + $1.after - $1.before }
        return Double(grown) / Double(max(1, connections))
    }

    private var names: [String] { Set(growth.map(\.name)).sorted() }

    public var text: String {
        var table = TextTable()
        table.add("connections", "\(connections), greeted in \((seconds * 10).rounded() / 10) s")
        for (name, before, after) in growth {
            table.add("memory of \(name)", "\(before >> 10) KiB before, \(after >> 10) KiB after")
        }
        for name in names {
            let bytes = bytesPerConnection(of: name)
            table.add(
                "per connection, \(name)",
                "\(Int(bytes.rounded())) bytes (\((bytes / 102.4).rounded() / 10) KiB), not counting the kernel's")
        }
        return "\n" + table.text
    }

    public var json: String {
        var perConnection = JSONObject()
        for name in names { perConnection[name] = .number(bytesPerConnection(of: name)) }
        let processes = growth.map { entry -> JSONValue in
            [
                "name": .string(entry.name), "before": .number(Double(entry.before)),
                "after": .number(Double(entry.after)),
            ]
        }
        let value: JSONValue = [
            "connections": .number(Double(connections)), "seconds": .number(seconds),
            "bytes_per_connection": .object(perConnection), "processes": .array(processes),
        ]
        return value.description
    }
}
