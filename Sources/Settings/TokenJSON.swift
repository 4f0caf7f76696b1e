import Wire

/// The members of a token's header and claims.
enum TokenJSON {
    enum Field: Equatable {
        case text(String)
        case number(Double)
        /// What no claim of ours is: an object, a list, true, false or null.
        case other
    }

    /// The members of a JSON object; nil for anything else.
    static func object(_ bytes: [UInt8]) -> [String: Field]? {
        guard let members = (try? JSONValue(parsing: bytes))?.members else { return nil }
        var fields: [String: Field] = [:]
        for (key, value) in members {
            if let text = value.text {
                fields[key] = .text(text)
            } else if let number = value.double {
                fields[key] = .number(number)
            } else {
                fields[key] = .other
            }
        }
        return fields
    }
}
