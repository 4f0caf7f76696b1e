import Testing

@testable import Hub

@Suite struct LookUpLimitTests {
    @Test("who guesses codes all the time leaves most of the look-ups to others, and is one of them again later")
    func guesser() {
        var lookUps = NetworkLimits.lookUps(capacity: 100, perSecond: 50)
        var (guessed, read) = (0, 0)
        for now in Int64(0)..<10_000 {
            if lookUps.take("192.0.2.1", at: now) == nil { guessed += 1 }
            if now % 50 == 0, lookUps.take("198.51.100.\(now / 50)", at: now) == nil { read += 1 }
        }
        #expect(guessed == 39 && read == 200)
        let isOneAgain = lookUps.take("192.0.2.1", at: 20_000) == nil
        #expect(isOneAgain)
    }

    @Test("who takes a whole map leaves most of its tiles to others; a house full of people has its own at once")
    func tiles() {
        var tiles = NetworkLimits.tiles
        let house = (0..<500).count { _ in tiles.take("203.0.113.1", at: 0) == nil }
        var (taken, read) = (0, 0)
        for now in Int64(0)..<10_000 {
            if tiles.take("192.0.2.1", at: now) == nil { taken += 1 }
            if now % 10 == 0, tiles.take("198.51.100.\(now / 500)", at: now) == nil { read += 1 }
        }
        #expect(house == 500 && read == 1_000)
        #expect((1_150...1_200).contains(taken))
    }

    @Test("the dearest stop can be paid by one network, again and again")
    func dearest() {
        #expect(StopTexts.price(lines: 2, busesToRead: 0) == 1)
        #expect(StopTexts.price(lines: 16, busesToRead: 40) == 6)
        let price = StopTexts.price(lines: 24, busesToRead: 900)
        var limits = StopTexts.limits
        for now in stride(from: Int64(0), to: 60_000, by: 15_000) {
            let isRefused = limits.take("192.0.2.1", price: price, at: now) != nil
            #expect(!isRefused)
        }
    }

    @Test("many networks together, and those behind a proxy here, get no more than there is")
    func all() {
        var lookUps = NetworkLimits.lookUps(capacity: 100, perSecond: 50)
        var taken = 0
        for number in 0..<30_000 {
            if lookUps.take(number % 2 == 0 ? nil : "2001:db8:\(number)::", at: 0) == nil { taken += 1 }
        }
        #expect(taken == 100)
    }
}
