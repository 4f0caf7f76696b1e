import Domain
import Testing

@testable import GTFS

/// Recorded positions become what each bus drove.
@Suite struct RecordedBusesTests {
    private let catalog: Catalog = {
        let trips = ["T1", "T2"].map { LineTrip(id: $0, pattern: 0, service: "s", times: []) }
        return Catalog(lines: ["L": Line(id: "L", name: "L", trips: trips)])
    }()

    private func read(_ files: String...) throws -> RecordedBuses {
        try RecordedBuses(
            catalog: catalog, positions: files.enumerated().map { ("file\($0.offset)", Array($0.element.utf8)) })
    }

    private let head = "vehicle_id,trip_id,timestamp,latitude,longitude,occupancy_status,speed\n"

    @Test("Runs follow each other, whatever the order of rows, and rows that come twice count once")
    func runs() throws {
        let read = try read(
            head + "7,T2,300,45.2,9,7,4.5\n7,T1,100,45,9,1,\n7,T1,160,45.1,9,2,\n",
            head + "7,T1,160,45.1,9,2,\n7,T2,330,45.3,9,5,999\n8,T1,50,45,9,,\n9,XX,10,45,9,,\n")
        #expect(read.unknownTrips == 1)
        let bus = try #require(read.vehicles.first)
        #expect(read.vehicles.count == 1 && bus.id == "7", "one fix alone is no run")
        #expect(bus.runs.map(\.trip) == ["T1", "T2"] && bus.runs.map(\.line) == ["L", "L"])
        #expect(bus.runs[0].fixes.map(\.at) == [100_000, 160_000])
        #expect(bus.runs.flatMap(\.fixes).map(\.load) == [0.25, 0.75, nil, 1])
        #expect(bus.runs[1].fixes.map(\.speed) == [4.5, nil])
    }

    @Test("A long hole ends a run; an id that no bus can have is left out")
    func holes() throws {
        let read = try read(
            head + "7,T1,0,45,9,,\n7,T1,60,45,9,,\n7,T1,1300,45,9,,\n7,T1,1330,45,9,,\na b,T1,0,45,9,,\n")
        #expect(read.vehicles.map(\.id) == ["7"] && read.vehicles[0].runs.count == 2 && read.unusableVehicles == 1)
    }

    @Test("What can't be read is refused with its line")
    func refusals() {
        #expect(throws: FeedRefusal.self) { try self.read("vehicle_id,trip_id,timestamp,latitude\n") }
        for row in ["7,T1,x,45,9,,", "7,T1,0,99,9,,", ",T1,0,45,9,,"] {
            #expect(throws: FeedRefusal.self) { try self.read(self.head + row + "\n") }
        }
    }
}
