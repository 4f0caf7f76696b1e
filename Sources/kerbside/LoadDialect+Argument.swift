public import ArgumentParser
public import LoadBench

// Public because a conformance of a public type to a public protocol is.
extension LoadDialect: ExpressibleByArgument {}
