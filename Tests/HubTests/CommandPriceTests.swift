import Foundation
import RedisLink
import Testing
import Wire

@testable import Hub

/// What commands cost that read much: a list costs more than a token, whoever asks.
@Suite struct CommandPriceTests {
    @Test("C60: lists cost what they read", arguments: priced)
    func lists(list: Priced) { #expect(CommandPrice.of(list.command) == list.price) }

    @Test("C60: what is only known as it is read is charged besides")
    func besides() {
        #expect(CommandPrice.minibuses(64, bytes: 0) == 32 && CommandPrice.minibuses(64, bytes: 65_536) == 48)
        #expect(CommandPrice.published(bytes: 2048) == 0 && CommandPrice.published(bytes: 8192) == 3)
        #expect(CommandPrice.patterns(300) == 75 && CommandPrice.queued(300) == 75)
        #expect(CommandPrice.missed(1000) == 20 && CommandPrice.resumed(1000, bytes: 0) == 50)
        #expect(CommandPrice.readers(25, bytes: 8192) == 0 && CommandPrice.readers(725, bytes: 0) == 28)
        #expect(CommandPrice.readers(725, bytes: 8192) == 84)
        #expect(CommandPrice.cells(540, of: .passenger) == 27 && CommandPrice.cells(540, of: .service) == 135)
        #expect(CommandPrice.figures(days: 366) == 367)
        #expect(CommandPrice.figures(bytes: 1 << 20) == 1024)
        #expect(CommandPrice.figures(read: 43_200, bytes: 819_200) == 2900)
        let reply = RedisReply.array([.string([UInt8](repeating: 49, count: 4096)), .null])
        #expect(reply.figuresPrice == 1 + 1.0 / 16 && RedisReply.null.figuresPrice == 0)
        #expect(CommandPrice.records(busyNs: 400_000) == 0 && CommandPrice.records(busyNs: 2_400_000) == 100)
        #expect(CommandPrice.answer(4096) == 0 && CommandPrice.answer(8192) == 2)
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
        Priced(.reservations(.list), 10),
        Priced(.trips(.list(from: nil, limit: 1, nil)), 2.5, base: 2),
        Priced(.trips(.list(from: nil, limit: 50, nil)), 27, base: 2),
        Priced(.trips(.list(from: "r_1", limit: 100, nil)), 52, base: 2),
        Priced(.office(.queue(zone: "14")), 10),
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
    ]
}
