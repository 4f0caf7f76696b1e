internal import CLibuv

/// A libuv call that was refused: which one, and libuv's (negative errno) code.
public struct LoopError: Error, CustomStringConvertible, Sendable {
    public let call: String
    public let code: Int32

    init(_ call: String, _ code: Int32) {
        self.call = call
        self.code = code
    }

    public var description: String { "\(call): \(Self.text(code))" }

    static func text(_ code: Int32) -> String { String(cString: uv_strerror(code)) }
}
