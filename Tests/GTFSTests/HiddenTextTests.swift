import Domain
import Testing

@testable import GTFS

@Suite("What nobody sees in a feed's names")
struct HiddenTextTests {
    @Test("N1: it is left out and said; a name of nothing else is none; what joins letters stays")
    func names() throws {
        let stops = """
            stop_id,stop_name,stop_lat,stop_lon
            a,Mall \u{202E}gnp.exe\u{202C} \u{200B}\u{2066}x,52.000,13.000
            b,\u{200B} \u{FEFF},52.000,13.010
            c,می\u{200C}دان\u{200F},52.000,13.020
            """
        let (catalog, report) = try SmallFeed().with("stops.txt", stops)
            .with(
                "routes.txt",
                "route_id,route_short_name,route_long_name,route_type\nL,1\u{202E}2,\u{2067}Long\u{2069},3\n"
            )
            .with("trips.txt", "route_id,service_id,trip_id,trip_headsign\nL,d,t,\u{2060}North\n").read()
        #expect(catalog.stops["a"]?.name == "Mall gnp.exe x")
        #expect(catalog.stops["b"]?.name == "b")
        #expect(catalog.stops["c"]?.name == "می\u{200C}دان\u{200F}")
        let line = try #require(catalog.lines["L"])
        #expect(line.name == "12" && line.longName == "Long" && line.patterns.first?.headsign == "North")
        // Two of the stops, both of the line, the headsign; and that a stop has its id for a name.
        #expect(report.count(.mended) == 6, "\(report.lines)")
        #expect(report.lines.contains { $0.hasPrefix("mended: stops.txt:2: \"Mall gnp.exe x\" has characters") })
    }

    @Test("a text that is written by hand is refused for it, and not mended")
    func texts() {
        for hidden in [
            "\u{200B}", "\u{202A}", "\u{202E}", "\u{2060}", "\u{2061}", "\u{2064}", "\u{2066}", "\u{2069}", "\u{206F}",
            "\u{FEFF}", "\u{FFF9}", "\u{AD}", "\u{61C}", "\u{180E}", "\u{3164}", "\u{E0041}",
        ] {
            #expect(!Catalog.isText("a" + hidden), "\(hidden.debugDescription)")
        }
        #expect(Catalog.isText("می\u{200C}دان\u{200D}\u{200E}\u{200F}"))
    }
}
