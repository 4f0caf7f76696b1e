/// All vehicles that a worker hears of, and what each unit that is watched has to tell of them.
///
/// Not safe across threads: one per worker, on its loop. Records are applied as they come; `advance` freezes a tick;
/// then `update` says what a subscription is to be sent. Nothing is sent to nobody and nothing is encoded twice.
public final class FeedBoard {
    public let rules: FeedRules
    /// The number of the last tick.
    public private(set) var tick = 0
    /// The payload of the last `FeedOutput.own`.
    public internal(set) var scratch: [UInt8] = []

    public init(rules: FeedRules = FeedRules()) {
        self.rules = rules
    }

    /// The unit of this key, kept up until as many releases.
    public func retain(_ key: FeedUnitKey) -> FeedUnit { FeedUnit(key) }

    /// Ends one `retain`.
    public func release(_ unit: FeedUnit) {}

    /// Takes in a record from the channel of a cell. One that is older (heard, then at) than what is known is ignored.
    public func apply(_ record: FeedRecord, cell: CellID, zone: String?) {}

    /// Takes in a whole payload of the channel of a cell. `zoneOf` is asked only while a zone is watched and for
    /// vehicles that moved. Gives back how many lines could not be read.
    @discardableResult
    public func apply(lines: UnsafeRawBufferPointer, cell: CellID, zoneOf: (GeoPoint) -> String?) -> Int { 0 }

    /// `G`: a vehicle is gone from that cell, if it still is there.
    public func left(_ id: String, cell: CellID) {}

    /// Takes in a record from the channel of one vehicle: for the unit of that vehicle only.
    public func applyWatched(_ record: FeedRecord) {}

    /// To be called when the state of a cell is asked of Redis: what the cell's channel tells from now on stands
    /// against the answer, which `replace` takes in.
    public func willRead(cell: CellID) {}

    /// Takes in the state of a cell as Redis had it: who is not in it is gone, but for what was told since `willRead`.
    public func replace(cell: CellID, with state: [(record: FeedRecord, zone: String?)]) {}

    /// The same from lines as they are published.
    @discardableResult
    public func replace(cell: CellID, lines: UnsafeRawBufferPointer, zoneOf: (GeoPoint) -> String?) -> Int { 0 }

    /// To be called when a cell is followed no more: its vehicles are unknown from now on.
    public func forget(cell: CellID) {}

    /// Finds the zones of all vehicles anew: after the first zone is watched, and after a change of the zones.
    public func rezone(_ zoneOf: (GeoPoint) -> String?) {}

    /// Freezes a tick. `now` in Unix milliseconds; with each new second vehicles age.
    public func advance(now: Int64) { tick += 1 }

    /// What this subscription is to be sent now; nil if nothing. Sets its `sentTick`.
    public func update(_ subscription: FeedSubscription) -> FeedOutput? { nil }
}
