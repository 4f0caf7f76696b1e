import Domain
import Testing

@testable import GTFS

/// Lines on which nobody can ride are said to be so.
@Suite struct IdleLinesTests {
    /// A line per service: every day of November, from January on, on one day, in the past, on no day at all; one whose only
    /// trip can't be used; one without a trip; and a railway.
    private let feed = SmallFeed()
        .with(
            "routes.txt",
            "route_id,route_short_name,route_type\nnow,N,3\nlater,later,3\nonce,once,3\nover,O,3\nnever,never,3\n"
                + "broken,B,3\nbare,bare,3\ntrain,T,2\n"
        )
        .with(
            "calendar.txt",
            """
            service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
            now,1,1,1,1,1,1,1,20261101,20261130
            later,1,0,0,0,0,0,0,20261201,20270630
            over,1,1,1,1,1,0,0,20260101,20260605
            never,0,0,0,0,0,0,0,20260101,20271231
            """
        )
        .with(
            "calendar_dates.txt",
            "service_id,date,exception_type\nlater,20261207,2\nlater,20261214,2\nonce,20261210,1\n"
        )
        .with(
            "trips.txt",
            "route_id,service_id,trip_id\nnow,now,a\nlater,later,b\nonce,once,c\nover,over,d\nnever,never,e\n"
                + "broken,now,f\nover,now,g\n"
        )
        .with(
            "stop_times.txt",
            SmallFeed.head
                + ["a", "b", "c", "d", "e"].map { "\($0),8:00:00,8:00:00,a,1\n\($0),8:10:00,8:10:00,b,2\n" }.joined()
                + "f,8:00:00,8:00:00,a,1\ng,8:00:00,8:00:00,a,1\ng,8h,8h,b,2\n")

    private func read(_ today: String?, days: Int = 30) throws -> (idle: IdleLines, lines: [String]) {
        var options = FeedOptions()
        options.limits.maxSkippedShare = 1
        options.limits.daysWithRides = days
        options.today = today.flatMap { ServiceDate($0) }
        let report = try feed.read(options).report
        return (report.idle, report.lines.filter { $0.hasPrefix("WARNING") })
    }

    @Test("Each line without a ride is named with why, be its calendar over or its trips left out")
    func reasons() throws {
        let (idle, lines) = try read("2026-11-10", days: 26)
        #expect(idle.summary == "6 of 7 lines have no ride on any day from 2026-11-10 to 2026-12-05")
        #expect(
            lines == [
                "WARNING: 6 of 7 lines have no ride on any day from 2026-11-10 to 2026-12-05",
                "WARNING: line bare: trips.txt has no trip of it",
                "WARNING: line broken (B): a trip is left out, for stop_times.txt:12: it has one stop only",
                "WARNING: line later: the next day on which something runs is 2026-12-21",
                "WARNING: line never: its calendar has no day",
                "WARNING: line once: the next day on which something runs is 2026-12-10",
                "WARNING: line over (O): the last day on which something runs was 2026-06-05; a trip is left out, for "
                    + "stop_times.txt:14: \"8h\" is no time HH:MM:SS",
            ])
    }

    @Test("A ride on the last of the days is one; the day after is none")
    func days() throws {
        #expect(try read("2026-11-12", days: 30).idle.all.map(\.id) == ["bare", "broken", "later", "never", "over"])
        #expect(try read("2026-11-12", days: 28).idle.all.map(\.id).contains("once"))
        #expect(try read("2026-11-30", days: 1).idle.all.map(\.id).contains("now") == false)
        #expect(try read("2026-12-01", days: 30).idle.all.map(\.id).contains("now"))
        #expect(try read("2026-11-10", days: 0).idle == IdleLines() && read(nil).lines.isEmpty)
    }

    @Test("Of a feed that begins later its own first days count")
    func future() throws {
        let idle = try read("2025-06-01").idle
        #expect(idle.days == ServiceDate("2026-01-01")!...ServiceDate("2026-01-30")!)
        #expect(idle.all.map(\.id).contains("over") == false && idle.all.map(\.id).contains("now"))
    }

    @Test("Lines with the same reason stand on one line of the report")
    func together() throws {
        let lines = try read("2027-08-01").lines
        #expect(lines.contains("WARNING: line now (N): the last day on which something runs was 2026-11-30"))
        #expect(lines[0] == "WARNING: 7 of 7 lines have no ride on any day from 2027-08-01 to 2027-08-30")
        var options = FeedOptions()
        options.today = ServiceDate("2027-08-01")
        let feed = SmallFeed().with("routes.txt", "route_id,route_short_name,route_type\nL,L,3\nM,9,3\n")
            .with("trips.txt", "route_id,service_id,trip_id\nL,d,t\nM,d,u\n")
            .with("stop_times.txt", SmallFeed.calls + "u,8:00:00,8:00:00,a,1\nu,8:10:00,8:10:00,b,2\n")
        #expect(
            try feed.read(options).report.lines.suffix(1) == [
                "WARNING: lines L, M (9): the last day on which something runs was 2026-12-31"
            ])
    }

    @Test("A line that is driven on request only has its rides by the days of its windows")
    func onRequest() throws {
        let calls = """
            trip_id,location_group_id,stop_sequence,start_pickup_drop_off_window,end_pickup_drop_off_window
            t,g,1,08:00:00,18:00:00
            t,g,2,08:00:00,18:00:00
            """
        let feed = SmallFeed().with("stop_times.txt", calls)
            .with("location_groups.txt", "location_group_id,location_group_name\ng,Group\n")
            .with("location_group_stops.txt", "location_group_id,stop_id\ng,b\ng,c\n")
        var options = FeedOptions()
        options.today = ServiceDate("2026-12-31")
        let (catalog, report) = try feed.read(options)
        #expect(catalog.lines["L"]?.kind == .flex && report.idle.summary == nil)
        options.today = ServiceDate("2027-01-01")
        #expect(
            try feed.read(options).report.idle.summary
                == "the only line has no ride on any day from 2027-01-01 to 2027-01-30")
    }
}
