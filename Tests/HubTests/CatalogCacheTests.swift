import Domain
import RedisLink
import Testing
import Wire

@testable import Hub

@Suite struct CatalogCacheTests {
    private func reading(_ version: String) -> CatalogReading {
        CatalogReading(version: version, keys: Keys(city: "test"))
    }

    private func marks(_ version: String) -> CatalogMarks {
        var marks = CatalogMarks()
        marks.version = version
        return marks
    }

    /// With a line L.
    private func readingOfLine(_ version: String) -> CatalogReading {
        let reading = reading(version)
        func text(_ text: String) -> RedisReply { .string(Array(text.utf8)) }
        let meta = [text("time_zone"), text("UTC")]
        for words in [meta, [], [], [], [text("L")]] { _ = reading.take(.array(words)) }
        var json = JSONWriter()
        Line(id: "L", name: "L").write(to: &json)
        reading.takeLine(.string(json.bytes))
        return reading
    }

    @Test("B6 A line has one index for all who ask, until another catalog is used")
    func indexes() throws {
        var cache = CatalogCache()
        _ = cache.use(readingOfLine("v1"), marks("v1"))
        let (first, again, none) = (cache.index(of: "L"), cache.index(of: "L"), cache.index(of: "M"))
        #expect(first != nil && first === again && none == nil)
        _ = cache.use(readingOfLine("v2"), marks("v2"))
        let next = cache.index(of: "L")
        #expect(next != nil && next !== first)
        _ = cache.use(reading("v3"), marks("v3"))
        let last = cache.index(of: "L")
        #expect(last == nil)
    }

    @Test("B1 A catalog stands until another one is used, also when it is in use no more")
    func stands() {
        var cache = CatalogCache()
        #expect(!cache.isKnown)
        cache.fallBehind()
        #expect(!cache.isKnown, "there is none yet")
        _ = cache.use(reading("v1"), marks("v1"))
        #expect(cache.isKnown && !cache.isBehind && cache.catalog.version == "v1")
        cache.fallBehind()
        #expect(cache.isKnown && cache.isBehind && cache.catalog.version == "v1")
        let replaced = cache.prepare(reading("v2"))
        #expect(replaced == nil && cache.catalog.version == "v1")
        let other = cache.useNext("v3", at: 7)
        #expect(other == nil && cache.isBehind)
        let spent = cache.useNext("v2", at: 7)
        #expect(spent != nil && cache.isKnown && !cache.isBehind && cache.catalog.version == "v2")
        #expect(cache.next == nil)
    }

    @Test("B1 What was read and never used is given back, to be freed")
    func unused() {
        var cache = CatalogCache()
        let first = reading("v1")
        var given = cache.prepare(first)
        #expect(given == nil)
        given = cache.prepare(reading("v2"))
        #expect(given === first && cache.next?.version == "v2")
    }

    @Test("B1 Where the one in use can't be read, the one before is all there is")
    func unreadable() {
        var cache = CatalogCache()
        _ = cache.use(reading("v1"), marks("v1"))
        cache.fallBehind()
        cache.giveUp()
        #expect(cache.isKnown && !cache.isBehind && cache.catalog.version == "v1")
    }
}
