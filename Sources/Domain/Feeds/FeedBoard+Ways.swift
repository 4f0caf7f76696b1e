import Wire

/// Ways of vehicles, for those who watch with a destination. Without a book none has one, and nothing is looked up.
extension FeedBoard {
    /// Uses another book from now on, or none: the ways of all vehicles are looked up anew.
    public func use(_ book: WayBook?) {
        ways = book
        for number in vehicles.indices where vehicles[number].live.isPresent && !vehicles[number].isWatched {
            renewWay(UInt32(number))
        }
    }

    /// A vehicle has announced another way.
    public func wayChanged(of id: String) {
        let number = withBytes(of: id) { find($0, in: followed).number }
        if number != 0, vehicles[Int(number)].live.isPresent { renewWay(number) }
    }

    private func renewWay(_ number: UInt32) {
        let vehicle = vehicles[Int(number)]
        let way = way(of: vehicle.id, vehicle.live.traits)
        guard way != vehicle.live.traits.way else { return }
        vehicles[Int(number)].live.traits.way = way
        soil(number)
    }

    /// The number of a vehicle's way in the book. A taxi goes anywhere.
    func way(of id: [UInt8], _ traits: FeedTraits) -> UInt16 {
        guard let ways, traits.kind != .taxi else { return 0 }
        return ways.number(of: String(decoding: id, as: UTF8.self), route: traits.route)
    }
}
