/// Why a run could not begin or be judged, in words that say what to do.
public struct RunError: Error, Equatable, CustomStringConvertible {
    public var description: String

    package init(_ description: String) { self.description = description }
}
