package import Domain
import SwiftProtobuf

/// The three feeds of GTFS-Realtime 2.0, whole each time (`FULL_DATASET`), of the tours that run.
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
        func feed(_ entities: [TransitRealtime_FeedEntity]) -> [UInt8] {
            var message = TransitRealtime_FeedMessage()
            message.header.gtfsRealtimeVersion = "2.0"
            message.header.incrementality = .fullDataset
            message.header.timestamp = seconds
            message.entity = entities
            // Only a required field that is missing could make it fail, and none is.
            return (try? message.serializedBytes()) ?? []
        }
        let runs = fresh.map { Run($0, catalog, time, now) }
        vehiclePositions = feed(runs.map { $0.vehiclePosition() })
        tripUpdates = feed(runs.compactMap { $0.tripUpdate() })
        alerts = feed(runs.compactMap { $0.alert() })
    }

    /// A tour with what the catalog says of it.
    private struct Run {
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

        private var vehicle: TransitRealtime_VehicleDescriptor {
            var vehicle = TransitRealtime_VehicleDescriptor()
            vehicle.id = tour.bus
            vehicle.label = tour.bus
            if let plate = bus?.plate { vehicle.licensePlate = plate }
            return vehicle
        }

        /// Nil outside the schedule: the standard has no name for such a run.
        private var descriptor: TransitRealtime_TripDescriptor? {
            guard let trip else { return nil }
            var descriptor = TransitRealtime_TripDescriptor()
            descriptor.tripID = trip.feedID ?? trip.id
            descriptor.routeID = routeID
            if let pattern { descriptor.directionID = UInt32(pattern.direction) }
            // The times of a run by frequency count from its own start, those of others from the day's.
            let day = trip.frequencies.isEmpty ? time.date(at: tour.base + 43_200) : day(of: trip)
            descriptor.startDate = day.description.filter { $0 != "-" }
            if !trip.frequencies.isEmpty {
                descriptor.startTime = Self.clock(Int(tour.base - time.start(of: day)))
                let isExact = trip.frequencies.allSatisfy { $0.isExact }
                descriptor.scheduleRelationship = isExact ? .scheduled : .unscheduled
            } else {
                descriptor.scheduleRelationship = .scheduled
            }
            return descriptor
        }

        private static func clock(_ seconds: Int) -> String {
            [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(
                separator: ":")
        }

        func vehiclePosition() -> TransitRealtime_FeedEntity {
            var position = TransitRealtime_VehiclePosition()
            if let descriptor { position.trip = descriptor }
            position.vehicle = vehicle
            position.position.latitude = Float(tour.lat)
            position.position.longitude = Float(tour.lon)
            position.timestamp = seenAt
            if let stop = tour.nextStop, descriptor != nil {
                position.stopID = feedStops[stop.id] ?? stop.id
                if let sequence = sequence(of: stop.index, stop.id) { position.currentStopSequence = sequence }
                position.currentStatus = .inTransitTo
            }
            position.occupancyStatus = occupancy
            if let taken = tour.taken, tour.seats > 0 {
                position.occupancyPercentage = UInt32(max(0, 100 * taken / tour.seats))
            }
            return entity("position:") { $0.vehicle = position }
        }

        /// More than half of the seats free are many, fewer are few; without standing room none free is full.
        private var occupancy: TransitRealtime_VehiclePosition.OccupancyStatus {
            guard let taken = tour.taken, tour.seats > 0 else { return .noDataAvailable }
            let free = tour.seats - taken
            if taken <= 0 { return .empty }
            if free <= 0 { return .full }
            return 2 * free > tour.seats ? .manySeatsAvailable : .fewSeatsAvailable
        }

        /// Nil outside the schedule, and when nothing is predicted.
        func tripUpdate() -> TransitRealtime_FeedEntity? {
            guard let descriptor else { return nil }
            var update = TransitRealtime_TripUpdate()
            update.trip = descriptor
            update.vehicle = vehicle
            update.timestamp = seenAt
            var last: Int64 = 0
            for arrival in tour.arrivals {
                guard let sequence = sequence(of: arrival.index, arrival.stop) else { continue }
                var event = TransitRealtime_TripUpdate.StopTimeEvent()
                // Strictly rising, as the standard wants it.
                last = max(last + 1, arrival.at / 1000)
                event.time = last
                if let early = arrival.early, let late = arrival.late, late > early {
                    event.uncertainty = Int32(clamping: (late - early) / 2000)
                }
                var stop = TransitRealtime_TripUpdate.StopTimeUpdate()
                stop.stopSequence = sequence
                stop.stopID = feedStops[arrival.stop] ?? arrival.stop
                stop.arrival = event
                if descriptor.scheduleRelationship == .unscheduled { stop.scheduleRelationship = .unscheduled }
                update.stopTimeUpdate.append(stop)
            }
            guard !update.stopTimeUpdate.isEmpty else { return nil }
            return entity("trip:") { $0.tripUpdate = update }
        }

        func alert() -> TransitRealtime_FeedEntity? {
            let name = line?.name ?? tour.line
            var alert = TransitRealtime_Alert()
            if tour.isOffRoute {
                alert.effect = .detour
                alert.headerText = Self.english("Line \(name): bus \(tour.bus) is off its route")
            } else if let delay = tour.delay, delay >= RealtimeFeeds.longDelay {
                alert.effect = .significantDelays
                alert.headerText = Self.english("Line \(name): bus \(tour.bus) is \(delay / 60) minutes late")
            } else {
                return nil
            }
            alert.cause = .unknownCause
            var about = TransitRealtime_EntitySelector()
            about.routeID = routeID
            if let descriptor { about.trip = descriptor }
            alert.informedEntity = [about]
            return entity("alert:") { $0.alert = alert }
        }

        private static func english(_ text: String) -> TransitRealtime_TranslatedString {
            var translation = TransitRealtime_TranslatedString.Translation()
            translation.text = text
            translation.language = "en"
            var string = TransitRealtime_TranslatedString()
            string.translation = [translation]
            return string
        }

        /// Its id is the same in each refresh, and the vehicle's: a bus has one tour at a time.
        private func entity(
            _ prefix: String, _ fill: (inout TransitRealtime_FeedEntity) -> Void
        ) -> TransitRealtime_FeedEntity {
            var entity = TransitRealtime_FeedEntity()
            entity.id = prefix + tour.bus
            fill(&entity)
            return entity
        }
    }
}
