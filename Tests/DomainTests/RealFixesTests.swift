import Domain
import Testing

struct RealFixesTests {
    private static let cabs = "taxi-sf-cabspotting/sf_cabs_2008-05-21.csv"
    private static let buses = "bus-vp-capmetro/2015-03-07.csv"

    @Test(
        "C2: a day of 241 real cabs: the receivers' jumps are held back, and no cab stays locked",
        .enabled(if: TestData.exists(cabs), "no taxi-sf-cabspotting in the test data"))
    func cabDay() throws {
        var filters: [String: PositionFilter] = [:]
        var (last, believed): ([String: Fix], [String: Fix]) = ([:], [:])
        var quarantined = 0
        var total = 0
        for row in try TestData.rows(Self.cabs) {
            let time = try #require(Int64(row[0])) * 1000
            let point = GeoPoint(lat: try #require(Double(row[2])), lon: try #require(Double(row[3])))
            let fix = Fix(point, at: time)
            total += 1
            switch filters[row[1], default: PositionFilter()].offer(fix, receivedAt: time) {
            case .accepted(let step):
                believed[row[1]] = fix
                if let previous = step.previous {
                    let metres = previous.point.distance(to: point) - 20
                    #expect(metres <= 45 * Double(time - previous.at) / 1000)
                }
            case .quarantined: quarantined += 1
            case .late, .old, .duplicate, .refused: Issue.record("\(row)")
            }
            last[row[1]] = fix
        }
        #expect(filters.count == 241)
        #expect(quarantined > 0 && Double(quarantined) / Double(total) < 0.01)
        for (cab, fix) in last {
            let position = try #require(believed[cab])
            #expect(fix.at - position.at < 600_000, "\(cab) was believed at its end")
        }
    }

    @Test(
        "C3 C4: a day of buses, out of order and doubled here and there, moves forward only",
        .enabled(if: TestData.exists(buses), "no bus-vp-capmetro in the test data"))
    func busDay() throws {
        var filters: [String: PositionFilter] = [:]
        var times: [String: Int64] = [:]
        var late = 0
        var doubled = 0
        // vehicle_id,timestamp,speed,route_id,trip_id,latitude,longitude,…; received as one batch, in the file's order.
        var limits = PositionFilter.Limits()
        limits.maximumAgeMs = 7 * 86_400_000
        var received = try TestData.unixMs("2015-03-09T00:00:00-06:00")
        for row in try TestData.rows(Self.buses) {
            let vehicle = row[0]
            let time = try TestData.unixMs(row[1])
            let point = GeoPoint(lat: try #require(Double(row[5])), lon: try #require(Double(row[6])))
            received += 1
            switch filters[vehicle, default: PositionFilter()].offer(
                Fix(point, at: time), receivedAt: received, limits: limits)
            {
            case .accepted:
                #expect(time > times[vehicle] ?? 0)
                times[vehicle] = time
            case .late: late += 1
            case .duplicate: doubled += 1
            case .old, .quarantined, .refused: break
            }
        }
        #expect(filters.count == 158)
        #expect(late > 0 && doubled >= 100)
    }
}
