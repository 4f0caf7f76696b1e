import Wire

/// Ways of vehicles, for those who watch with a destination. Without an index none has one, and nothing is looked up.
///
/// A vehicle that goes on along its way changes by steps, and a step is a change like any other: whoever sees it no more
/// finds it in the logs as gone.
extension FeedBoard {
    /// Uses another index from now on, or none: the places of all vehicles are looked up anew.
    public func use(_ pathIndex: PathIndex?) {
        ways = pathIndex
        for number in vehicles.indices where vehicles[number].live.isPresent && !vehicles[number].isWatched {
            renewPlaces(UInt32(number))
        }
    }

    /// A vehicle has announced another way.
    public func wayChanged(of id: String) {
        let number = withBytes(of: id) { find($0, in: followed).number }
        if number != 0, vehicles[Int(number)].live.isPresent { renewPlaces(number) }
    }

    func renewPlaces(_ number: UInt32) {
        let places = places(of: number)
        guard places != vehicles[Int(number)].live.traits.places else { return }
        vehicles[Int(number)].live.traits.places = places
        markDirty(number)
    }

    /// A taxi goes anywhere.
    private func places(of number: UInt32) -> [PathPlace] {
        let traits = vehicles[Int(number)].live.traits
        guard let ways, traits.kind != .taxi else { return [] }
        return ways.places(
            of: String(decoding: vehicles[Int(number)].id, as: UTF8.self), route: traits.route,
            along: vehicles[Int(number)].along)
    }
}
