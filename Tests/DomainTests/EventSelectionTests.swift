import Domain
import Testing
import Wire

@Suite struct EventSelectionTests {
    @Test(
        "CH4: patterns of events",
        arguments: [
            ("ride.*", "ride.accepted", true), ("ride.*", "ride", false), ("ride.*", "ride.a.b", false),
            ("ride.*", "rides.a", false), ("*", "audit", true), ("*", "ride.accepted", false),
            (">", "offer.made", true),
            (">", "audit", true), ("queue.>", "queue.joined", true), ("queue.>", "queue", false),
            ("queue.>", "queue.a.b", true), ("queue.>", "queued.a", false), ("*.made", "offer.made", true),
            ("*.made", "made", false), ("*.*", "a.b", true), ("*.>", "a.b.c", true), ("*.>", "a", false),
            ("ride.near", "ride.near", true), ("ride.near", "ride.nearer", false),
        ])
    func patterns(pattern: String, type: String, matches: Bool) {
        #expect(EventPattern(pattern)?.matches(type) == matches)
    }

    @Test(
        "What is no pattern",
        arguments: ["", "ride.", ".a", "a..b", "ri*", "a.**", ">.a", "a>", "a.>.b", "a b", "Ride.a"])
    func noPatterns(pattern: String) { #expect(EventPattern(pattern) == nil) }

    @Test("The catalogue's names are patterns of one event each, in order, and each of its fields stands once")
    func catalogue() {
        let names = EventCatalogue.all.map(\.name)
        #expect(names == names.sorted() && Set(names).count == names.count && names.count > 60)
        for kind in EventCatalogue.all {
            let pattern = EventPattern(kind.name)
            #expect(names.filter { pattern?.matches($0) == true } == [kind.name])
            #expect(Set(kind.fields).count == kind.fields.count && kind.fields.allSatisfy { !$0.contains("!") })
            #expect(kind.personal.allSatisfy(kind.fields.contains))
            #expect(EventCatalogue.kind(kind.name) == kind)
        }
        let request = EventCatalogue.kind("ride.requested")
        #expect(request?.personal == ["passenger", "lat", "lon", "to_lat", "to_lon", "needs"])
        #expect(request?.common == ["ride", "zone", "passengers"])
        // A driver may write its own.
        #expect(EventCatalogue.kind("seats.changed")?.personal == ["reason"])
        #expect(EventCatalogue.kind("ride.unheard") == nil)
    }

    @Test(
        "The nearest names of one that is unknown",
        arguments: [
            ("ride.acepted", "ride.accepted"), ("rid.accepted", "ride.accepted"), ("seat.canceled", "seat.cancelled"),
            ("queue.join", "queue.joined"), ("tour.start", "tour.started"), ("sos.rised", "sos.raised"),
            ("offer.mode", "offer.made"), ("rides.*", "ride.*"), ("*.acepted", "*.accepted"), ("stops.>", "stop.>"),
        ])
    func nearest(name: String, best: String) {
        let near = EventCatalogue.nearest(name)
        #expect(near.first == best)
        #expect((1...3).contains(near.count))
    }

    @Test("However strange a name, something is near it")
    func alwaysNear() {
        for name in ["", "x", String(repeating: "z", count: 5000), "ride.*.x", "\u{0}"] {
            #expect((1...3).contains(EventCatalogue.nearest(name).count))
        }
    }

    @Test(
        "What can't be chosen says what can",
        arguments: [
            ("ride.acepted", true, "ride.accepted"), ("rides.*", true, "nearest are ride.*"),
            ("", false, "ride.requested"),
            ("ride.*?", false, "zone, line, vehicle"), ("ride.*?zon=14", false, "zone=<id>"),
            ("ride.*?zone=", false, "needs an id"), ("ride.*?zone=1,", false, "needs an id"),
            ("ride.*?zone=1&zone=2", false, "twice"), ("ride.*?line=52", false, "says a line"),
            ("ride.*?zone=1&", false, "zone, line, vehicle"),
        ])
    func refusals(text: String, isUnknown: Bool, says: String) {
        let problem = #expect(throws: EventSelection.Problem.self) { try EventSelection(text) }
        #expect(problem?.isUnknown == isUnknown)
        #expect(problem?.detail.contains(says) == true, "\(problem?.detail ?? "")")
    }

    @Test(
        "Filters",
        arguments: [
            (">?zone=14", #"{"zone":"14","driver":"T1"}"#, true), (">?zone=14", #"{"zone":"15"}"#, false),
            (">?zone=14", #"{"driver":"T1"}"#, false), (">?zone=15,14", #"{"zone":"14"}"#, true),
            (">?vehicle=B7", #"{"bus":"B7","driver":"D9"}"#, true),
            (">?vehicle=D9", #"{"bus":"B7","driver":"D9"}"#, true),
            (">?line=52&vehicle=B7", #"{"bus":"B7","line":"53"}"#, false),
            (">?line=52&vehicle=B7", #"{"line":"52","bus":"B7"}"#, true), (">?zone=14", #"{"zone":14}"#, false),
            (">?zone=14", #"{"before":{"zone":"14"}}"#, false), (">?zone=14", #"{"zone":"#, false),
            ("ride.*?zone=a:b", #"{"zone":"a:b"}"#, true),
        ])
    func filters(text: String, data: String, passes: Bool) throws {
        let selection = try EventSelection(text)
        #expect(Array(data.utf8).withUnsafeBytes { selection.passes($0) } == passes)
    }

    @Test(
        "An object with some of its members only",
        arguments: [
            (#"{"a":1,"b":{"a":2},"c":"x"}"#, #"{"b":{"a":2},"c":"x"}"#), (#"{"a":1}"#, "{}"), ("{}", "{}"),
            (#"{ "b" : [1, 2] , "a":"}"}"#, #"{"b" : [1, 2]}"#), (#"{"b":1,"#, "{}"), ("[]", "{}"),
            (#"{"\u0061":1,"b":2}"#, #"{"b":2}"#),
        ])
    func only(object: String, rest: String) {
        let bytes = Array(object.utf8).withUnsafeBytes { JSONMembers.only(["b", "c"], of: $0) }
        #expect(String(decoding: bytes, as: UTF8.self) == rest)
    }
}
