import Testing

@testable import WebSocketServer

/// Frames as server-sent events (WHATWG HTML, 9.2).
@Suite struct StreamTests {
    private func event(_ frame: Frame) -> String { String(decoding: WebSocketServer.event(frame.bytes), as: UTF8.self) }

    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536])
    func `a message is the data of an event, whatever its length`(length: Int) {
        let text = String(repeating: "x", count: length)
        #expect(event(.text(text)) == "data: \(text)\n\n")
    }

    @Test func `no message ends an event, or begins another`() {
        #expect(event(.text("{\"a\":\n\r\n1}")) == "data: {\"a\":   1}\n\n")
    }

    @Test func `a ping is a comment, a pong and what is not text are nothing`() {
        #expect(event(.ping([1, 2])) == ":\n\n")
        #expect(event(.binary([1, 2])).isEmpty)
        #expect([UInt8]().withUnsafeBytes { event(.pong($0)) }.isEmpty)
    }

    @Test func `the end has its code and words`() {
        #expect(event(.close(4401, "no token")) == "event: close\ndata: 4401 no token\n\n")
        #expect(event(.close(1012)) == "event: close\ndata: 1012 \n\n")
        #expect(event(.close(nil)) == "event: close\ndata: 1005 \n\n")
    }
}
