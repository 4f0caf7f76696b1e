import Foundation
import Glibc
import Testing

@testable import WebSocketServer

/// What waits for readers, and who has read too slowly.
@Suite struct WaitingTests {
    @Test func `C61: what many wait for counts once`() {
        var held = HeldBytes()
        let page = [UInt8](repeating: 1, count: 100_000)
        var queues = (0..<1_000).map { _ in OutboundQueue() }
        for index in queues.indices {
            queues[index].append([UInt8](repeating: 2, count: 100), &held)
            queues[index].append(page, &held)
        }
        #expect(queues[0].byteCount == 100_100)
        #expect(held.count < 100_000 + 1_000 * 200)
        #expect(held.cost(of: page) < 100)
        #expect(held.cost(of: [UInt8](repeating: 3, count: 100_000)) >= 100_000)
        for index in queues.indices { queues[index].removeAll(&held) }
        #expect(held.count == 0)
        #expect(queues[0].isEmpty)
    }

    @Test(arguments: [1, 7, 1_000, 16_384]) func `what goes out is what was queued, in order`(step: Int) {
        var held = HeldBytes()
        var queue = OutboundQueue()
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 5_000, alignment: 1)
        defer { scratch.deallocate() }
        let pieces = [3, 1, 20_000, 0, 4_999, 5_000, 5_001, 2].map { count in
            (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
        }
        for piece in pieces { queue.append(piece, &held) }
        var out: [UInt8] = []
        while !queue.isEmpty {
            let sent = queue.send(by: scratch, straight: 16_384, &held) { bytes in
                out += bytes.prefix(step)
                return min(step, bytes.count)
            }
            #expect(sent != nil)
        }
        #expect(out == pieces.flatMap(\.self))
        #expect(held.count == 0)
    }

    @Test func `what has begun to go out is not dropped, nor what a record holds`() {
        var held = HeldBytes()
        var queue = OutboundQueue()
        var dropped: [Int] = []
        for count in [10, 20, 30, 40] { queue.append([UInt8](repeating: 1, count: count), &held) }
        dropped.append(queue.dropWaiting(&held))
        for count in [10, 20, 30, 40] { queue.append([UInt8](repeating: 1, count: count), &held) }
        queue.drop(first: 5, &held)
        // 25 bytes from the middle of the first piece on: the first two.
        dropped.append(queue.dropWaiting(committed: 25, &held))
        queue.append([UInt8](repeating: 1, count: 40), &held)
        // A record that ends within the third.
        dropped.append(queue.dropWaiting(committed: 26, &held))
        dropped.append(queue.dropWaiting(committed: 0, &held))
        #expect(dropped == [100, 70, 0, 60])
        #expect(queue.byteCount == 5)
        queue.drop(first: 5, &held)
        #expect(held.count == 0)
    }

    @Test func `C61: an answer is taken at a rate, not a byte now and then`() {
        var limits = ServerLimits()
        limits.answerWindowMs = 10_000
        limits.minAnswerBytesPerSecond = 1_000
        var sipping = AnswerPace(at: 0, limits)
        var cutAt: UInt64?
        for now in stride(from: UInt64(0), through: 20_000, by: 100) where cutAt == nil {
            if sipping.isTooSlow(at: now) { cutAt = now }
            sipping.took(10)
        }
        #expect(cutAt == 10_000)

        // A link that stands still for nine seconds of ten, and is quick in the tenth.
        var stalling = AnswerPace(at: 0, limits)
        for window in UInt64(1)...5 {
            stalling.took(10_000)
            let isTooSlow = stalling.isTooSlow(at: window * 10_000)
            #expect(!isTooSlow)
        }
    }
}

@Suite struct AddressCountsTests {
    static func address(_ number: UInt32) -> PeerAddress {
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { bytes in
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = number.bigEndian
            bytes.storeBytes(of: address, as: sockaddr_in.self)
        }
        return PeerAddress(storage)
    }

    /// Of 2001:db8::/32, in this network of 64 bits.
    static func address(network: UInt32) -> PeerAddress {
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { bytes in
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
                bytes.storeBytes(of: UInt32(0x2001_0DB8).bigEndian, as: UInt32.self)
                bytes.storeBytes(of: network.bigEndian, toByteOffset: 4, as: UInt32.self)
                bytes[15] = UInt8.random(in: 1...255)
            }
            bytes.storeBytes(of: address, as: sockaddr_in6.self)
        }
        return PeerAddress(storage)
    }

    private static func file() -> String {
        FileManager.default.temporaryDirectory.path + "/kerbside-addresses-\(UUID().uuidString)"
    }

    @Test func `the limit is for all workers together, and a worker that ended counts no more`() throws {
        let path = Self.file()
        defer { unlink(path) }
        try AddressCounts.create(path: path, rows: 3)
        let workers = try (0..<3).map { try AddressCounts(path: path, row: $0) }
        let (phone, other) = (Self.address(0xC000_0201), Self.address(0xC000_0202))
        let taken = (0..<9).map { workers[$0 % 3].enter(phone, limit: 5) }
        #expect(taken.count { $0 } == 5)
        #expect(workers[0].enter(other, limit: 5))
        workers[0].leave(phone)
        #expect(workers[2].enter(phone, limit: 5))
        #expect(!workers[2].enter(phone, limit: 5))
        // The second had two: another takes its row.
        let successor = try AddressCounts(path: path, row: 1)
        #expect(workers[0].count(of: phone) == 3)
        #expect(
            successor.enter(phone, limit: 5) && successor.enter(phone, limit: 5) && !successor.enter(phone, limit: 5))
        #expect(throws: ServerError.self) { try AddressCounts(path: path, row: 3) }
    }

    @Test func `an address that stands at one worker only has places left at the others`() throws {
        let path = Self.file()
        defer { unlink(path) }
        try AddressCounts.create(path: path, rows: 4)
        let workers = try (0..<4).map { try AddressCounts(path: path, row: $0) }
        let phone = Self.address(0xC000_0201)
        func taken(by worker: Int) -> Int { (0..<60).count { _ in workers[worker].enter(phone, limit: 40) } }
        // Each keeps five; all together have no more than before.
        let each = (0..<4).map(taken)
        #expect(each == [25, 5, 5, 5] && workers[0].count(of: phone) == 40)
        for _ in 0..<22 { workers[0].leave(phone) }
        // Two of the five that the first one keeps are free.
        let more = taken(by: 1)
        #expect(more == 20)
        let (own, others) = (taken(by: 0), taken(by: 2))
        #expect(own == 2 && others == 0 && workers[3].count(of: phone) == 40)
    }

    @Test func `a network of IPv6 that stands at one worker only has places left at the others`() throws {
        let path = Self.file()
        defer { unlink(path) }
        try AddressCounts.create(path: path, rows: 2)
        let workers = try (0..<2).map { try AddressCounts(path: path, row: $0) }
        /// Of five networks of 64 bits, each in a /56 of its own. Each may have eight, their /48 four times as many.
        func taken(by worker: Int) -> [Int] {
            (UInt32(0)..<5).map { network in
                (0..<8).count { _ in workers[worker].enter(Self.address(network: network << 8), limit: 8) }
            }
        }
        let (first, second) = (taken(by: 0), taken(by: 1))
        // Six of each /64, and 24 of the /48; then what is left.
        #expect(first == [6, 6, 6, 6, 0] && second == [2, 2, 2, 2, 0])
    }

    @Test func `of many addresses each has its own count`() throws {
        let counts = try AddressCounts()
        // A worker that is full, and one address at the limit.
        for number in 0..<20_000 { #expect(counts.enter(Self.address(UInt32(number)), limit: 200)) }
        let busy = Self.address(0xC000_0201)
        for _ in 0..<200 { #expect(counts.enter(busy, limit: 210)) }
        let wrong = (0..<20_000).count { counts.count(of: Self.address(UInt32($0))) > 5 }
        #expect(wrong < 20)
        for number in 0..<20_000 { counts.leave(Self.address(UInt32(number))) }
        #expect(counts.count(of: busy) == 200)
    }

    @Test func `networks of IPv6 have limits of their own, whatever addresses are taken in them`() throws {
        let counts = try AddressCounts()
        var taken: [PeerAddress] = []
        func take(_ networks: ClosedRange<UInt32>, each: Int) -> Int {
            let before = taken.count
            for network in networks {
                for _ in 0..<each {
                    let address = Self.address(network: network)
                    if counts.enter(address, limit: 10) { taken.append(address) }
                }
            }
            return taken.count - before
        }
        #expect(take(0x1_0001...0x1_0001, each: 30) == 10)
        #expect(take(0x1_0000...0x1_00FF, each: 3) == 10, "20 of a /56")
        #expect(take(0x1_0100...0x1_FFFF, each: 1) == 20, "40 of a /48")
        #expect(take(0x2_0000...0x2_0000, each: 30) == 10, "another's")
        for address in taken { counts.leave(address) }
        taken = []
        #expect(take(0x1_0000...0x1_FFFF, each: 1) == 40)
    }

    @Test func `an address has half of its handshakes at once, and the others evenly`() {
        var pace = HandshakePace(seed: 1)
        let (phones, other) = (Self.address(0xC000_0201), Self.address(0xC000_0202))
        let waits = (0..<220).map { _ in pace.next(phones, limit: 200, at: 1_000) }
        #expect(waits.count { $0 == 0 } == 101)
        #expect(waits[101] == 50 && waits[199] == 4_950 && waits[200...].allSatisfy { $0 == nil })
        #expect(pace.next(other, limit: 200, at: 1_000) == 0)
        // 20 a second from then on.
        let later = (0..<30).map { _ in pace.next(phones, limit: 200, at: 2_000) }
        #expect(later.count { $0 != nil } == 20)
        #expect(pace.next(phones, limit: 200, at: 20_000) == 0)
        // Who may have few connections may try again all the same.
        #expect((0..<10).allSatisfy { _ in pace.next(other, limit: 1, at: 40_000) == 0 })
        // A /48 has four times as many as one network in it, from however many.
        let networks = (UInt32(0)..<2_000).map { Self.address(network: 0x3_0000 + $0 * 16) }
        #expect(networks.count { pace.next($0, limit: 200, at: 50_000) != nil } == 800)
    }

    @Test func `who leaves before its handshake begins gives its place back, and nobody else's`() {
        var pace = HandshakePace(seed: 1)
        func next(_ address: PeerAddress, _ count: Int) -> [UInt64?] {
            (0..<count).map { _ in pace.next(address, limit: 200, at: 1_000) }
        }
        let (phones, other) = (Self.address(0xC000_0201), Self.address(0xC000_0202))
        let waits = next(phones, 201)
        let others = next(other, 150)
        for _ in 0..<150 { pace.giveBack(phones, limit: 200) }
        let (again, more) = (next(phones, 151), next(other, 50))
        #expect(again == Array(waits[50...]))
        #expect(others + more == Array(waits[..<200]))
        // A place in a /48 is any network's in it.
        let networks = (UInt32(0)..<801).map { Self.address(network: 0x3_0000 + $0 * 16) }
        let first = networks.map { pace.next($0, limit: 200, at: 1_000) }
        #expect(first[799] != nil && first[800] == nil)
        pace.giveBack(networks[0], limit: 200)
        let last = pace.next(networks[800], limit: 200, at: 1_000)
        #expect(last == first[799])
    }

    @Test(
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("192.0.2.7:99", "192.0.2.7"), ("2001:db8::7", "2001:db8::7"),
            ("[2001:db8::7]", "2001:db8::7"), ("[2001:db8::7]:65535", "2001:db8::7"),
            ("2001:db8::7:99", "2001:db8::7:99"),
            ("::1", "::1"), ("::ffff:192.0.2.7", "192.0.2.7"), ("192.0.2.7:", nil), ("192.0.2.7:x", nil),
            ("192.0.2.7:123456", nil), ("192.0.2.7:1:2", nil), ("[2001:db8::7]:", nil), ("[2001:db8::7", nil),
            ("fe80::1%eth0", nil), ("unknown", nil), ("unknown:80", nil), (":80", nil), ("", nil),
        ] as [(String, String?)])
    func `an address is read with a port and without`(text: String, address: String?) {
        #expect(PeerAddress(Substring(text))?.text == address)
    }
}
