import RedisLink
import Testing
import Wire

@testable import Hub

/// Tests of stops on request share a line: L has one pattern, `out`, due north from 45.0/9.0; a degree is 111,195 m.
protocol StopLine {}

extension StopLine {
    static var now: Int64 { 1_800_000_000_000 }
    static var minute: Int { 60_000 }

    /// The latitude so many metres along the line.
    static func lat(_ metres: Double) -> String { String(45 + metres / 111_195) }

    /// A tour of the line with its driver; 8 seats.
    func start(
        _ city: TestCity, _ driver: String = "B1", tour: String = "t1", bus: String = "7", trip: String = ""
    ) async throws {
        try await city.call("session_hello", ["bus_driver", driver, "s-\(driver)", "w", ""])
        let reply = try await city.command(
            "tour_start", driver, tour, bus, "8", "L", "out", trip, #"["a","b"]"#, "w", "", "", "", "", "", "0", "")
        #expect(reply["state"]?.text == "running")
    }

    /// The driver's list, as its snapshot has it; nil when it is empty.
    func places(_ city: TestCity, of driver: String = "B1") async throws -> JSONValue? {
        let hello = try await city.call("session_hello", ["bus_driver", driver, "s-\(driver)", "w", ""])
        return try JSONValue(parsing: Array((hello[2].text ?? "").utf8))["places"]
    }

    /// The bus is so many metres along the line. first: it has not begun its way, and so far along is at its first stop; late: its
    /// fix was measured so long ago, ms.
    func drive(
        _ city: TestCity, to metres: Double, tour: String = "t1", after ms: Int = 10_000, first: String = "",
        late: Int64 = 0
    ) async throws {
        try await city.advance(ms)
        let now = try #require(try await city.field("settings", "clock_hub"))
        let measured = try String(#require(Int64(now)) - late)
        try await city.call(
            "tour_moved",
            [
                tour, now, Self.lat(metres), "9.0", String(metres), "", "", "[]", "", "[]", now, "",
                "[[\(Self.lat(metres)),9.0,\(measured)]]", "[]", "", "[]", first, measured, "",
            ])
    }

    /// A request for a place so many metres along the line, in so many minutes. run: the timetable's that is due then.
    func wish(
        _ id: String, _ metres: Double, inMinutes minutes: Int, passengers: Int = 1, later: Bool = false,
        laterAt: Int? = nil, isAsked: Bool = true, isFirst: Bool = false, run: String? = nil
    ) -> String {
        """
        {"id":"\(id)","lat":\(Self.lat(metres)),"lon":9.0,"at":\(Self.now + Int64(minutes * Self.minute)),\
        "passengers":\(passengers),"asked":\(isAsked),"places":{"out":[\(metres)]},\
        \(laterAt.map { #""later_at":\#(Self.now + Int64($0 * Self.minute)),"later_clock":"9:47","later_moment":"9:47","# } ?? "")\
        \(run.map { #""runs":[["\#($0)",0,\#(Self.now + Int64(minutes * Self.minute)),1]],"# } ?? "")\
        \(isFirst ? #""first":true,"# : "")\
        "later":\(later || laterAt != nil)}
        """
    }

    func request(
        _ city: TestCity, _ citizen: String, _ wishes: String..., key: String = "", line: String = "L"
    ) async throws -> TestCity.Outcome {
        let person = #"{"name":"Ada","number":"+49 30 1234","help":["wheelchair"]}"#
        return try await city.command("stop_request", with: [citizen, key, line, "", "", person] + wishes)
    }

    func answer(
        _ city: TestCity, _ what: String, _ request: String, all: Bool = false, driver: String = "B1"
    ) async throws -> TestCity.Outcome {
        try await city.command("stop_answer", driver, what, request, all ? "1" : "", "")
    }
}
