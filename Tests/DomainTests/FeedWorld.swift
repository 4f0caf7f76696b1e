import Domain
import Wire

/// A small city as Redis has it, which tells a board all that it would publish. The truth that readers are held to.
struct FeedWorld {
    static let rules = FeedRules(staleAfterMs: 5_000, expireAfterMs: 12_000, logTicks: 12)
    static let zones = ["a", "b"]

    var random: Random
    let board = FeedBoard(rules: FeedWorld.rules)
    var now: Int64 = 1_795_210_199_000
    private(set) var known: [String: FeedRecord] = [:]
    private(set) var followed: Set<CellID> = []
    /// Vehicles watched by themselves.
    var watched: Set<String> = []
    /// Nothing that is published reaches the board.
    private(set) var isCutOff = false
    /// As of the last tick.
    private(set) var shown: [String: FeedRecord] = [:]
    private(set) var shownCells: Set<CellID> = []

    static let ids = (0..<24).map { $0 == 7 ? "T\"\\7" : "T\($0)" }
    /// 5 by 5 cells.
    static let cells: [CellID] = {
        let middle = CellGrid.box(of: CellGrid.cell(of: GeoPoint(lat: 45.46, lon: 9.18)))
        let (high, wide) = (middle.north - middle.south, middle.east - middle.west)
        var cells: Set<CellID> = []
        for row in -2...2 {
            for column in -2...2 {
                cells.insert(
                    CellGrid.cell(
                        of: GeoPoint(
                            lat: middle.south + (Double(row) + 0.5) * high,
                            lon: middle.west + (Double(column) + 0.5) * wide)))
            }
        }
        return cells.sorted()
    }()

    /// How many things happen between ticks at most.
    let bustle: Int

    init(seed: UInt64, bustle: Int = 8) {
        random = Random(seed: seed)
        self.bustle = bustle
        for cell in Self.cells where chance(0.7) { follow(cell) }
    }

    static func zone(of point: GeoPoint) -> String? {
        let part = Int((point.lon * 1e5).rounded()) % 900
        return part < 300 ? "a" : part < 600 ? "b" : nil
    }

    mutating func chance(_ odds: Double) -> Bool { random.within(0, 1) < odds }

    /// A few things happen, then a tick.
    mutating func step() {
        for _ in 0..<Int.random(in: 0...bustle, using: &random) { happen() }
        if chance(0.03) { setCutOff(true) }
        if isCutOff, chance(0.3) { setCutOff(false) }
        if chance(0.005) { now += Int64.random(in: 0...3_000_000, using: &random) }
        now +=
            chance(0.02) ? Int64.random(in: 0...20_000, using: &random) : Int64.random(in: 100...1500, using: &random)
        board.advance(now: now)
        shown = known
        shownCells = followed
    }

    private mutating func happen() {
        let id = Self.ids.randomElement(using: &random)!
        switch Int.random(in: 0..<20, using: &random) {
        case 0: unfollowOrFollow(Self.cells.randomElement(using: &random)!)
        case 1: reread(Self.cells.randomElement(using: &random)!)
        case 2: vanish(id)
        case 3...6: changeTraits(id)
        case 7: repeatOld(id)
        default: move(id)
        }
    }

    // MARK: - what happens to vehicles

    private mutating func move(_ id: String) {
        var record =
            known[id]
            ?? FeedRecord(
                id: id, lat: 45.46, lon: 9.18, heading: nil, at: now, heard: now,
                state: VehicleState.allCases.randomElement(using: &random)!,
                kind: VehicleKind.allCases.randomElement(using: &random)!)
        if chance(0.9) {
            let reach = chance(0.2) ? 900 : 60
            func moved(_ degrees: Double) -> Double {
                Double(Int((degrees * 1e5).rounded()) + Int.random(in: -reach...reach, using: &random)) / 1e5
            }
            // Held to about the 25 cells.
            record.lat = min(max(moved(record.lat), 45.452), 45.469)
            record.lon = min(max(moved(record.lon), 9.168), 9.193)
            record.heading = chance(0.2) ? nil : Double(Int.random(in: 0..<360, using: &random))
        }
        record.at = max(record.at, now - Int64.random(in: 0...900, using: &random))
        record.heard = now
        set(record)
    }

    private mutating func changeTraits(_ id: String) {
        guard var record = known[id] else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1: record.state = VehicleState.allCases.randomElement(using: &random)!
        case 2: record.seats = chance(0.2) ? nil : Int.random(in: 0...4, using: &random)
        default:
            record.route = chance(0.4) ? nil : ["R7", "an uncommonly long \"route\""].randomElement(using: &random)!
        }
        if record.route?.contains(" ") == true { record.route = "a-long-route-with-\"quotes\"" }
        set(record)
    }

    private mutating func vanish(_ id: String) {
        guard let record = known.removeValue(forKey: id) else { return }
        tellGone(id, CellGrid.cell(of: record.point))
        // Its own scope is told nothing of that: it grows old there. So this world doesn't let watched ones vanish.
        if watched.contains(id) {
            known[id] = record
            tell(record)
        }
    }

    /// A late record changes nothing.
    private mutating func repeatOld(_ id: String) {
        guard var record = known[id] else { return }
        record.heard -= 10
        record.state = .unavailable
        tell(record)
    }

    private mutating func set(_ record: FeedRecord) {
        let old = known.updateValue(record, forKey: record.id)
        let cell = CellGrid.cell(of: record.point)
        let left = old.map { CellGrid.cell(of: $0.point) }
        let isGoneFirst = chance(0.5)
        if let left, left != cell, isGoneFirst { tellGone(record.id, left) }
        tell(record)
        if let left, left != cell, !isGoneFirst { tellGone(record.id, left) }
    }

    // MARK: - what the board is told

    private mutating func tell(_ record: FeedRecord) {
        if isCutOff { return }
        let cell = CellGrid.cell(of: record.point)
        if followed.contains(cell) {
            if chance(0.3) {
                board.apply(record, cell: cell, zone: Self.zone(of: record.point))
            } else {
                Self.line(record).withUnsafeBytes { _ = board.apply(lines: $0, cell: cell, zoneOf: Self.zone) }
            }
        }
        if watched.contains(record.id) { board.applyWatched(record) }
    }

    private mutating func tellGone(_ id: String, _ cell: CellID) {
        if isCutOff || !followed.contains(cell) { return }
        if chance(0.5) {
            board.left(id, cell: cell)
        } else {
            Array("G \(id)".utf8).withUnsafeBytes { _ = board.apply(lines: $0, cell: cell, zoneOf: Self.zone) }
        }
    }

    private mutating func unfollowOrFollow(_ cell: CellID) {
        if isCutOff { return }
        if followed.remove(cell) != nil {
            board.forget([cell])
        } else {
            follow(cell)
        }
    }

    private mutating func follow(_ cell: CellID) {
        followed.insert(cell)
        reread(cell)
    }

    /// Things happen while the question is on its way, and while the answer is.
    private mutating func reread(_ cell: CellID) {
        if isCutOff || !followed.contains(cell) { return }
        board.willRead(cell: cell)
        for _ in 0..<Int.random(in: 0...3, using: &random) { move(Self.ids.randomElement(using: &random)!) }
        let state = known.values.filter { CellGrid.cell(of: $0.point) == cell }.sorted { $0.id < $1.id }
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let id = Self.ids.randomElement(using: &random)!
            if chance(0.3) { vanish(id) } else if chance(0.5) { changeTraits(id) } else { move(id) }
        }
        if chance(0.5) {
            board.replace(cell: cell, with: state.map { ($0, Self.zone(of: $0.point)) })
        } else {
            let lines = Array(state.map { Self.line($0) }.joined(separator: [UInt8(ascii: "\n")]))
            lines.withUnsafeBytes { _ = board.replace(cell: cell, lines: $0, zoneOf: Self.zone) }
        }
    }

    private mutating func setCutOff(_ isCutOff: Bool) {
        self.isCutOff = isCutOff
        if isCutOff { return }
        for cell in followed.sorted() { reread(cell) }
        for id in watched.sorted() { if let record = known[id] { board.applyWatched(record) } }
    }

    static func line(_ record: FeedRecord) -> [UInt8] {
        var text = "V \(record.id) \(record.lat) \(record.lon) \(record.heading.map { "\($0)" } ?? "-") \(record.at)"
        text += " \(record.heard) \(record.state.text) \(record.kind.text)"
        text += " \(record.seats.map { "\($0)" } ?? "-") \(record.route ?? "-")"
        return Array(text.utf8)
    }

    // MARK: - the truth

    /// What a reader of a scope must believe as of the last tick.
    func truth(_ keys: [FeedScopeKey], _ view: FeedView) -> [String: FeedReader.Vehicle] {
        var truth: [String: FeedReader.Vehicle] = [:]
        for record in shown.values where keys.contains(where: { isIn($0, record) }) {
            let silence = now / 1000 * 1000 - record.heard
            guard silence <= Self.rules.expireAfterMs else { continue }
            if view.visibility == .available, record.state != .available { continue }
            guard
                view.filter.matches(
                    kind: record.kind, state: record.state, seats: record.seats, route: record.route)
            else { continue }
            truth[record.id] = FeedReader.Vehicle(
                lat5: Int((record.lat * 1e5).rounded()), lon5: Int((record.lon * 1e5).rounded()),
                heading: record.heading.map { Int($0) }, at: record.at, state: record.state, kind: record.kind,
                seats: record.seats, freshness: silence > Self.rules.staleAfterMs ? .stale : .live,
                route: record.route)
        }
        return truth
    }

    private func isIn(_ key: FeedScopeKey, _ record: FeedRecord) -> Bool {
        let cell = CellGrid.cell(of: record.point)
        switch key {
        case .cell(let wanted): return cell == wanted && shownCells.contains(cell)
        case .zone(let zone): return shownCells.contains(cell) && Self.zone(of: record.point) == zone
        case .city: return shownCells.contains(cell)
        case .vehicle(let id): return record.id == id
        }
    }
}
