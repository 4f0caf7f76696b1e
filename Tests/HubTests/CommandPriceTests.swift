import Domain
import Foundation
import RedisLink
import Testing
import WebSocketServer
import Wire

@testable import Hub

/// What commands cost that read much: a list costs more than a token, whoever asks.
@Suite struct CommandPriceTests {
    @Test("C60: lists cost what they read", arguments: priced)
    func lists(list: Priced) { #expect(CommandPrice.of(list.command) == list.price) }

    @Test("C60: what is only known as it is read is charged besides")
    func besides() {
        #expect(CommandPrice.minibuses(64, bytes: 0) == 32 && CommandPrice.minibuses(64, bytes: 65_536) == 48)
        #expect(CommandPrice.published(bytes: 1024) == 0 && CommandPrice.published(bytes: 8192) == 14)
        #expect(CommandPrice.patterns(300) == 75 && CommandPrice.held(60) == 15 && CommandPrice.queued(300) == 75)
        #expect(CommandPrice.tours(40) == 40 && CommandPrice.passes(80) == 80)
        #expect(CommandPrice.missed(1000) == 20 && CommandPrice.resumed(1000, bytes: 0) == 50)
        #expect(CommandPrice.readers(25, bytes: 8192) == 0 && CommandPrice.readers(725, bytes: 0) == 28)
        #expect(CommandPrice.readers(725, bytes: 8192) == 84)
        #expect(CommandPrice.cells(new: 540, followed: 0, of: .passenger) == 135)
        #expect(CommandPrice.cells(new: 40, followed: 500, of: .passenger) == 35)
        #expect(CommandPrice.cells(new: 40, followed: 500, of: .service) == 135)
        #expect(CommandPrice.figures(days: 366) == 371)
        #expect(CommandPrice.figures(bytes: 1 << 20) == 1024)
        #expect(CommandPrice.figures(read: 43_200, bytes: 819_200) == 2903)
        let reply = RedisReply.array([.string([UInt8](repeating: 49, count: 4096)), .null])
        #expect(reply.figuresPrice == 4 + 1.0 / 16 && RedisReply.null.figuresPrice == 3)
        #expect(CommandPrice.records(busyNs: 400_000) == 0 && CommandPrice.records(busyNs: 2_400_000) == 100)
        #expect(CommandPrice.answer(4096) == 0 && CommandPrice.answer(8192) == 2)
    }

    @Test(
        "C60: a service's rate writes at most half a MiB of events a second", arguments: [64, 1024, 2048, 4096, 8192])
    func published(bytes: Int) {
        let price = CommandPrice.of(.topics(.publish(channel: "topic:x", type: nil, data: [])))
        #expect(1000 / (price + CommandPrice.published(bytes: bytes)) * Double(bytes) <= 524_288)
    }

    @Test("C60: the documentation says what commands count as", arguments: priced)
    func documented(_ priced: Priced) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/kerbside/Documentation.docc/BuildingAnApp.md")
        let row = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").first {
            $0.hasPrefix("| `") && $0.split(separator: "|")[0].contains("`\(priced.command.name)`")
                && $0.split(separator: "|").count == 2 && $0.split(separator: "|")[1].first(where: \.isNumber) != nil
        }
        let price = try #require(row).split(separator: "|")[1].drop { !$0.isNumber }.prefix(while: \.isNumber)
        #expect(Double(price) == priced.base)
    }

    /// A passenger's bucket, of which a map takes a quarter at once.
    private func budget(group: Budget? = nil) -> Budget {
        Budget(
            key: "passenger:p", bucket: TokenBucket(capacity: 60, perSecond: 20), inbound: InboundRate(perSecond: 1),
            group: group)
    }

    @Test("C60: who opens a map can go on with commands, and owes for the next map")
    func maps() {
        let budget = budget()
        let first = budget.take(cells: 135, at: 0)
        #expect(first && budget.bucket.wait(for: 45, at: 0) == 0 && budget.bucket.wait(for: 46, at: 0) > 0)
        // 120 are owed, of which 60 were there.
        #expect(budget.wait(forCells: 135, at: 0) == 3000 && budget.wait(forCells: 15, at: 0) == 0)
        let (again, small) = (budget.take(cells: 135, at: 1000), budget.take(cells: 15, at: 1000))
        #expect(!again && small)
        // In the long run it pays for all of it.
        let later = budget.take(cells: 135, at: 3000)
        #expect(later && budget.wait(forCells: 135, at: 3000) == 6000)
        // What owes more for figures owes it still.
        budget.owe(2000, for: .tables, at: 3000, most: 30)
        let smaller = budget.take(cells: 15, at: 3000)
        #expect(smaller && budget.wait(forCells: 135, at: 3000) == 90_000)
    }

    @Test("C60: of a guest's map its network pays for what is owed, and for nothing that was refused")
    func mapsOfGuests() {
        let group = budget()
        let guest = budget(group: group)
        let isTaken = guest.take(cells: 55, at: 0)
        #expect(isTaken && group.bucket.wait(for: 5, at: 0) == 0 && group.bucket.wait(for: 6, at: 0) > 0)
        guest.owe(60, for: .tables, at: 0)
        let isTakenAgain = guest.take(cells: 55, at: 0)
        #expect(!isTakenAgain && group.bucket.wait(for: 5, at: 0) == 0)
    }

    @Test("C60: who has to wait is told for what: the map, figures and records, or both")
    func debts() {
        let (map, tables) = ("seen of the map", "read of figures and records")
        func isOf(_ budget: Budget, _ texts: String...) -> Bool {
            [map, tables].allSatisfy { budget.debt.contains($0) == texts.contains($0) }
        }
        let budget = budget()
        let isTaken = budget.take(cells: 135, at: 0)
        #expect(isTaken && isOf(budget, map))
        budget.owe(10, for: .tables, at: 0, most: 30)
        #expect(isOf(budget, map, tables))
        // By then all is paid.
        budget.owe(100, for: .tables, at: 10_000)
        #expect(isOf(budget, tables))
    }

    @Test("C60: a guest's circle that waits for its turn takes nothing: a command of the guest is carried out")
    func circlesOfGuests() {
        let group = budget()
        let guest = budget(group: group)
        // The others of its network have taken all; the first circle takes what is kept for those who ask for little.
        group.charge(120, at: 0)
        let isTaken = guest.take(cells: 55, at: 0)
        let waiting = (0..<100).map { _ in guest.take(cells: 20, at: 0) }
        #expect(isTaken && !waiting.contains(true))
        let isCarriedOut = guest.take(1, at: 1000)
        #expect(isCarriedOut)
    }

    struct Priced: Sendable {
        let command: Command
        let price: Double
        /// Whatever it asks for.
        let base: Double

        init(_ command: Command, _ price: Double, base: Double? = nil) {
            self.command = command
            self.price = price
            self.base = base ?? price
        }
    }

    private static let priced = [
        Priced(.session(.hello(token: "t", resume: [])), 6),
        Priced(.session(.hello(token: "t", resume: [.init(channel: "driver:T1", seq: "1-0")])), 7, base: 6),
        Priced(.session(.hello(token: "t", resume: [.init(channel: "events:ride.>", seq: "1-0")])), 11, base: 6),
        Priced(.topics(.publish(channel: "topic:x", type: nil, data: [])), 3),
        Priced(.safety(.sos(ride: nil, text: nil, at: nil)), 3),
        Priced(.channels(.subscribe(channel: "topic:x", options: FeedOptions(), since: nil)), 2),
        Priced(.channels(.subscribe(channel: "topic:x", options: FeedOptions(), since: "0")), 5, base: 2),
        Priced(.channels(.subscribe(channel: "events:>", options: FeedOptions(), since: nil)), 5, base: 2),
        Priced(.reservations(.list), 10),
        Priced(.trips(.list(from: nil, limit: 1, nil)), 2.5, base: 2),
        Priced(.trips(.list(from: nil, limit: 50, nil)), 27, base: 2),
        Priced(.trips(.list(from: "r_1", limit: 100, nil)), 52, base: 2),
        Priced(.office(.queue(zone: "14")), 10),
        Priced(.office(.ride("r_1")), 3),
        Priced(.office(.driver("T1")), 3),
        Priced(.registry(.driver("T1")), 3),
        Priced(.registry(.vehicle("M1")), 3),
        Priced(.office(.audit(from: nil, limit: 100)), 10),
        Priced(.safety(.list(closed: true)), 10),
        Priced(.safety(.reports(from: nil, limit: 100, closed: false)), 10),
        Priced(.registry(.drivers(from: nil, limit: 100, endsBy: nil)), 10),
        Priced(.registry(.vehicles(from: nil, limit: 100)), 10),
        Priced(.advice(.get), 5),
        Priced(.reliability(.get), 2),
        Priced(.reliability(.of(.driver, subject: "T1")), 2),
        Priced(.trips(.ratings(nil)), 2),
        Priced(.seats(.vehicleGet(vehicle: "M1")), 3),
        Priced(.tours(.stopNext(skip: false)), 3),
        Priced(.lines(.lineEta(line: "L", place: .stop("a"))), 3),
        Priced(.stops(.stopAnswer(.accept, request: "s1", all: false)), 3),
        Priced(.stops(.stopAnswer(.complete, request: "s1", all: true)), 10, base: 3),
        Priced(.rides(.offerDecline(ride: "r_1")), 3),
    ]
}
