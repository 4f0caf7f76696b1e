/// A value of a row, or of a place in a statement. Both databases know these four.
public enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        default: nil
        }
    }

    public var real: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }

    public var text: String? {
        if case .text(let value) = self { value } else { nil }
    }

    public init(_ text: String?) { self = text.map(SQLValue.text) ?? .null }
    public init(_ whole: Int64?) { self = whole.map(SQLValue.integer) ?? .null }
    public init(_ number: Double?) { self = number.map(SQLValue.real) ?? .null }
}

/// A statement with its values: `$1`, `$2`, … in the text. The text is SQL that SQLite and PostgreSQL both speak.
public struct Statement: Equatable, Sendable {
    public var sql: String
    public var values: [SQLValue]

    public init(_ sql: String, _ values: [SQLValue] = []) {
        self.sql = sql
        self.values = values
    }
}

/// Why a database has not done what it was asked.
public struct DatabaseFailure: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Kind: Sendable {
        /// It can't be reached, is full, or is broken: the same may be tried again later.
        case unavailable
        /// Nobody has made its tables yet, or brought them up to date: a recorder does so when it begins.
        case unmade
        /// It can't hold every text, or is in part another role's: a person has to mend it, or to make another.
        case unfit
        /// It does not take what it was given, and never will; it takes other things.
        case refused
        /// Its tables are of a later version of the program.
        case newer
        /// Somebody else has taken its place.
        case overtaken
    }

    public let kind: Kind
    public let description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
