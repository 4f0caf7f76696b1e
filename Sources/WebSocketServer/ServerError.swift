/// Why a server could not be made, listen, or take a new certificate: one sentence that says what to do about it.
public struct ServerError: Error, CustomStringConvertible, Sendable {
    public let description: String

    init(_ description: String) { self.description = description }
}
