import Domain

/// The stops by what is in their names. Made anew for another catalog.
struct StopNames {
    private var version = ""
    private var stops: [(name: String, id: String)] = []
    /// The names in small letters, each before a line break; and where each begins.
    private var text: [UInt8] = []
    private var begins: [Int] = []

    private static let most = 100

    mutating func take(_ catalog: Catalog) {
        guard version != catalog.version else { return }
        version = catalog.version
        stops = catalog.stops.values.map { ($0.name, $0.id) }.sorted { $0 < $1 }
        (text, begins) = ([], [])
        for stop in stops {
            begins.append(text.count)
            text += stop.name.lowercased().utf8
            text.append(10)
        }
    }

    /// The first hundred by name that have `wanted` in it, in capitals or not.
    func find(_ wanted: String) -> [(name: String, id: String)] {
        let wanted = Array(wanted.lowercased().utf8)
        guard !wanted.isEmpty else { return Array(stops.prefix(Self.most)) }
        // No name has a line break.
        guard !wanted.contains(10) else { return [] }
        var found: [(name: String, id: String)] = []
        text.withUnsafeBytes { text in
            var (next, from) = (0, 0)
            while found.count < Self.most, let place = Self.place(of: wanted, in: text, from: from) {
                // The last that begins there or before.
                while next + 1 < stops.count, begins[next + 1] <= place { next += 1 }
                found.append(stops[next])
                next += 1
                guard next < stops.count else { return }
                from = begins[next]
            }
        }
        return found
    }

    private static func place(of wanted: [UInt8], in text: UnsafeRawBufferPointer, from: Int) -> Int? {
        guard from + wanted.count <= text.count else { return nil }
        return (from...text.count - wanted.count).first { start in
            text[start] == wanted[0] && text[start..<start + wanted.count].elementsEqual(wanted)
        }
    }
}
