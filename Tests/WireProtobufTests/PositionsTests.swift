import Domain
import SwiftProtobuf
import Testing
import Wire
import WireProtobuf

/// What the board writes for the two encodings, read by generated code and as JSON, draws the same picture.
@Suite("Rows of vehicles by generated code")
struct PositionsTests {
    private struct Vehicle: Equatable {
        var lat: Int
        var lon: Int
        var heading: Int?
        var state: String
        var seats: Int?
        var at: Int64
        var freshness: String
        var kind: String
        var route: String?
    }

    /// What a full row says for those that follow.
    private struct Announced {
        let id: String
        let cornerLat: Int
        let cornerLon: Int
    }

    private static let start: Int64 = 1_795_210_200_000

    @Test("the pictures are equal, and a moving vehicle takes at most 12 bytes", arguments: 0..<20)
    func pictures(run: Int) throws {
        let board = FeedBoard(rules: FeedRules())
        let view = FeedView(visibility: run % 2 == 0 ? .all : .available, filter: FeedFilter())
        let unit = board.retain(.city)
        let json = FeedSubscription(channel: "city", scopes: [unit], view: view, encoding: .json)
        let binary = FeedSubscription(channel: "city", scopes: [unit], view: view, encoding: .protobuf)
        var (left, right) = ([String: Vehicle](), [String: Vehicle]())
        var announced: [UInt32: Announced] = [:]
        var fleet = (0..<60).map { Self.record("T\($0)", southern: run % 3 == 0) }
        var (movedBytes, moved) = (0, 0)
        for second in 1...60 {
            let now = Self.start + Int64(second) * 1000
            for index in fleet.indices where Double.random(in: 0...1) < 0.6 { Self.move(&fleet[index], now) }
            for record in fleet where record.heard == now {
                board.apply(record, cell: CellGrid.cell(of: record.point), zone: nil)
            }
            board.advance(now: now)
            // A slow reader is told less often, and the two never in the same rhythm.
            if let payload = Self.payload(board, json) { try Self.apply(JSONValue(parsing: payload), &left) }
            if second % 3 != 1 || run < 10, let payload = Self.payload(board, binary) {
                let positions = try Kerbside_V1_ServerMessage(serializedBytes: payload).positions
                #expect(positions.channel == "city" && positions.time == UInt64(now))
                Self.apply(positions, &right, &announced)
                let alone = Kerbside_V1_Positions.with { $0.moved = positions.moved }
                let bytes: [UInt8] = try alone.serializedBytes()
                movedBytes += bytes.count
                moved += positions.moved.count / 5
            }
            guard json.sentTick == binary.sentTick else { continue }
            #expect(Self.alike(left, right), "second \(second): \(left) and \(right)")
        }
        #expect(!left.isEmpty && moved > 0)
        #expect(Double(movedBytes) <= 12 * Double(moved), "\(movedBytes) bytes for \(moved)")
    }

    private static func record(_ id: String, southern: Bool) -> FeedRecord {
        FeedRecord(
            id: id, lat: (southern ? -33.9 : 45.46) + .random(in: -0.02...0.02),
            lon: (southern ? -70.6 : 9.19) + .random(in: -0.02...0.02), heading: nil, at: start, heard: start,
            state: .available, kind: .allCases.randomElement()!, seats: nil, route: nil)
    }

    private static func move(_ record: inout FeedRecord, _ now: Int64) {
        record.lat += .random(in: -1e-4...1e-4)
        record.lon += .random(in: -1e-4...1e-4)
        record.heading = Bool.random() ? .random(in: 0..<360) : record.heading
        record.at = now - .random(in: 0...900)
        record.heard = now
        guard Int.random(in: 0..<20) == 0 else { return }
        record.state = .allCases.randomElement()!
        record.seats = [nil, 0, 1, 4].randomElement()!
        record.route = [nil, "R7", "line-9"].randomElement()!
    }

    private static func payload(_ board: FeedBoard, _ subscription: FeedSubscription) -> [UInt8]? {
        switch board.update(subscription) {
        case .shared(let message): message.payload
        case .own: board.scratch
        case nil: nil
        }
    }

    private static func apply(_ message: JSONValue, _ picture: inout [String: Vehicle]) throws {
        if message["type"]?.text == "snapshot" { picture = [:] }
        for id in message["gone"]?.elements ?? [] { picture[try #require(id.text)] = nil }
        for row in try #require(message["data"]?.elements) {
            let id = try #require(row[0]?.text)
            let lat = Int(((row[1]?.double ?? 0) * 1e5).rounded())
            let lon = Int(((row[2]?.double ?? 0) * 1e5).rounded())
            let heading = row[3]?.integer.map { Int($0) }
            if row[5] == nil {
                let time = try #require(message["time"]?.integer)
                picture[id]?.lat = lat
                picture[id]?.lon = lon
                picture[id]?.heading = heading
                picture[id]?.at = time - (row[4]?.integer ?? 0)
            } else {
                picture[id] = Vehicle(
                    lat: lat, lon: lon, heading: heading, state: row[4]?.text ?? "",
                    seats: row[5]?.integer.map { Int($0) }, at: row[6]?.integer ?? 0,
                    freshness: row[7]?.text ?? "live", kind: row[8]?.text ?? "taxi", route: row[9]?.text)
            }
        }
    }

    private static func apply(
        _ positions: Kerbside_V1_Positions, _ picture: inout [String: Vehicle], _ announced: inout [UInt32: Announced]
    ) {
        if positions.snapshot { picture = [:] }
        for number in positions.gone {
            if let id = announced[number]?.id { picture[id] = nil }
        }
        for row in positions.vehicles {
            announced[row.number] = Announced(
                id: row.id, cornerLat: Int(row.cornerLat), cornerLon: Int(row.cornerLon))
            picture[row.id] = Vehicle(
                lat: Int(row.cornerLat) + Int(row.lat), lon: Int(row.cornerLon) + Int(row.lon),
                heading: degrees(row.heading), state: "\(row.state)", seats: row.seats > 0 ? Int(row.seats) - 1 : nil,
                at: Int64(row.at), freshness: "\(row.freshness)", kind: "\(row.kind)",
                route: row.route.isEmpty ? nil : row.route)
        }
        for start in stride(from: 0, to: positions.moved.count, by: 5) {
            let row = positions.moved[start..<start + 5].map { $0 }
            guard let known = announced[row[0]] else {
                Issue.record("vehicle \(row[0]) moves and was never announced")
                continue
            }
            picture[known.id]?.lat = known.cornerLat + Int(row[1])
            picture[known.id]?.lon = known.cornerLon + Int(row[2])
            picture[known.id]?.heading = degrees(row[3])
            picture[known.id]?.at = Int64(positions.time) - Int64(row[4]) * 10
        }
    }

    private static func degrees(_ heading: UInt32) -> Int? { heading > 0 ? Int(heading - 1) * 3 : nil }

    /// Headings have steps of 3 degrees there, and times of 10 ms.
    private static func alike(_ left: [String: Vehicle], _ right: [String: Vehicle]) -> Bool {
        left.count == right.count
            && left.allSatisfy { id, one in
                guard var other = right[id], abs(other.at - one.at) <= 10 else { return false }
                other.at = one.at
                if let exact = one.heading, let rough = other.heading {
                    let turn = abs(exact - rough) % 360
                    guard min(turn, 360 - turn) <= 2 else { return false }
                    other.heading = exact
                }
                return one == other
            }
    }
}
