/// What connections are sent until their turn to be written to comes, as a tree of which they share the branches.
///
/// A run is a sequence of frames: its parent's, and one more. Connections that are sent the same frames in the same
/// order are in the same run, so that one more frame for one more reader is the step to a child that is already there:
/// no reference is counted and nothing allocated. The bytes of a run are put together once for all its readers.
///
/// A class with bare memory, as checks of exclusive access and of bounds took longer than the steps themselves.
final class FrameRuns {
    private struct Node {
        let bytes: [UInt8]
        let parent: Int32
        /// Of all frames from the first to this one.
        let byteCount: Int
        var firstChild: Int32 = FrameRuns.empty
        var nextSibling: Int32 = FrameRuns.empty
    }

    /// The run without frames, which everybody starts from.
    static let empty: Int32 = 0
    /// Children that are looked at for a frame: as many kinds of readers may be served in turns and still share.
    private static let siblingsSearched = 8
    /// Beyond this no further frames are taken in: frames, and bytes of all frames.
    private static let manyFrames: Int32 = 8_192
    private static let manyBytes = 8 << 20

    private var nodes: UnsafeMutablePointer<Node>
    private var capacity: Int32 = 256
    private var count: Int32 = 1
    private var heldBytes = 0
    /// Connections that are in a run.
    private(set) var users = 0
    /// The run whose bytes stand in the scratch that was last given to `gather`.
    private var gathered = FrameRuns.empty

    init() {
        nodes = .allocate(capacity: Int(capacity))
        nodes.initialize(to: Node(bytes: [], parent: Self.empty, byteCount: 0))
    }

    deinit {
        nodes.deinitialize(count: Int(count))
        nodes.deallocate()
    }

    /// So much is held that connections are to have their further frames to themselves, until all have left their runs.
    var isLarge: Bool { count > Self.manyFrames || heldBytes > Self.manyBytes }

    func byteCount(of run: Int32) -> Int { nodes[Int(run)].byteCount }

    /// The run that has one frame more.
    func extend(_ run: Int32, by bytes: [UInt8]) -> Int32 {
        if run == Self.empty { users += 1 }
        let place = bytes.withUnsafeBufferPointer { $0.baseAddress }
        var child = nodes[Int(run)].firstChild
        var left = Self.siblingsSearched
        while child != Self.empty, left > 0 {
            // The same memory, which the node holds, is the same frame.
            if nodes[Int(child)].bytes.withUnsafeBufferPointer({ $0.baseAddress }) == place { return child }
            child = nodes[Int(child)].nextSibling
            left -= 1
        }
        return add(bytes, to: run)
    }

    private func add(_ bytes: [UInt8], to run: Int32) -> Int32 {
        if count == capacity { grow() }
        var node = Node(bytes: bytes, parent: run, byteCount: nodes[Int(run)].byteCount + bytes.count)
        node.nextSibling = nodes[Int(run)].firstChild
        (nodes + Int(count)).initialize(to: node)
        nodes[Int(run)].firstChild = count
        heldBytes += bytes.count
        count += 1
        return count - 1
    }

    private func grow() {
        let larger = UnsafeMutablePointer<Node>.allocate(capacity: Int(capacity) * 2)
        larger.moveInitialize(from: nodes, count: Int(count))
        nodes.deallocate()
        nodes = larger
        capacity *= 2
    }

    /// Puts the run's bytes at the start of `scratch`, which must have room for them, unless they are there from the last
    /// call. Returns their count.
    func gather(_ run: Int32, into scratch: UnsafeMutableRawBufferPointer) -> Int {
        let total = nodes[Int(run)].byteCount
        guard run != gathered, let base = scratch.baseAddress else { return total }
        precondition(total <= scratch.count)
        var end = total
        var next = run
        while next != Self.empty {
            nodes[Int(next)].bytes.withUnsafeBytes { bytes in
                end -= bytes.count
                (base + end).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
            }
            next = nodes[Int(next)].parent
        }
        gathered = run
        return total
    }

    /// The scratch has been used for something else.
    func forgetGathered() { gathered = Self.empty }

    /// The run's frames, in order.
    func frames(of run: Int32) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var next = run
        while next != Self.empty {
            frames.append(nodes[Int(next)].bytes)
            next = nodes[Int(next)].parent
        }
        return frames.reversed()
    }

    /// One that was in a run is in none now.
    func leave() { users -= 1 }

    /// Forgets all runs. Nobody may be in one.
    func removeAll() {
        users = 0
        guard count > 1 else { return }
        (nodes + 1).deinitialize(count: Int(count) - 1)
        nodes[0].firstChild = Self.empty
        if isLarge {
            // A burst does not hold its memory for ever.
            nodes.deallocate()
            capacity = 256
            nodes = .allocate(capacity: Int(capacity))
            nodes.initialize(to: Node(bytes: [], parent: Self.empty, byteCount: 0))
        }
        count = 1
        heldBytes = 0
        gathered = Self.empty
    }
}
