import Domain
import Testing

@testable import GTFS

/// What is kept of stop_times.txt while it is read.
@Suite struct FeedCallsTests {
    private func call(_ sequence: Int, _ stop: Int, distance: Double? = nil) -> FeedCall {
        FeedCall(
            sequence: sequence, stop: stop, line: stop + 1, arrival: stop % 3 == 0 ? nil : stop * 60,
            departure: stop % 3 == 0 ? nil : stop * 60 + 1, distance: distance)
    }

    @Test("each trip's calls come back in their order, wherever its rows stood", arguments: [false, true])
    func order(_ hasDistances: Bool) {
        var calls = FeedCalls(hasDistances: hasDistances)
        var lists = [FeedCalls.List](repeating: FeedCalls.List(), count: 700)
        var wanted = [[FeedCall]](repeating: [], count: 700)
        // Trip by trip, then of each in turn, then backwards: more than a piece holds.
        for number in 0..<140_000 {
            let trip = number < 70_000 ? number / 100 : number % 700
            let sequence = number < 100_000 ? number : 1_000_000 - number
            let made = call(sequence, number, distance: hasDistances && number % 5 > 0 ? Double(number) / 3 : nil)
            calls.append(made, to: &lists[trip])
            wanted[trip].append(made)
        }
        for trip in lists.indices {
            let read = calls[lists[trip]]
            let sorted = wanted[trip].sorted { $0.sequence < $1.sequence }
            #expect(lists[trip].count == wanted[trip].count)
            #expect(read.map(\.sequence) == sorted.map(\.sequence) && read.map(\.stop) == sorted.map(\.stop))
            #expect(read.map(\.arrival) == sorted.map(\.arrival) && read.map(\.line) == sorted.map(\.line))
            #expect(read.map(\.departure) == sorted.map(\.departure) && read.map(\.distance) == sorted.map(\.distance))
        }
        #expect(calls[FeedCalls.List()].isEmpty)
    }

    @Test("a stop is found by the bytes of its id, and no other is")
    func numbers() {
        let ids = (0..<3_000).map { "stop-\($0 * 7)" } + ["", "ä", String(repeating: "x", count: 300)]
        let numbers = StopNumbers(ids)
        for (number, id) in ids.enumerated() { #expect(numbers[Array(id.utf8).span] == number) }
        for id in ["stop-1", "stop-", "a", String(repeating: "x", count: 299)] {
            #expect(numbers[Array(id.utf8).span] == nil)
        }
        #expect(StopNumbers([])[Array("a".utf8).span] == nil)
    }

    @Test("a feed is the same whatever the order of its rows")
    func rows() throws {
        let feed = SmallFeed().with("trips.txt", "route_id,service_id,trip_id\nL,d,t\nL,d,u\nL,d,v\n")
        let rows = ["t", "u", "v"].enumerated().flatMap { hour, trip in
            ["a", "b", "c"].enumerated().map { "\(trip),\(8 + hour):0\($0 * 4):00,,\($1),\($0 * 3)\n" }
        }
        let whole = try feed.with("stop_times.txt", SmallFeed.head + rows.joined()).read().catalog
        #expect(whole.lines["L"]?.trips.map(\.sequences) == [[0, 3, 6], [0, 3, 6], [0, 3, 6]])
        for _ in 0..<20 {
            let mixed = try feed.with("stop_times.txt", SmallFeed.head + rows.shuffled().joined()).read().catalog
            #expect(mixed == whole)
        }
    }

    @Test(
        "a time of day is H:MM:SS with one to three digits of hours, up to a week",
        arguments: [
            ("8:05:09", 29_109), ("08:05:09", 29_109), ("100:00:00", 360_000), ("168:00:00", 604_800),
            ("168:00:01", nil),
            ("8:5:09", nil), ("8:05", nil), ("8:60:00", nil), ("8:00:60", nil), ("1000:00:00", nil), (":00:00", nil),
            ("8:00:00:00", nil), ("8:00:00 ", nil), ("-8:00:00", nil), ("", nil), ("::", nil), ("8:00:", nil),
            ("8:005:09", nil),
        ] as [(String, Int?)])
    func timeOfDay(_ text: String, _ seconds: Int?) {
        #expect(TimeOfDay.seconds(Array(text.utf8).span) == seconds)
        #expect(TimeOfDay.seconds(Array("8:05".utf8).span, allowsMinutes: true) == 29_100)
    }
}
