/// A hashed timer wheel: deadlines in ticks, keyed by an id, scheduled and cancelled in constant time.
///
/// A pure value: it knows no clock. Its owner says how long a tick is, and calls `advance(to:)` as time passes.
/// An entry due further ahead than the wheel has slots stays in its slot, and is looked at once per round.
public struct TimerWheel {
    private struct Node {
        var id: UInt64
        var tick: UInt64
        var next: Int32
        var previous: Int32
    }

    private static let none: Int32 = -1

    private var heads: [Int32]
    private var tails: [Int32]
    private var nodes: [Node] = []
    private var free: Int32 = Self.none
    private var places: [UInt64: Int32] = [:]
    private let mask: UInt64

    /// The last tick that `advance` has reached.
    public private(set) var tick: UInt64

    /// How many ids are scheduled.
    public var count: Int { places.count }

    /// `slots` is rounded up to a power of two; best a little more than the usual delay in ticks.
    public init(slots: Int = 128, startingAt tick: UInt64 = 0) {
        var size = 1
        while size < slots { size *= 2 }
        heads = Array(repeating: Self.none, count: size)
        tails = heads
        mask = UInt64(size - 1)
        self.tick = tick
    }

    /// Makes `id` due at `tick`, in place of any deadline it had. A tick that has passed means the next one.
    public mutating func schedule(_ id: UInt64, at tick: UInt64) {
        cancel(id)
        let tick = max(tick, self.tick + 1)
        let slot = Int(tick & mask)
        let node = Node(id: id, tick: tick, next: Self.none, previous: tails[slot])
        let place: Int32
        if free != Self.none {
            place = free
            free = nodes[Int(place)].next
            nodes[Int(place)] = node
        } else {
            place = Int32(nodes.count)
            nodes.append(node)
        }
        if tails[slot] == Self.none { heads[slot] = place } else { nodes[Int(tails[slot])].next = place }
        tails[slot] = place
        places[id] = place
    }

    /// The tick at which `id` is due, or nil.
    public func deadline(of id: UInt64) -> UInt64? {
        places[id].map { nodes[Int($0)].tick }
    }

    /// Nothing happens for an id that isn't scheduled.
    public mutating func cancel(_ id: UInt64) {
        guard let place = places.removeValue(forKey: id) else { return }
        unlink(place)
    }

    /// Moves time on and takes out what is due up to and including `tick`, by deadline, and by order of scheduling
    /// within one tick. Time never goes back: an earlier tick returns nothing.
    public mutating func advance(to tick: UInt64) -> [UInt64] {
        guard tick > self.tick else { return [] }
        var due: [(tick: UInt64, id: UInt64)] = []
        // After a pause longer than a round every slot is looked at once.
        let steps = min(tick - self.tick, UInt64(heads.count))
        for step in 1...steps { collect(slot: Int((self.tick &+ step) & mask), upTo: tick, into: &due) }
        let isWholeRound = steps < tick - self.tick
        self.tick = tick
        guard isWholeRound else { return due.map(\.id) }
        // Swift's sort is stable, which keeps the order within a tick.
        return due.sorted { $0.tick < $1.tick }.map(\.id)
    }

    private mutating func collect(slot: Int, upTo tick: UInt64, into due: inout [(tick: UInt64, id: UInt64)]) {
        var place = heads[slot]
        while place != Self.none {
            let node = nodes[Int(place)]
            if node.tick <= tick {
                due.append((node.tick, node.id))
                places[node.id] = nil
                unlink(place)
            }
            place = node.next
        }
    }

    private mutating func unlink(_ place: Int32) {
        let node = nodes[Int(place)]
        let slot = Int(node.tick & mask)
        if node.previous == Self.none { heads[slot] = node.next } else { nodes[Int(node.previous)].next = node.next }
        if node.next == Self.none {
            tails[slot] = node.previous
        } else {
            nodes[Int(node.next)].previous = node.previous
        }
        nodes[Int(place)].next = free
        free = place
    }
}
