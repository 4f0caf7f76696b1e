import Domain
import Settings
import Testing

/// What a taxi costs, against figures worked out by hand.
@Suite struct TaxiFareTests {
    private static let evening = 21 * 3600

    private func fares(_ change: (inout Settings.Fares) -> Void = { _ in }) -> Settings.Fares {
        var fares = Settings().fares
        fares.flagFall = 3.5
        fares.perKm = 1.2
        fares.perMinute = 0.4
        change(&fares)
        return fares
    }

    private func parts(_ fare: TaxiFare?) -> [String] {
        fare?.parts.map { "\($0.name.rawValue) \($0.amount)" + ($0.zone.map { " " + $0 } ?? "") } ?? ["none"]
    }

    @Test("M11: nothing is set, and there is no fare")
    func unset() {
        let trip = TaxiTrip(metres: 5000, seconds: 600, passengers: 1)
        #expect(Settings().fares.fare(of: trip, from: "1", to: "2", at: 0) == nil)
    }

    @Test("M11: by kilometre and minute, each part to the hundredth, half of one up")
    func meter() {
        // 4.375 km at 1.20 are 5.25; 754 s at 0.40 are 5.026….
        let fare = fares().fare(
            of: TaxiTrip(metres: 4375, seconds: 754, passengers: 2), from: "1", to: "2", at: Self.evening)
        #expect(parts(fare) == ["flag_fall 350", "distance 525", "time 503"])
        #expect(fare?.amount == 1378)
    }

    @Test("M11: the minimum fills up what was driven, before supplements")
    func minimum() {
        let set = fares {
            $0.minimum = 8
            $0.extraPassenger = 1
            $0.extraFrom = 3
            $0.booking = 2
        }
        let trip = TaxiTrip(metres: 1000, seconds: 120, passengers: 4, isReserved: true)
        let fare = set.fare(of: trip, from: nil, to: nil, at: Self.evening)
        #expect(
            parts(fare) == ["flag_fall 350", "distance 120", "time 80", "minimum 250", "passengers 200", "booking 200"])
    }

    @Test("M11: night goes over midnight; its end is no night")
    func night() {
        let set = fares {
            $0.night = 1.5
            $0.nightPercent = 10
            $0.nightHours = "22:00-06:00"
        }
        let trip = TaxiTrip(metres: 1000, seconds: 0, passengers: 1)
        func night(_ second: Int) -> Int? {
            set.fare(of: trip, from: nil, to: nil, at: second)?.parts.first { $0.name == .night }?.amount
        }
        // 10 % of 4.70 and 1.50.
        #expect(night(22 * 3600) == 197 && night(0) == 197 && night(6 * 3600 - 1) == 197)
        #expect(night(6 * 3600) == nil && night(22 * 3600 - 1) == nil)
    }

    @Test("M11: a slab from zone to zone takes the place of the meter; tolls come on top, once a zone")
    func slabs() {
        let set = fares {
            $0.slabs = ["14:22: 5km=12.00 10km=18.50", "*: 100km=99.00"]
            $0.tolls = ["22=2.50", "z=1"]
        }
        let trip = TaxiTrip(metres: 5001, seconds: 600, passengers: 1, zones: ["22", "7"])
        #expect(parts(set.fare(of: trip, from: "14", to: "22", at: 0)) == ["slab 1850", "toll 250 22"])
        #expect(parts(set.fare(of: trip, from: "22", to: "14", at: 0)) == ["slab 9900", "toll 250 22"])
    }
}
