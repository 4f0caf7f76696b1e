import Settings

/// A secret that signs and proves HS256 tokens.
struct TokenSecret: Sendable {
    /// Name in the header of tokens.
    let kid: String
    let key: HMACKey

    /// `bytes`: 32 or more.
    init(kid: String, bytes: [UInt8]) {
        self.kid = kid
        key = HMACKey(bytes)
    }
}

/// All keys of a hub.
struct TokenKeys: Sendable {
    /// The secrets of the file; the first signs.
    let secrets: [TokenSecret]
    /// Keys of other issuers.
    let publicKeys: [TokenPublicKey]

    /// The secret that signs new tokens.
    var signing: TokenSecret { secrets[0] }

    /// Reads the keys that the settings name. Reads files: for start-up and reload only.
    ///
    /// - Parameter makesSecret: make the secret file, with one random secret, when there is none. Several processes may
    ///   do that at once. Otherwise a missing file is a problem, as a new secret would prove nobody's tokens.
    static func load(_ settings: Settings, makesSecret: Bool) throws(SettingsError) -> TokenKeys {
        var problems: [SettingsProblem] = []
        var secrets: [TokenSecret] = []
        var publicKeys: [TokenPublicKey] = []
        do {
            secrets = try TokenSecretFile.load(settings.tokenSecretFile, makes: makesSecret)
        } catch {
            problems += error.problems
        }
        do {
            publicKeys = try Self.publicKeys(settings)
        } catch {
            problems += error.problems
        }
        for key in settings.tokens.publicKeys {
            if secrets.contains(where: { $0.kid == key.kid }) {
                problems.append(
                    .init(
                        place: settings.tokenSecretFile,
                        text: "kid \"\(key.kid)\" is in tokens.public_keys too; each key needs its own"))
            }
        }
        guard problems.isEmpty else { throw SettingsError(problems: problems) }
        return TokenKeys(secrets: secrets, publicKeys: publicKeys)
    }

    /// The keys of other issuers alone.
    static func publicKeys(_ settings: Settings) throws(SettingsError) -> [TokenPublicKey] {
        var problems: [SettingsProblem] = []
        var keys: [TokenPublicKey] = []
        for key in settings.tokens.publicKeys {
            do {
                keys.append(try publicKey(key))
            } catch {
                problems += error.problems
            }
        }
        guard problems.isEmpty else { throw SettingsError(problems: problems) }
        return keys
    }

    private static func publicKey(_ key: Settings.Tokens.PublicKey) throws(SettingsError) -> TokenPublicKey {
        let reason: String
        do {
            let bytes = try TextFile.read(key.file, maxBytes: 65_536)
            do {
                return try TokenPublicKey(
                    kid: key.kid, pem: String(decoding: bytes, as: UTF8.self), rules: key.rules)
            } catch {
                reason = "expected \(error.expected)"
            }
        } catch {
            reason = "can't be read: \(error.reason)"
        }
        throw SettingsError(problems: [.init(place: key.file, text: reason)])
    }
}
