import Domain
import Testing

@testable import Hub

struct FinishedTourTests {
    private let places = StopPlaces([0, 812.5, 1700])

    private func tour(schedule: Bool) -> FinishedTour {
        let start: Int64 = 1_795_210_000_123
        return FinishedTour(
            stops: ["a", "b \"1\"", "a"],
            passages: StopPassages(
                places: places, arrivals: [nil, start + 90_000, start + 200_000], departures: [start, nil, nil]),
            schedule: schedule
                ? (0..<3).map { .init(arrival: start + $0 * 100_000, departure: start + $0 * 100_000 + 20_000) } : nil)
    }

    @Test("B6: a finished tour is read from Redis as it was written")
    func roundTrip() throws {
        for hasSchedule in [true, false] {
            let tour = tour(schedule: hasSchedule)
            let again = try #require(FinishedTour(json: tour.json))
            #expect(again.stops == tour.stops && again.schedule == tour.schedule)
            #expect(again.passages.places == places)
            #expect(again.passages.arrivals == tour.passages.arrivals)
            #expect(again.passages.departures == tour.passages.departures)
        }
    }

    @Test("What is no finished tour is passed over")
    func refused() {
        let texts = [
            "", "[]", "{}", #"{"stops":[],"metres":[],"reached":[],"left":[]}"#,
            #"{"stops":["a","b"],"metres":[5,1],"reached":[null,1],"left":[1,null]}"#,
            #"{"stops":["a","b"],"metres":[0,1],"reached":[1],"left":[1,null]}"#,
            #"{"stops":["a","b"],"metres":[0,1],"reached":[null,1],"left":[1,null],"due":[1,2,3]}"#,
        ]
        for text in texts { #expect(FinishedTour(json: Array(text.utf8)) == nil, "\(text)") }
    }
}
