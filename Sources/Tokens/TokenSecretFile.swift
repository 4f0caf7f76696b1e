import Glibc
import Settings

/// The file of signing secrets: `kid base64url-secret` per line, the first signs, all are accepted.
enum TokenSecretFile {
    /// Bytes of a secret at least: as many as the hash has (RFC 7518, 3.2).
    private static let minBytes = 32

    /// The secrets; when there is no file, makes it or fails.
    static func load(_ path: String, makes: Bool) throws(SettingsError) -> [TokenSecret] {
        if access(path, F_OK) != 0 && errno == ENOENT {
            guard makes else {
                throw problem(
                    path,
                    """
                    there is no such file, so there is no secret to sign or prove tokens with; a hub makes it in its \
                    data directory when it starts there: name that directory (data.dir, --data) or the file \
                    (tokens.secret_file)
                    """)
            }
            // Another process may make it first, and a half-written file is never seen: see `make`.
            try make(path)
        }
        // A pipe without a writer is opened at once, too, and refused below: who reads it must not wait for one.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw problem(path, "can't be read: \(TextFile.Failure(errno).reason)") }
        defer { close(file) }
        // Asked of the open file, so that it can't be changed for another in between.
        var info = stat()
        guard fstat(file, &info) == 0 else { throw problem(path, "can't be read: \(TextFile.Failure(errno).reason)") }
        guard info.st_mode & S_IFMT == S_IFREG else { throw problem(path, "isn't a file") }
        guard info.st_mode & 0o077 == 0 else {
            throw problem(
                path,
                """
                others can use it (mode \(String(info.st_mode & 0o777, radix: 8))), and whoever reads it can make \
                tokens; run "chmod 600 \(path)", and replace the secrets if others may have read them
                """)
        }
        do {
            return try parse(try TextFile.read(file, maxBytes: 65_536), path: path)
        } catch let error as TextFile.Failure {
            throw problem(path, "can't be read: \(error.reason)")
        } catch let error as SettingsError {
            throw error
        } catch {
            throw problem(path, "\(error)")
        }
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

    /// Makes the file with one random secret, mode 0600. It is written under a name of its own and then linked to its
    /// place, which fails if another process was first: then that one's file stands, and is whole.
    private static func make(_ path: String) throws(SettingsError) {
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            // 0700: the data directory holds what nobody else should read.
            guard mkdir(String(path[..<slash]), 0o700) == 0 || errno == EEXIST else {
                throw problem(path, "its directory can't be made: \(TextFile.Failure(errno).reason)")
            }
        }
        var random = SystemRandomNumberGenerator()
        let secret = (0..<minBytes).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let kid = "k" + String(UInt32.random(in: .min ... .max, using: &random), radix: 16)
        let text = """
            # Secrets that sign tokens: "kid base64url-secret" per line. The first signs, all are accepted. To change
            # the secret, put a new line on top, reload (SIGHUP), and take the old one out when its tokens have expired.
            \(kid) \(Base64URL.encode(secret))

            """

        let own = "\(path).\(getpid()).\(UInt32.random(in: .min ... .max, using: &random))"
        let file = open(own, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw problem(path, "can't be made: \(TextFile.Failure(errno).reason)") }
        defer { unlink(own) }
        let bytes = Array(text.utf8)
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        let code = errno
        close(file)
        guard isWritten else { throw problem(path, "can't be written: \(TextFile.Failure(code).reason)") }
        guard link(own, path) == 0 || errno == EEXIST else {
            throw problem(path, "can't be made: \(TextFile.Failure(errno).reason)")
        }
    }

    private static func problem(_ path: String, _ text: String) -> SettingsError {
        SettingsError(problems: [.init(place: path, text: text)])
    }
}
