import EventLoop

@testable import WebSocketServer

extension WebSocketClient {
    /// Stops or goes on reading: a paused client is a slow one. It must have nothing to write meanwhile.
    func setPaused(_ id: ConnectionID, _ isPaused: Bool) {
        guard let connection = connections[id] else { return }
        connection.poll.change(to: isPaused ? [] : connection.watched)
    }
}
