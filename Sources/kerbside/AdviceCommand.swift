import ArgumentParser
import Domain
import Hub
import Settings
import Wire

/// `kerbside advice 14`
struct Advice: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows where a taxi is likely to get a ride: what is expected in each zone, and who waits there.",
        discussion: """
            The hub must be running here; drivers send advice.get. Requests are those of the next 60 minutes, and of the 60 \
            after them, by the figures of the last weeks (advice.weeks); the wait is that of one more who comes. With a zone \
            it shows what a driver in the middle of it would be told, the drive included.
            """)

    @OptionGroup var options: ConfigOptions

    @Argument(help: "The id of a zone.")
    var zone: String?

    @Flag(help: "Each zone as a JSON object on a line.")
    var json = false

    func run() throws {
        let settings = try options.settings()
        let zones = try CityZones.load(settings)
        let look = try CatalogStore.run(settings) { try await $0.advice(zones) }
        let rows: [Row]
        if let zone {
            guard let here = look.advice[zone] else {
                throw CommandFailure("there is no zone \(zone) in \(settings.zones.file)")
            }
            rows = [Row(here)] + look.advice.choices(from: here.middle, except: zone).map { Row($0) }
        } else {
            rows = look.places.filter { $0.expected > 0 || $0.later > 0 || $0.waiting > 0 }.map { Row($0) }.sorted {
                ($0.seconds, $0.place.zone) < ($1.seconds, $1.place.zone)
            }
        }
        guard !json else {
            for row in rows { Terminal.result(row.json + "\n") }
            return
        }
        show(rows)
        let known = look.days == 1 ? "1 day" : "\(look.days) days"
        Terminal.line("\(rows.count) of \(look.places.count) zones, by the figures of \(known)")
    }

    /// A zone. metres: to its middle, where it is told as a choice.
    private struct Row {
        let place: WaitAdvice.Place
        let seconds: Double
        var metres: Double?

        init(_ place: WaitAdvice.Place) {
            self.place = place
            seconds = WaitAdvice.wait(rank: place.waiting + 1, expected: place.expected, later: place.later)
        }

        init(_ choice: WaitAdvice.Choice) {
            (place, seconds, metres) = (choice.place, choice.seconds, choice.metres)
        }

        /// Nobody can say how long it takes.
        var isUnknown: Bool { metres == nil && seconds >= WaitAdvice.longest }

        /// With the names that `advice.get` has.
        var json: String {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("zone")
            writer.string(place.zone)
            writer.key("expected")
            writer.decimal(place.expected, places: 1)
            writer.key("later")
            writer.decimal(place.later, places: 1)
            writer.member("waiting", place.waiting)
            if let metres { writer.member("distance_m", Int(metres)) }
            if !isUnknown { writer.member("wait_s", Int(seconds)) }
            writer.endObject()
            return String(decoding: writer.bytes, as: UTF8.self)
        }

        var cells: [String] {
            [
                place.zone, Self.tenths(place.expected), Self.tenths(place.later), "\(place.waiting)",
                metres.map { Self.tenths($0 / 1000) + " km" } ?? "–",
                isUnknown ? "–" : "\(Int((seconds / 60).rounded(.up))) min",
            ]
        }

        private static func tenths(_ number: Double) -> String {
            let tenths = Int((number * 10).rounded())
            return "\(tenths / 10).\(tenths % 10)"
        }
    }

    private func show(_ rows: [Row]) {
        let lines = [["zone", "expected", "later", "waiting", "way", "wait"]] + rows.map(\.cells)
        let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        for line in lines {
            let cells = line.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - line[column].count)
                return column == 0 ? line[column] + space : space + line[column]
            }
            Terminal.line(cells.joined(separator: "  "))
        }
    }
}
