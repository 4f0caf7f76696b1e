public import Domain

extension Settings {
    static let fareTable: [Setting] = [
        .number(
            "fares.flag_fall", \.fares.flagFall, 0...10_000, .atReload,
            """
            What a taxi costs to get in, in vehicles.currency. With this, per_km, per_minute, minimum and slabs all empty \
            no fares of taxis are told.
            """),
        .number("fares.per_km", \.fares.perKm, 0...10_000, .atReload, "A kilometre with the passenger aboard."),
        .number("fares.per_minute", \.fares.perMinute, 0...10_000, .atReload, "A minute with the passenger aboard."),
        .number(
            "fares.minimum", \.fares.minimum, 0...10_000, .atReload,
            "Less than this no ride costs, without supplements."),
        .list(
            "fares.slabs", \.fares.slabs, .fares, .atReload,
            """
            Fixed fares by distance from one zone to another, which take the place of the four above: "14:22: 5km=12.00 \
            10km=18.50"; * is for all others. Beyond the last distance its fare stays.
            """),
        .number("fares.booking", \.fares.booking, 0...10_000, .atReload, "Supplement of a ride that was reserved."),
        .number(
            "fares.night", \.fares.night, 0...10_000, .atReload,
            "Supplement of a ride that begins in fares.night_hours."),
        .number(
            "fares.night_percent", \.fares.nightPercent, 0...500, .atReload,
            "And so much of the fare without supplements, per cent."),
        .text(
            "fares.night_hours", \.fares.nightHours, .any, .atReload,
            """
            When it is night on the city's clock (the time zone of the timetable; UTC without one), as 22:00-06:00. Empty: \
            never.
            """),
        .number(
            "fares.extra_passenger", \.fares.extraPassenger, 0...10_000, .atReload,
            "Supplement for each passenger from fares.extra_from on."),
        .integer(
            "fares.extra_from", \.fares.extraFrom, 1...99, .atReload,
            "Which passenger is the first that costs more; luggage never does."),
        .list(
            "fares.tolls", \.fares.tolls, .toll, .atReload,
            """
            What it costs to come into a zone with a passenger, once a ride, as "22=2.50". Who is picked up there pays none.
            """),
    ]

    static let tripTable: [Setting] = [
        .integer(
            "trips.kept_days", \.trips.keptDays, 14...400, .atReload,
            """
            Days for which passengers and drivers can see a trip and its receipt; no longer than redis.kept_days, as it tells \
            where people were. Records (store.url) keep it for longer.
            """),
        .integer(
            "trips.rate_days", \.trips.rateDays, 1...400, .atReload,
            "Days after its end for which a trip can be rated."),
    ]

    /// What taxis cost, in units of the currency.
    public struct Fares: Sendable, Equatable {
        public var flagFall = 0.0
        public var perKm = 0.0
        public var perMinute = 0.0
        /// Of all that is no supplement.
        public var minimum = 0.0
        /// From zone to zone; see ``FareTable``.
        public var slabs: [String] = [] { didSet { table = FareTable(slabs) } }
        private var table = FareTable([])
        public var booking = 0.0
        public var night = 0.0
        /// Per cent.
        public var nightPercent = 0.0
        /// As `22:00-06:00`.
        public var nightHours = ""
        public var extraPassenger = 0.0
        /// From 1.
        public var extraFrom = 4
        /// `zone=amount`.
        public var tolls: [String] = [] {
            didSet { tollsByZone = Dictionary(tolls.compactMap(Self.toll), uniquingKeysWith: { $1 }) }
        }
        /// Hundredths by the zone that is come into.
        public private(set) var tollsByZone: [String: Int] = [:]

        public init() {}

        /// Whether taxis have fares at all.
        public var areSet: Bool { hasMeter || !slabs.isEmpty }

        private var hasMeter: Bool { flagFall > 0 || perKm > 0 || perMinute > 0 || minimum > 0 }

        /// From when to when it is night, seconds of the day; the second may be the smaller one. Nil when it is empty or malformed.
        var nightRange: (from: Int, to: Int)? {
            let ends = nightHours.split(separator: "-", omittingEmptySubsequences: false).map(Stops.second)
            guard ends.count == 2, let from = ends[0], let to = ends[1], from != to else { return nil }
            return (from, to)
        }

        private func isNight(_ second: Int) -> Bool {
            guard let (from, to) = nightRange else { return false }
            let (isAfter, isBefore) = (second >= from, second < to)
            return from < to ? isAfter && isBefore : isAfter || isBefore
        }

        static func toll(_ text: String) -> (zone: String, amount: Int)? {
            guard let sign = text.lastIndex(of: "="), sign != text.startIndex,
                let amount = FareTable.Line.number(text[text.index(after: sign)...])
            else { return nil }
            return (String(text[..<sign]), hundredths(amount))
        }

        private static func hundredths(_ amount: Double) -> Int { Int((amount * 100).rounded()) }

        /// What a trip from one zone to another costs, by its meter or by a slab; nil: nothing is set for it.
        /// `zones`: of pickup and destination, nil outside all; `second`: of the city's day, when it begins.
        public func fare(
            of trip: TaxiTrip, from: String?, to: String?, at second: Int
        ) -> TaxiFare? {
            let route = from.flatMap { from in to.map { "\(from):\($0)" } }
            let slab = table.fare(route: route, metres: Double(trip.metres))
            guard slab != nil || hasMeter else { return nil }
            var tariff = TaxiTariff()
            tariff.flagFall = Self.hundredths(flagFall)
            tariff.perKm = Int((perKm * 10_000).rounded())
            tariff.perMinute = Int((perMinute * 10_000).rounded())
            tariff.minimum = Self.hundredths(minimum)
            tariff.booking = Self.hundredths(booking)
            tariff.night = Self.hundredths(night)
            tariff.nightPercent = nightPercent
            tariff.extraPassenger = Self.hundredths(extraPassenger)
            tariff.extraFrom = extraFrom
            tariff.tolls = tollsByZone
            return tariff.fare(of: trip, slab: slab, isNight: isNight(second))
        }
    }

    /// What remains of trips.
    public struct Trips: Sendable, Equatable {
        /// Days.
        public var keptDays = 30
        /// Days after a trip's end.
        public var rateDays = 14

        public init() {}
    }
}
