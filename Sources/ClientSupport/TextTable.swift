/// Names and values in two columns, in groups.
package struct TextTable: Sendable {
    private var lines: [(name: String, value: String)?] = []

    package init() {}

    package mutating func add(_ name: String, _ value: String) { lines.append((name, value)) }
    package mutating func add(_ name: String, _ value: Int) { add(name, "\(value)") }
    package mutating func gap() { if case .some = lines.last ?? nil { lines.append(nil) } }

    package var text: String {
        let width = lines.compactMap { $0?.name.count }.max() ?? 0
        return lines.map { line in
            guard let line else { return "\n" }
            return "  \(line.name)\(String(repeating: " ", count: width - line.name.count))  \(line.value)\n"
        }.joined()
    }
}
