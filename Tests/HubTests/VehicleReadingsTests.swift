import Testing

@testable import Hub

/// Vehicles that are watched by themselves: whose turn to be read it is, and how many may be followed that nobody knows.
@Suite struct VehicleReadingsTests {
    private func vehicles(_ count: Int, wasRead: Bool, from first: Int = 0) -> [VehicleReadings.Vehicle] {
        (first..<first + count).map { number in
            let following = Following()
            following.isSubscribed = true
            following.wasRead = wasRead
            return ("T\(number)", following)
        }
    }

    @Test("C60: each vehicle is read again once in a period, and in each second as many as in any other")
    func spread() {
        var readings = VehicleReadings()
        for vehicle in vehicles(VehicleReadings.periodS * 100, wasRead: true) { readings.add(vehicle) }
        for _ in 1...2 {
            var read: [String] = []
            for _ in 0..<VehicleReadings.periodS {
                readings.advance()
                let before = read.count
                var call = readings.next(.again)
                while !call.isEmpty {
                    #expect(call.count <= VehicleReadings.perCall)
                    read += call.map(\.id)
                    readings.ended(.again)
                    call = readings.next(.again)
                }
                #expect(read.count - before == 100)
            }
            #expect(read.count == VehicleReadings.periodS * 100 && Set(read).count == read.count)
        }
    }

    @Test("C60: one that was left is not read again, and its second is free for others")
    func left() {
        var readings = VehicleReadings()
        let all = vehicles(VehicleReadings.periodS * 2, wasRead: true)
        for vehicle in all { readings.add(vehicle) }
        for vehicle in all.dropLast(1) { vehicle.following.isLeft = true }
        // Not confirmed yet: it is read when it is.
        all[all.count - 1].following.isSubscribed = false
        var read: [String] = []
        func period() {
            for _ in 0..<VehicleReadings.periodS {
                readings.advance()
                read += readings.next(.again).map(\.id)
                readings.ended(.again)
            }
        }
        period()
        #expect(read.isEmpty)
        all[all.count - 1].following.isSubscribed = true
        for vehicle in vehicles(VehicleReadings.periodS - 1, wasRead: true, from: 1_000) { readings.add(vehicle) }
        for _ in 0..<VehicleReadings.periodS {
            let before = read.count
            readings.advance()
            read += readings.next(.again).map(\.id)
            readings.ended(.again)
            #expect(read.count == before + 1)
        }
    }

    @Test(
        "C60: what a new reader waits for is read beside what all read again after a loss, and of each one call is under way"
    )
    func newReadersFirst() {
        var readings = VehicleReadings()
        let all = vehicles(VehicleReadings.perCall + 1, wasRead: true)
        for vehicle in all { readings.want(vehicle) }
        let again = readings.next(.again)
        #expect(again.map(\.id) == all.dropLast(1).map(\.id))
        let new = vehicles(2, wasRead: false, from: 1_000)
        for vehicle in new { readings.want(vehicle) }
        let first = readings.next(.first)
        #expect(first.map(\.id) == ["T1000", "T1001"])
        for kind in VehicleReadings.Kind.allCases {
            let none = readings.next(kind)
            #expect(none.isEmpty)
        }
        // One that is wanted twice, or while it is read, is read once.
        for (_, following) in again { following.isReading = true }
        for vehicle in all { readings.want(vehicle) }
        readings.ended(.again)
        let rest = readings.next(.again)
        #expect(rest.map(\.id) == [all[all.count - 1].id])
        readings.ended(.again)
        let none = readings.next(.again)
        #expect(none.isEmpty)
        // A call that failed: what is still not current is wanted anew.
        readings.ended(.first)
        readings.want(new[0])
        new[1].following.isLeft = true
        readings.want(new[1])
        let retried = readings.next(.first)
        #expect(retried.map(\.id) == ["T1000"])
    }

    @Test("C60: a person follows 16 vehicles that nobody knows, guests of a network 100 together, as does a service")
    func bounds() {
        var unknown = UnknownVehicles()
        func fill(_ key: String, _ group: String? = nil) -> Int {
            var count = 0
            while unknown.hasRoom(for: key, in: group) {
                unknown.add(for: key, in: group)
                count += 1
            }
            return count
        }
        let persons = ["passenger:p1", "passenger:p2"].map { fill($0) }
        #expect(persons == [16, 16])
        let many = ["service:s1", "operator:o1"].map { fill($0) }
        #expect(many == [100, 100])
        let guests = (1...8).map { fill("guest:guest-a-\($0)", "guests:guest-a") }
        #expect(guests == [16, 16, 16, 16, 16, 16, 4, 0])
        #expect(unknown.hasRoom(for: "guest:guest-b-1", in: "guests:guest-b"))
        unknown.remove(for: "guest:guest-a-1", in: "guests:guest-a")
        #expect(!unknown.hasRoom(for: "guest:guest-a-2", in: "guests:guest-a"))
        #expect(unknown.hasRoom(for: "guest:guest-a-8", in: "guests:guest-a"))
        #expect(unknown.count == 2 * 16 + 2 * 100 + 99)
    }

    @Test("C60: all clients of a worker follow 10,000, and who leaves makes room for others")
    func boundOfAll() {
        var unknown = UnknownVehicles()
        for number in 1..<UnknownVehicles.mostInAll { unknown.add(for: "passenger:p\(number)", in: nil) }
        #expect(unknown.hasRoom(for: "passenger:p0", in: nil))
        unknown.add(for: "passenger:p0", in: nil)
        #expect(!unknown.hasRoom(for: "passenger:other", in: nil))
        unknown.remove(for: "passenger:p0", in: nil)
        #expect(unknown.hasRoom(for: "passenger:other", in: nil))
        for number in 1..<UnknownVehicles.mostInAll { unknown.remove(for: "passenger:p\(number)", in: nil) }
        #expect(unknown.count == 0)
    }
}
