/// A process whose use is accounted for: a hub's worker, its Redis, a peer.
public struct ServerProcess: Sendable {
    public var name: String
    public var pid: Int32

    public init(name: String, pid: Int32) {
        self.name = name
        self.pid = pid
    }
}

extension [ServerProcess] {
    /// The first of a hub's workers.
    var worker: ServerProcess? { first { $0.name == "worker" } }
}
