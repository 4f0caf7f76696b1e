import ArgumentParser
import Domain
import Foundation
import GTFS
import Hub
import Replay
import Settings

/// What `replay --buses` is told, and the lines that its hub must know.
struct BusReplay: ParsableArguments {
    static let description = """
        Recorded buses are vehicle positions of a GTFS-Realtime feed as CSV, with a header line, rows in any order:
          vehicle_id,trip_id,timestamp,latitude,longitude[,speed][,bearing][,occupancy_status]
        Of a folder every vehicle_positions*.csv is read. The lines of the GTFS feed and the buses are imported into the
        hub, in place of its lines. Timetables are of the recorded day, so the hub's clock must show recorded time:
        --own-hub sees to that; another hub must have been started with clock.start a little before --from.
        Some minutes behind the first --minibuses of the buses goes a minibus taxi each, on the same roads at the same pace:
        it announces its way, and passengers book seats in it.

        Where there are recordings: cabs of San Francisco with their meters, "CRAWDAD epfl/mobility"; taxis of Rome, "CRAWDAD
        roma/taxi"; buses: any agency's GTFS-Realtime vehicle positions, saved every 30 s beside its GTFS feed. The recorded
        positions of an operator's own app will do, too.
        """

    /// Real seconds in which a hub of the run's own is ready and all clients are connected.
    static let leadSeconds = 5.0

    @Option(
        name: .customLong("buses"),
        help: ArgumentHelp("Plays recorded buses: a CSV of vehicle positions, or a folder of them.", valueName: "path"))
    var path: String?

    @Option(help: "The GTFS feed of their lines; otherwise the only .zip in the folder of --buses.")
    var gtfs: String?

    @Option(help: "Citizens who watch the lines.")
    var citizens = 20

    @Option(help: "Stops that each citizen asks for per hour of hub time.")
    var requests = 6.0

    @Option(help: "Seats of each bus, as the recording tells only how full it is.")
    var seats = 40

    @Option(help: "Minibus taxis that go behind as many of the buses.")
    var minibuses = 5

    @Option(help: "Seats of each minibus.")
    var minibusSeats = 6

    @Option(help: "Passengers who book seats in minibuses.")
    var riders = 16

    @Option(help: "Bookings of each of them per hour of hub time.")
    var bookings = 15.0

    func validate() throws {
        guard (0...10_000).contains(citizens) else {
            throw ValidationError("--citizens \(citizens): expected 0 to 10000")
        }
        guard (0...60).contains(requests) else { throw ValidationError("--requests \(requests): expected 0 to 60") }
        for (name, count) in [("--seats", seats), ("--minibus-seats", minibusSeats)] {
            guard (1...Bus.maxSeats).contains(count) else {
                throw ValidationError("\(name) \(count): expected 1 to \(Bus.maxSeats)")
            }
        }
        guard (0...1_000).contains(minibuses) else {
            throw ValidationError("--minibuses \(minibuses): expected 0 to 1000")
        }
        guard (0...10_000).contains(riders) else { throw ValidationError("--riders \(riders): expected 0 to 10000") }
        guard (0...120).contains(bookings) else {
            throw ValidationError("--bookings \(bookings): expected 0 to 120")
        }
    }

    /// The recording, and the catalog of its feed with its buses.
    func source(
        _ change: (inout ScenarioSource.Buses) -> Void
    ) throws -> (catalog: Catalog, source: ScenarioSource.Buses) {
        let (files, isFolder) = try positionFiles()
        let feed = try gtfs ?? onlyFeed()
        do {
            var catalog = try GTFSReader.read(try FeedFiles(path: feed)).catalog
            let recorded = try RecordedBuses(
                catalog: catalog,
                positions: files.map {
                    (
                        name: URL(fileURLWithPath: $0).lastPathComponent,
                        bytes: try isFolder ? InputFile.recording(inFolder: $0) : InputFile.recording($0)
                    )
                })
            if recorded.unknownTrips > 0 { Terminal.warn("\(recorded.unknownTrips) trips are not in \(feed)") }
            if recorded.unusableVehicles > 0 {
                Terminal.warn(
                    "\(recorded.unusableVehicles) vehicles are left out: an id has 1 to 64 of A-Z a-z 0-9 _ . : -")
            }
            for vehicle in recorded.vehicles { catalog.buses[vehicle.id] = Bus(id: vehicle.id, seats: seats) }
            var source = ScenarioSource.Buses(recorded: recorded)
            let first = recorded.vehicles.compactMap { $0.runs.first?.fixes.first?.at }.min() ?? 0
            let offset = CityTime(zone: catalog.timeZone)?.offset(at: first / 1000) ?? 0
            source.utcOffsetMinutes = offset / 60
            (source.seats, source.citizens, source.requestsPerHour) = (seats, citizens, requests)
            (source.minibuses, source.minibusSeats) = (minibuses, minibusSeats)
            (source.riders, source.bookingsPerHour) = (riders, bookings)
            change(&source)
            return (catalog, source)
        } catch let refusal as FeedRefusal { throw CommandFailure("\(refusal)") }
    }

    /// Takes the lines and the buses into the hub's use; its own buses stay.
    static func use(_ catalog: Catalog, _ settings: Settings) throws {
        _ = try CatalogStore.run(settings) { store in
            let old = try await store.load()
            var new = catalog
            for (id, bus) in old.buses where new.buses[id] == nil {
                new.buses[id] = bus
                if let line = bus.line, new.lines[line] == nil { new.buses[id]?.line = nil }
            }
            return try await store.use(new, replacing: old.version)
        }
    }

    /// The file of `--buses`, or all such files of the folder.
    private func positionFiles() throws -> (files: [String], isFolder: Bool) {
        let path = path ?? ""
        guard try InputFile.isFolder(path) else { return ([path], false) }
        let names = try InputFile.names(in: path).filter { $0.hasPrefix("vehicle_positions") && $0.hasSuffix(".csv") }
        guard !names.isEmpty else { throw CommandFailure("\(path) has no vehicle_positions*.csv") }
        return (names.sorted().map { path + "/" + $0 }, true)
    }

    private func onlyFeed() throws -> String {
        let path = path ?? ""
        let folder =
            try InputFile.isFolder(path) ? path : URL(fileURLWithPath: path).deletingLastPathComponent().path
        let names = try InputFile.names(in: folder).filter { $0.hasSuffix(".zip") }
        guard names.count == 1 else {
            throw CommandFailure(
                "\(folder) has \(names.count) .zip files: say with --gtfs which is the feed of the lines")
        }
        return folder + "/" + names[0]
    }
}
