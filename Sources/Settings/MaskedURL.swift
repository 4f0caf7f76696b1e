/// A URL of a server without what may be secret in it, for people and logs.
enum MaskedURL {
    /// Parameters that hold no secret. Any other may be a misspelt password.
    private static let open: Set<Substring> = [
        "db", "dbname", "host", "hostaddr", "port", "sslmode", "sslrootcert", "sslcert", "sslkey", "connect_timeout",
        "application_name", "target_session_attrs", "channel_binding", "tcp_user_timeout", "keepalives",
    ]

    /// With `****` in place of user and password, and of the value of a parameter that may hold one.
    static func of(_ url: String) -> String {
        guard !url.hasPrefix("sqlite:"), let start = url.firstRange(of: "://")?.upperBound else { return url }
        var masked = String(url[..<start])
        var rest = url[start...]
        // The last one: a password may hold an '@' that was not encoded.
        if let at = rest.lastIndex(of: "@") {
            masked += "****"
            // It may be one of a parameter, and what follows the end of a password.
            guard !rest[..<at].contains("?") else { return masked }
            rest = rest[at...]
        }
        guard let mark = rest.firstIndex(of: "?") else { return masked + rest }
        let parameters = rest[rest.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        return masked + rest[...mark] + parameters.map(parameter).joined(separator: "&")
    }

    private static func parameter(_ text: Substring) -> String {
        guard !text.isEmpty, let equals = text.firstIndex(of: "=") else { return text.isEmpty ? "" : "****" }
        return open.contains(text[..<equals]) ? String(text) : text[...equals] + "****"
    }
}
