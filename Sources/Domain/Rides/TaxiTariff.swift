/// What of a taxi's trip its fare goes by.
public struct TaxiTrip: Sendable, Equatable {
    /// With the passenger aboard.
    public var metres: Int
    public var seconds: Int
    public var passengers: Int
    public var isReserved: Bool
    /// Zones that it has come into, each once.
    public var zones: [String]

    public init(metres: Int, seconds: Int, passengers: Int, isReserved: Bool = false, zones: [String] = []) {
        self.metres = metres
        self.seconds = seconds
        self.passengers = passengers
        self.isReserved = isReserved
        self.zones = zones
    }
}

/// A fare and what it is made of, in hundredths of the currency.
public struct TaxiFare: Sendable, Equatable {
    public struct Part: Sendable, Equatable {
        public enum Name: String, CaseIterable, Sendable {
            case flagFall = "flag_fall"
            case distance
            case time
            /// A fixed fare, in the place of these three.
            case slab
            /// What lacks to the least that a ride costs.
            case minimum
            case night
            case passengers
            case booking
            case toll
        }

        public var name: Name
        public var amount: Int
        /// Of a toll.
        public var zone: String?

        public init(_ name: Name, _ amount: Int, zone: String? = nil) {
            self.name = name
            self.amount = amount
            self.zone = zone
        }
    }

    /// None of them is 0.
    public let parts: [Part]
    public var amount: Int { parts.reduce(0) { $0 + $1.amount } }
}

/// What a taxi costs, in hundredths of the currency. The one arithmetic of fares: of an estimate and of a trip that is over. Pure.
///
/// Each part is rounded to a hundredth, half of one up, so that what a receipt lists adds up to what it demands.
public struct TaxiTariff: Sendable, Equatable {
    public var flagFall = 0
    /// In ten thousandths of the currency: a kilometre may cost 0.125.
    public var perKm = 0
    public var perMinute = 0
    /// Of the parts that are no supplement.
    public var minimum = 0
    public var booking = 0
    public var night = 0
    /// Of the parts that are no supplement, per cent.
    public var nightPercent = 0.0
    public var extraPassenger = 0
    /// The first passenger that costs more, from 1.
    public var extraFrom = 4
    /// By zone.
    public var tolls: [String: Int] = [:]

    public init() {}

    /// `slab`: a fixed fare that holds in the place of the meter; `isNight`: when it begins.
    public func fare(of trip: TaxiTrip, slab: Int?, isNight: Bool) -> TaxiFare {
        var parts: [TaxiFare.Part] = []
        func add(_ name: TaxiFare.Part.Name, _ amount: Int, zone: String? = nil) {
            if amount > 0 { parts.append(TaxiFare.Part(name, amount, zone: zone)) }
        }
        if let slab {
            add(.slab, slab)
        } else {
            add(.flagFall, flagFall)
            add(.distance, Self.share(perKm, trip.metres, of: 1000 * 100))
            add(.time, Self.share(perMinute, trip.seconds, of: 60 * 100))
            add(.minimum, minimum - parts.reduce(0) { $0 + $1.amount })
        }
        let driven = parts.reduce(0) { $0 + $1.amount }
        if isNight { add(.night, night + Self.share(Int((nightPercent * 1000).rounded()), driven, of: 100_000)) }
        add(.passengers, extraPassenger * max(0, trip.passengers - extraFrom + 1))
        if trip.isReserved { add(.booking, booking) }
        for zone in trip.zones { add(.toll, tolls[zone] ?? 0, zone: zone) }
        return TaxiFare(parts: parts)
    }

    private static func share(_ price: Int, _ amount: Int, of unit: Int) -> Int {
        (price * max(0, amount) * 2 + unit) / (unit * 2)
    }
}
