import ArgumentParser
import Domain
import Foundation

struct Zones: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes zones for a city, and checks the zones of one.", subcommands: [Grid.self, Check.self])

    struct Grid: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Divides the area inside an outline into zones, as GeoJSON.",
            discussion: "The outline is a Polygon or MultiPolygon (GeoJSON), for instance a city's border.")

        @Argument(help: "The GeoJSON file of the outline; - reads standard input.")
        var outline: String

        @Option(help: "The size of a zone, square kilometres.")
        var area = 2.0

        @Option(name: .shortAndLong, help: "Write to this file instead of standard output.")
        var output: String?

        func validate() throws {
            guard area >= 0.01, area <= 10_000 else {
                throw ValidationError("--area \(area): expected 0.01 to 10000 square kilometres")
            }
        }

        func run() throws {
            let grid = try ZoneGrid(outline: try InputFile.read(outline), zoneArea: area * 1_000_000)
            if let output {
                try OutputFile.write(grid.geoJSON, to: output)
                Terminal.line("\(output): \(grid.zones.count) zones")
            } else {
                Terminal.result(grid.geoJSON)
            }
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says what is wrong with a file of zones, or that nothing is.",
            discussion: "With --repair it says what would be repaired, and fails only on what can't be.")

        @Argument(help: "The GeoJSON file; - reads standard input.")
        var file: String

        @Option(help: "The property that holds a zone's id; otherwise the feature's id.")
        var idProperty: String?

        @Flag(help: "Repair what can be repaired, as `zones.repair` does.")
        var repair = false

        func run() throws {
            var options = ZoneOptions()
            options.idProperty = idProperty
            options.repair = repair
            do {
                let set = try ZoneSet(geoJSON: try InputFile.read(file), options: options)
                for line in ZoneSetError.lines(set.repairs) { Terminal.line("repaired: \(line)") }
                let areas = set.zones.map { $0.area / 1e6 }.sorted()
                let total = areas.reduce(0, +)
                let text = String(
                    format: "%d zones, %.1f km² in all; smallest %.2f, median %.2f, largest %.2f km²", areas.count,
                    total,
                    areas.first ?? 0, areas.isEmpty ? 0 : areas[areas.count / 2], areas.last ?? 0)
                Terminal.line("\(file): good; \(text)")
            } catch let error as ZoneSetError {
                for line in error.lines { Terminal.warn("\(file): \(line)") }
                let mends = error.problems.contains { $0.isRepairable } && !repair
                Terminal.warn(
                    "\(error.problems.count) problems." + (mends ? " Some can be repaired: try --repair." : ""))
                throw ExitCode.failure
            }
        }
    }
}
