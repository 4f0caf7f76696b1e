/// The way to a server for those that may outlive it: its sockets and the loop's hook.
///
/// A weak reference would do the same, but from the first one on every retain and release of the server goes through a side
/// table, and it is retained for each frame that is queued: 9 % of a fan-out's CPU.
final class ServerLink: SocketOwner {
    /// `unowned(unsafe)` because the server clears it when it ends, and all of them live on the loop's thread.
    unowned(unsafe) var server: WebSocketServer?

    func read(_ id: ConnectionID, _ bytes: UnsafeMutableRawBufferPointer) -> Bool { server?.read(id, bytes) ?? false }

    func writable(_ id: ConnectionID) -> Bool { server?.writable(id) ?? false }

    func readInVain(_ id: ConnectionID) { server?.readInVain(id) }

    func shookHands(_ id: ConnectionID) { server?.shookHands(id) }

    func closed(_ id: ConnectionID) { server?.closed(id) }
}
