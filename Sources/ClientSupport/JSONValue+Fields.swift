package import Wire

/// What clients take out of messages.
extension JSONValue {
    package func text(_ name: String) -> String? { self[name]?.text }
    package func integer(_ name: String) -> Int64? { self[name]?.integer }
}
