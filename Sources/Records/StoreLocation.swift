/// Where records are kept.
public enum StoreLocation: Equatable, Sendable {
    /// Nowhere: nothing is recorded.
    case none
    case sqlite(path: String)
    /// What libpq takes as a connection string.
    case postgres(url: String)

    /// - Parameters:
    ///   - url: of the setting `store.url`; empty is SQLite in the data directory.
    ///   - data: the data directory.
    public init(url: String, data: String) {
        if url == "none" {
            self = .none
        } else if url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") {
            self = .postgres(url: url)
        } else if url.hasPrefix("sqlite://") {
            self = .sqlite(path: String(url.dropFirst("sqlite://".count)))
        } else {
            self = .sqlite(path: data + "/records.sqlite")
        }
    }

    /// For people, without what is secret.
    public var name: String {
        switch self {
        case .none: "nowhere"
        case .sqlite(let path): "SQLite \(path)"
        case .postgres(let url): "PostgreSQL \(Self.place(url))"
        }
    }

    /// Why others could read what is recorded on its way there, or answer in its place, in a sentence without a full stop; nil: nobody can, or
    /// it is this machine.
    public var exposure: String? {
        guard case .postgres(let url) = self else { return nil }
        return PostgresTarget(url)?.exposure
    }

    /// Opens it. What is no socket and no loopback address is connected with TLS, unless the URL itself says that it need not be.
    ///
    /// - Parameters:
    ///   - makes: an SQLite file that is not there is made.
    ///   - withinSeconds: a statement that takes longer fails, also where the database does not say a word; nil: it may take a minute, and one
    ///     that is silent is waited for as long as the network lives.
    public func open(makes: Bool, withinSeconds: Int? = nil) throws(DatabaseFailure) -> any Database {
        switch self {
        case .none: throw DatabaseFailure(.unavailable, "store.url is none: nothing is recorded")
        case .sqlite(let path): try SQLiteDatabase(path: path, makes: makes, withinSeconds: withinSeconds)
        case .postgres(let url): try PostgresDatabase(url: url, withinSeconds: withinSeconds)
        }
    }

    /// Fails where it is a file that is there and no hub's. Reads its first bytes and the names of its tables, and changes nothing.
    public func checkFile() throws(DatabaseFailure) {
        guard case .sqlite(let path) = self, let reason = SQLiteFile.whyForeign(path) else { return }
        throw DatabaseFailure(
            .unavailable,
            "\(path) is no database of a hub (\(reason)): name a file in store.url that is one, or that is not there yet"
        )
    }

    /// Host and database of a URL.
    private static func place(_ url: String) -> String {
        let rest = url[(url.firstRange(of: "://")?.upperBound ?? url.startIndex)...]
        // As libpq does: an '@' of a parameter, or of a path, is none behind a user.
        let account = rest.prefix { $0 != "/" }.firstIndex(of: "@")
        let open = (account.map { rest[rest.index(after: $0)...] } ?? rest).prefix { $0 != "?" }
        return String(open.lastIndex(of: "@").map { open[open.index(after: $0)...] } ?? open)
    }
}
