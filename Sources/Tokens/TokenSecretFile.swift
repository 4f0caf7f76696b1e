import Settings
import Wire

/// The file of signing secrets: `kid base64url-secret` per line, the first signs, all are accepted.
enum TokenSecretFile {
    /// Bytes of a secret at least: as many as the hash has (RFC 7518, 3.2).
    private static let minBytes = 32

    /// The secrets; when there is no file, makes it or fails.
    static func load(_ path: String, makes: Bool) throws(SettingsError) -> [TokenSecret] {
        if !SecretFile.exists(path) {
            guard makes else {
                throw SecretFile.problem(
                    path,
                    """
                    there is no such file, so there is no secret to sign or prove tokens with; a hub makes it in its \
                    data directory when it starts there: name that directory (data.dir, --data) or the file \
                    (tokens.secret_file)
                    """)
            }
            try SecretFile.make(path, text())
        }
        return try parse(
            SecretFile.read(
                path, maxBytes: 65_536, harm: "whoever reads it can make tokens", remedy: "replace the secrets"),
            path: path)
    }

    /// The secrets of the file's text. Messages say the line and never what stands in it.
    static func parse(_ bytes: [UInt8], path: String) throws(SettingsError) -> [TokenSecret] {
        var secrets: [TokenSecret] = []
        var problems: [SettingsProblem] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = line.split { [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains($0) }
            guard let first = words.first, first.first != UInt8(ascii: "#") else { continue }
            func refuse(_ text: String) { problems.append(.init(place: "\(path):\(index + 1)", text: text)) }
            let kid = String(decoding: first, as: UTF8.self)
            guard words.count == 2, Identifier.isValid(kid), let secret = Base64URL.decode(words[1]) else {
                refuse("expected \"kid base64url-secret\"")
                continue
            }
            guard secret.count >= minBytes else {
                refuse("the secret has \(secret.count) bytes; expected \(minBytes) or more")
                continue
            }
            guard !secrets.contains(where: { $0.kid == kid }) else {
                refuse("this kid was given before; each secret needs its own")
                continue
            }
            secrets.append(TokenSecret(kid: kid, bytes: secret))
        }
        if secrets.isEmpty && problems.isEmpty {
            problems.append(.init(place: path, text: "holds no secret; delete it to have a new one made"))
        }
        guard problems.isEmpty else { throw SettingsError(problems: problems) }
        return secrets
    }

    /// A file with one random secret.
    private static func text() -> String {
        var random = SystemRandomNumberGenerator()
        let secret = (0..<minBytes).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let kid = "k" + String(UInt32.random(in: .min ... .max, using: &random), radix: 16)
        return """
            # Secrets that sign tokens: "kid base64url-secret" per line. The first signs, all are accepted. To change
            # the secret, put a new line on top, reload (SIGHUP), and take the old one out when its tokens have expired.
            \(kid) \(Base64URL.encode(secret))

            """
    }
}
