import Testing

@testable import PMTiles

@Suite struct RecentlyUsedTests {
    @Test("what was not used for longest goes, until there is room")
    func oldest() {
        var kept = RecentlyUsed<Int, String>(most: 10)
        func used(_ key: Int) -> String? { kept.use(key) }
        for key in 1...5 { kept.keep("\(key)", as: key, size: 2) }
        #expect(used(1) == "1" && used(5) == "5" && kept.size == 10)
        kept.keep("6", as: 6, size: 3)
        #expect(used(2) == nil && used(3) == nil && kept.size == 9)
        #expect(used(4) == "4" && used(1) == "1" && used(6) == "6")
        // In place of what it was.
        kept.keep("four", as: 4, size: 4)
        #expect(used(4) == "four" && used(5) == nil && kept.size == 9)
        kept.keep("large", as: 7, size: 11)
        #expect(used(7) == "large" && used(4) == nil && kept.size == 11)
        kept.keep("8", as: 8, size: 1)
        #expect(used(7) == nil && used(8) == "8" && kept.size == 1)
        kept.keep("9", as: 9, size: 9)
        kept.remove(8)
        kept.remove(7)
        #expect(used(8) == nil && kept.size == 9)
        kept.keep("10", as: 10, size: 1)
        #expect(used(9) == "9" && used(10) == "10")
    }

    @Test("it keeps what a list in the order of use does")
    func same() {
        var numbers = SystemRandomNumberGenerator()
        var kept = RecentlyUsed<Int, Int>(most: 40)
        var list: [(key: Int, value: Int, size: Int)] = []
        for step in 0..<5_000 {
            let key = Int.random(in: 0..<20, using: &numbers)
            let place = list.firstIndex { $0.key == key }
            let old = place.map { list.remove(at: $0) }
            if Bool.random(using: &numbers) {
                let value = kept.use(key)
                #expect(value == old?.value)
                if let old { list.append(old) }
            } else {
                let size = Int.random(in: 1...9, using: &numbers)
                kept.keep(step, as: key, size: size)
                while list.reduce(size, { $0 + $1.size }) > 40 { list.removeFirst() }
                list.append((key, step, size))
            }
            #expect(kept.size == list.reduce(0) { $0 + $1.size })
        }
    }
}
