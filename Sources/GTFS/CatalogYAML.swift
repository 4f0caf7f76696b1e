public import Domain
internal import Yams

/// Reads the form in which a community writes down its few lines by hand (YAML): stops, lines with their times, buses.
///
/// `config/lines-example.yaml` shows all there is. Whatever is wrong is told with its line, all at once.
public struct CatalogYAML {
    public let catalog: Catalog
    /// The file names buses, so that these replace the ones that are known.
    public let namesBuses: Bool

    /// All that is wrong with a file, each with its place.
    public struct Problems: Error, CustomStringConvertible {
        public let problems: [String]
        public var description: String { problems.joined(separator: "\n") }
    }

    public init(yaml text: String, name: String, zoneDirectory: String = CityTime.directory) throws(Problems) {
        var reader = CatalogYAMLReader(name: name, zoneDirectory: zoneDirectory)
        reader.read(text)
        guard reader.problems.isEmpty else { throw Problems(problems: reader.problems) }
        catalog = reader.catalog
        namesBuses = reader.namesBuses
    }
}

private struct CatalogYAMLReader {
    let name: String
    let zoneDirectory: String
    var catalog = Catalog(timeZone: "")
    var namesBuses = false
    var problems: [String] = []
    /// Stops whose place is wrong: that is said, and not that they are missing.
    private var unplaced: Set<String> = []

    /// Larger than any community's file; keeps a wrong file name from filling memory.
    private static let maxBytes = 1 << 20
    /// A form without an end runs for so long from its first day, in days: two years, so that a forgotten one ends.
    private static let defaultDays = 730

    init(name: String, zoneDirectory: String) {
        self.name = name
        self.zoneDirectory = zoneDirectory
    }

    mutating func read(_ yaml: String) {
        guard yaml.utf8.count <= Self.maxBytes else { return problems.append("\(name): larger than 1 MiB") }
        let root: Node?
        do { root = try Yams.compose(yaml: yaml) } catch {
            return problems.append("\(name): not YAML: \(error)")
        }
        guard let root, case .mapping = root else {
            return problems.append("\(name): expected time_zone:, stops:, lines: and buses:")
        }
        check(root, "the file", ["time_zone", "stops", "lines", "buses"])
        if let zone = text(root, "time_zone", "the file", isRequired: true) {
            catalog.timeZone = zone
            if CityTime(zone: zone, directory: zoneDirectory) == nil {
                fail(
                    root["time_zone"],
                    "time_zone: \(zone) is no time zone that this machine knows; write one such as Europe/Berlin")
            }
        }
        for (id, node) in entries(root["stops"], "stops") { readStop(id, node) }
        for (id, node) in entries(root["lines"], "lines") { readLine(id, node) }
        namesBuses = root["buses"] != nil
        for (id, node) in entries(root["buses"], "buses") { readBus(id, node) }
        if catalog.lines.isEmpty, problems.isEmpty { problems.append("\(name): no line in it") }
        let served = Set(catalog.lines.values.lazy.flatMap(\.patterns).flatMap(\.stops).map(\.stop))
        for id in catalog.stops.keys.sorted() where !served.contains(id) && problems.isEmpty {
            problems.append("\(name): no line stops at \(id)")
        }
    }

    // MARK: entries

    private mutating func readStop(_ id: String, _ node: Node) {
        let label = "stop \(id)"
        check(node, label, ["name", "lat", "lon"])
        let name = text(node, "name", label) ?? id
        guard let point = point(node, label) else {
            unplaced.insert(id)
            return
        }
        catalog.stops[id] = Stop(id: id, name: name, point: point)
    }

    private mutating func point(_ node: Node, _ label: String) -> GeoPoint? {
        guard let lat = text(node, "lat", label, isRequired: true), let lon = text(node, "lon", label, isRequired: true)
        else { return nil }
        guard let lat = Double(lat), let lon = Double(lon), GeoPoint(lat: lat, lon: lon).isUsable else {
            fail(
                node,
                "\(label): lat \(lat), lon \(lon) is no place on earth; expected degrees, as lat: 51.96, lon: 7.63")
            return nil
        }
        return GeoPoint(lat: (lat * 1e6).rounded() / 1e6, lon: (lon * 1e6).rounded() / 1e6)
    }

    private mutating func readLine(_ id: String, _ node: Node) {
        let label = "line \(id)"
        check(node, label, ["name", "long_name", "color", "kind", "runs"])
        guard Catalog.isID(id) else {
            return fail(node, "\(label): an id has 1 to 64 of A-Z a-z 0-9 _ . : -")
        }
        let kind = text(node, "kind", label) ?? "bus"
        if BusKind(rawValue: kind) == nil { fail(node["kind"], "\(label): kind \(kind) is none of bus, minibus, flex") }
        let line = Line(
            id: id, name: text(node, "name", label) ?? id, longName: text(node, "long_name", label) ?? "",
            color: color(node, label), kind: BusKind(rawValue: kind) ?? .bus)
        let limits = FeedLimits()
        var builder = LineBuilder(line, farStop: limits.farStopToShape, tooFar: limits.maxStopToShape)
        guard case .sequence(let runs)? = node["runs"], !runs.isEmpty else {
            return fail(node, "\(label): expected runs: with a list of - days: … stops: …")
        }
        for (index, run) in runs.enumerated() { readRun(index, run, id, &builder) }
        catalog.lines[id] = builder.finish()
    }

    private mutating func readRun(_ index: Int, _ node: Node, _ line: String, _ builder: inout LineBuilder) {
        let label = "line \(line), run \(index + 1)"
        check(node, label, ["headsign", "direction", "days", "from", "until", "except", "also", "shape", "stops"])
        let service = "\(line):\(index + 1)"
        catalog.services[service] = readDays(node, label)
        let direction = text(node, "direction", label) ?? "0"
        if direction != "0", direction != "1" { fail(node["direction"], "\(label): direction is 0 or 1") }
        guard case .sequence(let rows)? = node["stops"], rows.count >= 2 else {
            return fail(node, "\(label): expected stops: with a list of - STOP: times, two at least")
        }
        var table: [(stop: Stop, times: [Int?])] = []
        for row in rows {
            guard let made = readRow(row, label) else { return }
            guard made.times.count == table.first?.times.count ?? made.times.count else {
                return fail(
                    row,
                    "\(label): \(made.times.count) times at \(made.stop.id), but \(table[0].times.count) at \(table[0].stop.id); write - where a bus does not stop"
                )
            }
            table.append(made)
        }
        let shape = readShape(node, label)
        for column in table[0].times.indices {
            let calls = table.compactMap { row in
                row.times[column].map {
                    LineBuilder.Call(stop: row.stop, time: StopTime(arrival: $0, departure: $0))
                }
            }
            let times = calls.compactMap { $0.time?.arrival }
            guard calls.count >= 2 else {
                fail(node["stops"], "\(label): trip \(column + 1) has less than two stops")
                continue
            }
            guard zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 }) else {
                fail(
                    node["stops"],
                    "\(label): the times of trip \(column + 1) go back (\(times.map(TimeOfDay.text).joined(separator: " "))); after midnight write 24:05"
                )
                continue
            }
            let mends = builder.add(
                id: "\(line):\(index + 1):\(column + 1)", service: service, direction: Int(direction) ?? 0,
                headsign: text(node, "headsign", label) ?? "", calls: calls, shapeID: "\(index)", shape: shape)
            for mend in mends { if let text = Self.text(mend) { fail(node["shape"], "\(label): \(text)") } }
        }
    }

    private static func text(_ mend: LineBuilder.Mend) -> String? {
        switch mend {
        case .turned: "the shape runs against the stops; turn it round"
        case .dropped: "the shape does not pass the stops in their order"
        case .unplaced(let stops): "the shape does not pass \(stops.joined(separator: ", ")) in its turn"
        case .far(let stop, let metres): "the shape passes stop \(stop) only at \(Int(metres)) m"
        }
    }

    /// `STOP: 8:00 10:00 - 14:00`, or the times as a list.
    private mutating func readRow(_ node: Node, _ label: String) -> (stop: Stop, times: [Int?])? {
        guard case .mapping(let mapping) = node, mapping.count == 1, let entry = mapping.first,
            let id = entry.key.scalar?.string
        else {
            fail(node, "\(label): expected - STOP: 8:00 10:00 14:00")
            return nil
        }
        guard let stop = catalog.stops[id] else {
            if !unplaced.contains(id) { fail(node, "\(label): \(id) does not stand under stops:") }
            return nil
        }
        var times: [Int?] = []
        for word in words(entry.value) {
            if word == "-" {
                times.append(nil)
            } else if let time = TimeOfDay.seconds(Array(word.utf8).span, allowsMinutes: true) {
                times.append(time)
            } else {
                fail(entry.value, "\(label): \(word) at \(id) is no time such as 8:05")
                return nil
            }
        }
        guard !times.isEmpty else {
            fail(node, "\(label): no times at \(id)")
            return nil
        }
        return (stop, times)
    }

    private mutating func readShape(_ node: Node, _ label: String) -> [GeoPoint] {
        guard let shape = node["shape"] else { return [] }
        guard case .sequence(let points) = shape else {
            fail(shape, "\(label): expected shape: with a list of [lat, lon]")
            return []
        }
        var read: [GeoPoint] = []
        for point in points {
            let numbers = words(point).compactMap { Double($0) }
            guard numbers.count == 2, GeoPoint(lat: numbers[0], lon: numbers[1]).isUsable else {
                fail(point, "\(label): expected [lat, lon] in degrees")
                return []
            }
            read.append(GeoPoint(lat: (numbers[0] * 1e6).rounded() / 1e6, lon: (numbers[1] * 1e6).rounded() / 1e6))
        }
        return read
    }

    // MARK: days

    private static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    private mutating func readDays(_ node: Node, _ label: String) -> Service {
        var weekdays: UInt8 = 0
        let days = node["days"].map { words($0) } ?? ["mon-sun"]
        for word in days {
            let ends = word.split(separator: "-", omittingEmptySubsequences: false).map {
                Self.dayNames.firstIndex(of: $0.lowercased())
            }
            guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1] else {
                fail(node["days"], "\(label): days: \(word) is none; expected such as mon-fri sun")
                continue
            }
            // fri-mon runs over the end of the week.
            var day = first
            weekdays |= 1 << day
            while day != last {
                day = (day + 1) % 7
                weekdays |= 1 << day
            }
        }
        let start = date(node, "from", label) ?? ServiceDate(days: 0)
        let from = start.days == 0 ? ServiceDate("2020-01-01") ?? start : start
        let until =
            date(node, "until", label)
            ?? (start.days == 0 ? ServiceDate("2099-12-31") ?? start : start + Self.defaultDays)
        if until < from { fail(node["until"], "\(label): until \(until) is before from \(from)") }
        return Service(
            weekdays: weekdays, start: from, end: until, added: dates(node["also"], label),
            removed: dates(node["except"], label))
    }

    private mutating func date(_ node: Node, _ key: String, _ label: String) -> ServiceDate? {
        guard let text = text(node, key, label) else { return nil }
        guard let date = ServiceDate(text) else {
            fail(node[key], "\(label): \(key): \(text) is no day such as 2026-12-24")
            return nil
        }
        return date
    }

    private mutating func dates(_ node: Node?, _ label: String) -> Set<ServiceDate> {
        guard let node else { return [] }
        var dates: Set<ServiceDate> = []
        for word in words(node) {
            if let date = ServiceDate(word) {
                dates.insert(date)
            } else {
                fail(node, "\(label): \(word) is no day such as 2026-12-24")
            }
        }
        return dates
    }

    // MARK: buses

    private mutating func readBus(_ id: String, _ node: Node) {
        let label = "bus \(id)"
        check(node, label, ["plate", "color", "photo", "seats", "line"])
        guard Catalog.isID(id) else { return fail(node, "\(label): an id has 1 to 64 of A-Z a-z 0-9 _ . : -") }
        guard let text = text(node, "seats", label, isRequired: true) else { return }
        guard let seats = Int(text), (1...Bus.maxSeats).contains(seats) else {
            return fail(node["seats"], "\(label): seats: \(text) is no number from 1 to \(Bus.maxSeats)")
        }
        let photo = self.text(node, "photo", label)
        if let photo, !Catalog.isPhoto(photo) {
            fail(node["photo"], "\(label): photo: expected an address such as https://example.org/bus.jpg")
        }
        let line = self.text(node, "line", label)
        if let line, catalog.lines[line] == nil {
            fail(node["line"], "\(label): line \(line) does not stand under lines:")
        }
        catalog.buses[id] = Bus(
            id: id, plate: self.text(node, "plate", label), photo: photo,
            color: color(node, label), seats: seats, line: line)
    }

    // MARK: nodes

    private mutating func color(_ node: Node, _ label: String) -> String? {
        guard let text = text(node, "color", label) else { return nil }
        guard let color = Catalog.color(text) else {
            fail(
                node["color"],
                "\(label): color: \(text) is no colour such as \"#00a070\" (in quotes, as # begins a comment)")
            return nil
        }
        return color
    }

    private mutating func check(_ node: Node, _ label: String, _ keys: [String]) {
        guard case .mapping(let mapping) = node else {
            return fail(node, "\(label): expected \(keys.joined(separator: ", "))")
        }
        for (key, _) in mapping where !keys.contains(key.scalar?.string ?? "") {
            fail(key, "\(label): \(key.scalar?.string ?? "?") is unknown; expected \(keys.joined(separator: ", "))")
        }
    }

    private mutating func entries(_ node: Node?, _ label: String) -> [(String, Node)] {
        guard let node else { return [] }
        guard case .mapping(let mapping) = node else {
            fail(node, "\(label): expected entries such as id: {…}")
            return []
        }
        return mapping.compactMap { key, value in key.scalar.map { ($0.string, value) } }
    }

    private mutating func text(_ node: Node, _ key: String, _ label: String, isRequired: Bool = false) -> String? {
        guard let text = node[key]?.scalar?.string, !text.isEmpty else {
            if isRequired || node[key] != nil { fail(node[key] ?? node, "\(label): \(key): is missing") }
            return nil
        }
        guard Catalog.isText(text) else {
            fail(
                node[key],
                "\(label): \(key): expected up to \(Catalog.textBytes) bytes on one line, without control or hidden characters"
            )
            return nil
        }
        return text
    }

    /// The words of a text, or the elements of a list.
    private func words(_ node: Node) -> [String] {
        if case .sequence(let sequence) = node { return sequence.compactMap { $0.scalar?.string } }
        return node.scalar?.string.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "\n" }).map(String.init)
            ?? []
    }

    private mutating func fail(_ node: Node?, _ text: String) {
        problems.append("\(name)\(node?.mark.map { ":\($0.line):\($0.column)" } ?? ""): \(text)")
    }
}
