/// What is wrong with an archive, as a sentence for who has made it, without a full stop.
public struct PMTilesError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
