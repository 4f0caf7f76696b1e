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
