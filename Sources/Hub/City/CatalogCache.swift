import Domain

/// The catalog as a worker serves it: the one in use, and one that was read to be used next.
///
/// Pages are made when somebody asks for them first. Used on the worker's loop only.
struct CatalogCache {
    private(set) var catalog = Catalog()
    private(set) var marks = CatalogMarks()
    /// What is here is what Redis has in use, as far as is known: an empty catalog means that there is none.
    private(set) var isKnown = false
    /// Read, and waiting to be told to be used.
    private(set) var next: CatalogReading?
    private var pages = CatalogPages(Catalog())
    private var lists: [CatalogList: [UInt8]] = [:]
    private var entries: [CatalogList: [String: CatalogEntry]] = [:]
    private var entryBytes = 0
    /// Of single entries that are kept: all of most catalogs. Beyond it they are made anew as they are asked for, and a long
    /// timetable takes milliseconds.
    private static let maxEntryBytes = 64 << 20

    mutating func prepare(_ reading: CatalogReading) { next = reading }

    /// Changes over to what was read, if it is that version.
    mutating func useNext(_ version: String, at time: Int64) -> Bool {
        guard let next, next.catalog.version == version else { return false }
        var marks = marks
        marks.advance(to: version, next.digests, at: time)
        use(next.catalog, marks)
        return true
    }

    /// Changes over. `catalog` is that of the version that the marks name.
    mutating func use(_ catalog: Catalog, _ marks: CatalogMarks) {
        self.catalog = catalog
        self.marks = marks
        pages = CatalogPages(catalog)
        lists = [:]
        forgetEntries()
        next = nil
        isKnown = true
    }

    /// Another version is in use by now: until that is read nobody is told what stands in this one, nor what does not.
    mutating func fallBehind() { isKnown = false }

    /// What Redis says of the catalog that is in use here already.
    mutating func mark(_ marks: CatalogMarks) {
        self.marks = marks
        isKnown = true
    }

    /// There is none that could be read; the worker serves without.
    mutating func giveUp() { isKnown = true }

    /// The ids of the lines that stop there, sorted.
    func lines(at stop: String) -> [String] { pages.lines(at: stop) }

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

/// One line, bus, stop or route as it is answered.
struct CatalogEntry {
    let bytes: [UInt8]
    let tag: String
}
