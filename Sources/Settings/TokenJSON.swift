import Foundation

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
        guard let root = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else { return nil }
        return root.mapValues { value in
            if let text = value as? String { return .text(text) }
            if value is Bool { return .other }
            if let number = value as? NSNumber { return .number(number.doubleValue) }
            return .other
        }
    }
}
