import Domain

/// The catalog as a worker serves it: the one in use, and one that was read to be used next.
///
/// Most pages are made when somebody asks for them first. Used on the worker's loop only.
struct CatalogCache {
    private(set) var catalog = Catalog()
    private(set) var marks = CatalogMarks()
    /// What is here is, or was until a moment ago, what Redis has in use: an empty catalog means that there is none.
    private(set) var isKnown = false
    /// Another version is in use by now, and is being read.
    private(set) var isBehind = false
    /// Read, and waiting to be told to be used.
    private(set) var next: CatalogReading?
    private var pages = CatalogPages(Catalog())
    private var lists: [CatalogList: [UInt8]] = [:]
    private var entries: [CatalogList: [String: CatalogEntry]] = [:]
    private var entryBytes = 0
    /// One for each line that was asked about. All of them are smaller than the catalog, in which a trip has all its times.
    private var indexes: [String: LineIndex] = [:]
    /// Of single entries that are kept: all of most catalogs. Beyond it they are made anew as they are asked for, and a long
    /// timetable takes milliseconds.
    private static let maxEntryBytes = 64 << 20

    /// Answers the one that was read before and never used, if there is one.
    mutating func prepare(_ reading: CatalogReading) -> CatalogReading? {
        defer { next = reading }
        return next
    }

    /// Changes over to what was read. Answers what was in use until now; nil: what was read is not that version.
    mutating func useNext(_ version: String, at time: Int64) -> SpentCatalog? {
        guard let next, next.version == version else { return nil }
        var marks = marks
        marks.advance(to: version, next.digests, at: time)
        return use(next, marks)
    }

    /// Changes over to what was read whole, with its pages: the version that the marks name. Answers what was in use until now.
    mutating func use(_ reading: CatalogReading, _ marks: CatalogMarks) -> SpentCatalog {
        let spent = SpentCatalog(catalog, pages, lists, entries, indexes)
        catalog = reading.catalog
        self.marks = marks
        pages = reading.pages
        lists = reading.lists
        forgetEntries()
        indexes = [:]
        next = nil
        isKnown = true
        isBehind = false
        return spent
    }

    /// Another version is in use by now: until that is read this one stands, but nobody is told what it does not have.
    mutating func fallBehind() { isBehind = true }

    /// What Redis says of the catalog that is in use here already.
    mutating func mark(_ marks: CatalogMarks) {
        self.marks = marks
        isKnown = true
        isBehind = false
    }

    /// The one in use can't be read; the worker serves with the one before, or without.
    mutating func giveUp() {
        isKnown = true
        isBehind = false
    }

    /// The ids of the lines that stop there, sorted.
    func lines(at stop: String) -> [String] { pages.lines(at: stop) }

    /// Of a line, one for all that ask; nil: there is no such line.
    mutating func index(of line: String) -> LineIndex? {
        if let made = indexes[line] { return made }
        guard let found = catalog.lines[line] else { return nil }
        let index = LineIndex(found, of: catalog.services)
        indexes[line] = index
        return index
    }

    mutating func page(_ list: CatalogList) -> [UInt8] {
        if let made = lists[list] { return made }
        let page = pages.list(list)
        lists[list] = page
        return page
    }

    mutating func page(_ list: CatalogList, entry id: String) -> CatalogEntry? {
        if let made = entries[list]?[id] { return made }
        guard let bytes = pages.entry(list, id) else { return nil }
        let entry = CatalogEntry(bytes: bytes, tag: "\(CatalogPages.form)-" + CatalogPages.digest(bytes))
        if entryBytes + bytes.count > Self.maxEntryBytes { forgetEntries() }
        entries[list, default: [:]][id] = entry
        entryBytes += bytes.count
        return entry
    }

    private mutating func forgetEntries() {
        entries = [:]
        entryBytes = 0
    }
}

/// What was in use until another catalog was. To be freed on a thread: a big city's takes a second.
///
/// `@unchecked Sendable` because the loop makes it, and leaves it to the thread.
final class SpentCatalog: @unchecked Sendable {
    private var catalog: Catalog?
    private var pages: CatalogPages?
    private var lists: [CatalogList: [UInt8]]
    private var entries: [CatalogList: [String: CatalogEntry]]
    private var indexes: [String: LineIndex]

    init(
        _ catalog: Catalog, _ pages: CatalogPages, _ lists: [CatalogList: [UInt8]],
        _ entries: [CatalogList: [String: CatalogEntry]], _ indexes: [String: LineIndex]
    ) {
        (self.catalog, self.pages, self.lists) = (catalog, pages, lists)
        (self.entries, self.indexes) = (entries, indexes)
    }

    func free() {
        catalog = nil
        pages = nil
        lists = [:]
        entries = [:]
        indexes = [:]
    }
}

/// One line, bus, stop or route as it is answered.
struct CatalogEntry {
    let bytes: [UInt8]
    let tag: String
}
