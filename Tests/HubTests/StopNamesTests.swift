import Domain
import Testing

@testable import Hub

@Suite struct StopNamesTests {
    @Test func `stops are found by any part of their names, each once, by name`() {
        var names = StopNames()
        let given = ["Banana", "anana Straße", "Aab", "Ärztehaus", "b"]
        let stops = given.enumerated().map { Stop(id: "s\($0)", name: $1, point: GeoPoint(lat: 45, lon: 9)) }
        var catalog = Catalog(stops: Dictionary(uniqueKeysWithValues: stops.map { ($0.id, $0) }), version: "1")
        names.take(catalog)
        func find(_ text: String) -> [String] { names.find(text).map(\.name) }
        #expect(find("") == given.sorted())
        #expect(find("ANA") == ["Banana", "anana Straße"])
        #expect(find("a") == ["Aab", "Banana", "anana Straße", "Ärztehaus"])
        #expect(find("ärzte") == ["Ärztehaus"] && find("b") == ["Aab", "Banana", "b"])
        #expect(find("aab\nb").isEmpty && find("nobody").isEmpty && find(String(repeating: "x", count: 256)).isEmpty)
        catalog = Catalog(version: "2")
        names.take(catalog)
        #expect(find("").isEmpty && find("a").isEmpty)
    }
}
