public import ArgumentParser
public import Domain

/// `--kind bus`, `minibus` or `flex`.
extension BusKind: ExpressibleByArgument {}
