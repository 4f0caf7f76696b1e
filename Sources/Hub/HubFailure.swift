/// What keeps the hub from starting or going on, in a sentence for the person who runs it.
public struct HubFailure: Error, CustomStringConvertible, Sendable {
    public let description: String

    init(_ description: String) { self.description = description }
}
