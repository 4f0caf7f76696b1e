import Domain
import Foundation
import Testing

@testable import GTFS

/// The form in which a community writes its lines by hand.
@Suite struct CatalogYAMLTests {
    private static let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("config/lines-example.yaml")

    private func text() throws -> String { try String(contentsOf: Self.example, encoding: .utf8) }

    @Test("B1 B15 The example: a line out and back, its days, and the bus with its details")
    func example() throws {
        let community = try CatalogYAML(yaml: try text(), name: "lines.yaml")
        let catalog = community.catalog
        let line = try #require(catalog.lines["1"])
        #expect(line.longName == "Dorfrunde" && line.color == "#00a070" && line.trips.count == 6)
        #expect(Set(line.patterns.map { $0.stops.map(\.stop) }).count == 3, "one trip leaves the clinic out")
        let service = try #require(catalog.services["1:2"])
        #expect(service.weekdays == 0b1_1111)
        #expect(service.runs(on: ServiceDate("2026-12-12")!), "a Saturday, also")
        #expect(!service.runs(on: ServiceDate("2026-12-24")!))
        #expect(
            catalog.buses["b1"]
                == Bus(
                    id: "b1", plate: "MS BB 1", photo: "https://example.org/b1.jpg", color: "#c8102e", seats: 8,
                    line: "1"))
        #expect(community.namesBuses)
        for bus in catalog.buses.values { #expect(try Written.read(bus) == bus) }
        for line in catalog.lines.values { #expect(try Written.read(line) == line) }
    }

    @Test(
        "Whatever is wrong is said with its line",
        arguments: [
            ("time_zone: Europe/Berlin", "time_zone: Berlin", "time_zone: Berlin is no time zone"),
            (
                "markt: {name: Am Markt, lat: 51.9645", "markt: {name: Am Markt, lat: 519645",
                "stop markt: lat 519645, lon 7.6330 is no place"
            ),
            ("- markt:   8:06", "- marktt:   8:06", "marktt does not stand under stops:"),
            ("8:06 10:06 14:06", "8:06 10:06", "2 times at markt, but 3 at rathaus; write - where a bus does not stop"),
            (
                "8:20 10:15", "7:20 10:15",
                "the times of trip 1 go back (8:00 8:06 8:12 7:20); after midnight write 24:05"
            ),
            ("color: \"#00a070\"", "color: green", "color: green is no colour"),
            ("kind: bus", "kind: tram", "kind tram is none of bus, minibus, flex"),
            ("plate:", "number_plate:", "number_plate is unknown; expected plate,"),
            ("line: \"1\"", "line: \"7\"", "line 7 does not stand under lines:"),
            ("direction: 1", "direction: 2", "direction is 0 or 1"),
            ("until: 2027-12-31", "until: 2027-13-31", "until: 2027-13-31 is no day"),
            ("except: [2026-12-24, 2026-12-25]", "except: [24.12.]", "24.12. is no day such as 2026-12-24"),
            ("bahnhof: {name: Bahnhof", "bahnhof: {name: [x", "not YAML"),
        ])
    func wrong(_ old: String, _ new: String, _ reason: String) throws {
        let changed = try text()
        let range = try #require(changed.range(of: old))
        let broken = changed.replacingCharacters(in: range, with: new)
        do {
            _ = try CatalogYAML(yaml: broken, name: "lines.yaml")
            Issue.record("was taken")
        } catch {
            #expect(error.problems.contains { $0.contains(reason) && $0.hasPrefix("lines.yaml:") }, "\(error)")
        }
    }

    @Test("A loop passes the same stop twice; days run over the end of the week; a file may leave out much")
    func small() throws {
        let yaml = """
            time_zone: Africa/Nairobi
            stops:
              a: {lat: -1.28, lon: 36.82}
              b: {lat: -1.29, lon: 36.83}
            lines:
              loop:
                kind: minibus
                runs:
                  - days: sat-mon
                    stops: [a: ["23:50"], b: ["24:00"], a: ["24:10"]]
            """
        let community = try CatalogYAML(yaml: yaml, name: "x")
        let line = try #require(community.catalog.lines["loop"])
        #expect(line.name == "loop" && line.kind == .minibus)
        #expect(line.patterns[0].stops.map(\.stop) == ["a", "b", "a"])
        #expect(line.patterns[0].stops[2].distance > line.patterns[0].stops[1].distance + 1000)
        #expect(community.catalog.services["loop:1"]?.weekdays == 0b110_0001)
        #expect(!community.namesBuses)
    }

    @Test("B1: a stop whose place is wrong is said once; a photo is an address, a plate is one line")
    func detailsOfMistakes() throws {
        let changed = try text()
            .replacing("https://example.org/b1.jpg", with: "javascript:alert(1)")
            .replacing("plate: MS BB 1", with: #"plate: "MS\nBB""#)
            .replacing(/lat: [0-9.]+/, with: "lat: 95.0", maxReplacements: 1)
        do {
            _ = try CatalogYAML(yaml: changed, name: "lines.yaml")
            Issue.record("it was taken")
        } catch {
            #expect(error.problems.count == 3, "\(error.problems)")
            for word in ["is no place on earth", "photo:", "plate:"] {
                #expect(error.problems.contains { $0.contains(word) })
            }
        }
    }
}
