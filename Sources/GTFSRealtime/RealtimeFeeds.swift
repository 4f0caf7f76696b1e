package import Domain
internal import Wire

/// The three feeds of GTFS-Realtime 2.0, whole each time (`FULL_DATASET`), of the tours that run.
///
/// Fields are written by their numbers in config/contract/gtfs-realtime.proto.
///
/// Pure: what it is told is what it publishes. A tour whose position is older than 75 s is left out, so that with a refresh
/// every 10 s nothing published is older than the 90 s that good practice allows.
package struct RealtimeFeeds: Equatable, Sendable {
    package let vehiclePositions: [UInt8]
    package let tripUpdates: [UInt8]
    package let alerts: [UInt8]

    /// Milliseconds.
    package static let oldestMs: Int64 = 75_000
    /// A delay that is an alert of its own, seconds.
    private static let longDelay = 900

    /// Feeds that were made before.
    package init(vehiclePositions: [UInt8], tripUpdates: [UInt8], alerts: [UInt8]) {
        self.vehiclePositions = vehiclePositions
        self.tripUpdates = tripUpdates
        self.alerts = alerts
    }

    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - oldestMs: of a position that is published.
    package init(
        _ tours: [RunningTour], catalog: Catalog, time: CityTime, now: Int64, oldestMs: Int64 = RealtimeFeeds.oldestMs
    ) {
        let fresh = tours.filter { now - $0.at <= oldestMs }.sorted { $0.bus < $1.bus }
        let seconds = UInt64(max(0, now / 1000))
        func feed(_ entities: [Run.Entity]) -> [UInt8] {
            var message = ProtobufWriter()
            message.message(1) { header in
                header.text(1, "2.0")
                header.integer(2, 0)  // FULL_DATASET
                header.integer(3, seconds)
            }
            for entity in entities { message.message(2, entity) }
            return message.bytes
        }
        let runs = fresh.map { Run($0, catalog, time, now) }
        vehiclePositions = feed(runs.map { $0.vehiclePosition() })
        tripUpdates = feed(runs.compactMap { $0.tripUpdate() })
        alerts = feed(runs.compactMap { $0.alert() })
    }

    /// A tour with what the catalog says of it.
    private struct Run {
        /// Writes a `FeedEntity`.
        typealias Entity = (inout ProtobufWriter) -> Void

        let tour: RunningTour
        let line: Line?
        let pattern: LinePattern?
        let trip: LineTrip?
        let service: Service?
        let bus: Bus?
        /// The feed's ids of stops whose ids here are others.
        let feedStops: [String: String]
        let time: CityTime
        let now: Int64

        init(_ tour: RunningTour, _ catalog: Catalog, _ time: CityTime, _ now: Int64) {
            self.tour = tour
            self.time = time
            self.now = now
            line = catalog.lines[tour.line]
            feedStops = (tour.arrivals.map(\.stop) + [tour.nextStop?.id ?? ""]).reduce(into: [:]) { stops, id in
                stops[id] = catalog.stops[id]?.feedID
            }
            pattern = line?.patterns.first { $0.id == tour.pattern }
            trip = line?.trips.first { $0.id == tour.trip }
            service = trip.flatMap { catalog.services[$0.service] }
            bus = catalog.buses[tour.bus]
        }

        /// As the feed that the line came from has it, so that a reader of both finds it there.
        private var routeID: String { line?.feedID ?? tour.line }

        /// Likewise; a stop that comes twice is told by it only. Nil without a trip, or when the catalog has another way now.
        private func sequence(of stop: Int, _ id: String) -> UInt32? {
            guard let trip, let pattern, pattern.stops.indices.contains(stop), pattern.stops[stop].stop == id else {
                return nil
            }
            return UInt32(exactly: trip.sequence(of: stop))
        }

        /// The service day of a run by frequency, of which `base` is the start: it may be after the midnight behind it.
        private func day(of trip: LineTrip) -> ServiceDate {
            let date = time.date(at: tour.base)
            return [date, date + -1].first { day in
                trip.starts.contains(Int(tour.base - time.start(of: day))) && service?.runs(on: day) ?? true
            } ?? date
        }

        private var seenAt: UInt64 { UInt64(min(tour.at, now) / 1000) }

        private func write(vehicle: inout ProtobufWriter) {
            vehicle.text(1, tour.bus)
            vehicle.text(2, tour.bus)
            if let plate = bus?.plate { vehicle.text(3, plate) }
        }

        /// SCHEDULED and UNSCHEDULED of a trip.
        private enum Relationship {
            static let scheduled: UInt64 = 0
            static let unscheduled: UInt64 = 2
        }

        /// By frequency, and not at the exact times of it.
        private var isUnscheduled: Bool {
            guard let trip, !trip.frequencies.isEmpty else { return false }
            return !trip.frequencies.allSatisfy { $0.isExact }
        }

        /// Writes a trip as its field of that number; nothing outside the schedule, as the standard has no name for such a run.
        private func write(trip field: UInt32, to writer: inout ProtobufWriter) {
            guard let trip else { return }
            // The times of a run by frequency count from its own start, those of others from the day's.
            let day = trip.frequencies.isEmpty ? time.date(at: tour.base + 43_200) : day(of: trip)
            writer.message(field) { descriptor in
                descriptor.text(1, trip.feedID ?? trip.id)
                if !trip.frequencies.isEmpty { descriptor.text(2, Self.clock(Int(tour.base - time.start(of: day)))) }
                descriptor.text(3, day.description.filter { $0 != "-" })
                descriptor.integer(4, isUnscheduled ? Relationship.unscheduled : Relationship.scheduled)
                descriptor.text(5, routeID)
                if let pattern { descriptor.integer(6, UInt64(pattern.direction)) }
            }
        }

        private static func clock(_ seconds: Int) -> String {
            [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(
                separator: ":")
        }

        func vehiclePosition() -> Entity {
            entity("position:", 4) { position in
                write(trip: 1, to: &position)
                position.message(2) { place in
                    place.float(1, Float(tour.lat))
                    place.float(2, Float(tour.lon))
                }
                if let stop = tour.nextStop, trip != nil {
                    if let sequence = sequence(of: stop.index, stop.id) { position.integer(3, UInt64(sequence)) }
                    position.integer(4, 2)  // IN_TRANSIT_TO
                    position.text(7, feedStops[stop.id] ?? stop.id)
                }
                position.integer(5, seenAt)
                position.message(8) { write(vehicle: &$0) }
                position.integer(9, occupancy)
                if let taken = tour.taken, tour.seats > 0 {
                    position.integer(10, UInt64(max(0, 100 * taken / tour.seats)))
                }
            }
        }

        /// More than half of the seats free are many, fewer are few; without standing room none free is full. As the standard
        /// numbers them: EMPTY, MANY_SEATS_AVAILABLE, FEW_SEATS_AVAILABLE, FULL, NO_DATA_AVAILABLE.
        private var occupancy: UInt64 {
            guard let taken = tour.taken, tour.seats > 0 else { return 7 }
            let free = tour.seats - taken
            if taken <= 0 { return 0 }
            if free <= 0 { return 5 }
            return 2 * free > tour.seats ? 1 : 2
        }

        /// Nil outside the schedule, and when nothing is predicted.
        func tripUpdate() -> Entity? {
            let stops = tour.arrivals.compactMap { arrival in
                sequence(of: arrival.index, arrival.stop).map { (arrival: arrival, sequence: $0) }
            }
            guard trip != nil, !stops.isEmpty else { return nil }
            return entity("trip:", 3) { update in
                write(trip: 1, to: &update)
                var last: Int64 = 0
                for (arrival, sequence) in stops {
                    // Strictly rising, as the standard wants it.
                    last = max(last + 1, arrival.at / 1000)
                    update.message(2) { stop in
                        stop.integer(1, UInt64(sequence))
                        stop.message(2) { event in
                            event.signed(2, last)
                            if let early = arrival.early, let late = arrival.late, late > early {
                                event.signed(3, Int64(Int32(clamping: (late - early) / 2000)))
                            }
                        }
                        stop.text(4, feedStops[arrival.stop] ?? arrival.stop)
                        if isUnscheduled { stop.integer(5, 3) }  // UNSCHEDULED of a stop
                    }
                }
                update.message(3) { write(vehicle: &$0) }
                update.integer(4, seenAt)
            }
        }

        func alert() -> Entity? {
            let name = line?.name ?? tour.line
            let (effect, text): (UInt64, String)
            if tour.isOffRoute {
                (effect, text) = (4, "Line \(name): bus \(tour.bus) is off its route")  // DETOUR
            } else if let delay = tour.delay, delay >= RealtimeFeeds.longDelay {
                // SIGNIFICANT_DELAYS
                (effect, text) = (3, "Line \(name): bus \(tour.bus) is \(delay / 60) minutes late")
            } else {
                return nil
            }
            return entity("alert:", 5) { alert in
                alert.message(5) { about in
                    about.text(2, routeID)
                    write(trip: 4, to: &about)
                }
                alert.integer(6, 1)  // UNKNOWN_CAUSE
                alert.integer(7, effect)
                alert.message(10) { header in
                    header.message(1) { translation in
                        translation.text(1, text)
                        translation.text(2, "en")
                    }
                }
            }
        }

        /// Its id is the same in each refresh, and the vehicle's: a bus has one tour at a time.
        private func entity(
            _ prefix: String, _ field: UInt32, _ fill: @escaping (inout ProtobufWriter) -> Void
        ) -> Entity {
            { entity in
                entity.text(1, prefix + tour.bus)
                entity.message(field, fill)
            }
        }
    }
}
