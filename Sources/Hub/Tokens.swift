import Glibc
public import Settings
import WebSocketServer

/// Tokens as this hub signs and checks them: the JWT rules of Settings, with OpenSSL's signatures.
public enum Tokens {
    private static var cryptography: TokenCryptography {
        TokenCryptography(
            hmacSHA256: { Signature.hmacSHA256(key: $0, $1) },
            check: { algorithm, pem in
                guard let key = try? Signature.PublicKey(pem: pem), key.algorithm.rawValue == algorithm.rawValue else {
                    return { _, _ in false }
                }
                return { key.verifies($0, of: $1) }
            })
    }

    /// Checks tokens by all keys of the settings. Throws on unusable files of keys or revocations.
    static func verifier(_ settings: Settings) throws -> TokenVerifier {
        TokenVerifier(
            keys: try TokenKeys.load(settings, makesSecret: false),
            revocations: try TokenRevocations.load(settings.tokens.revokedFile),
            city: settings.city.id, tokens: settings.tokens, cryptography: cryptography)
    }

    /// Throws what is wrong with the files of keys or revocations. A secret that is not there is made at the first start.
    static func check(_ settings: Settings) throws {
        guard access(settings.tokenSecretFile, F_OK) != 0 else {
            _ = try verifier(settings)
            return
        }
        _ = try TokenKeys.publicKeys(settings)
        _ = try TokenRevocations.load(settings.tokens.revokedFile)
    }

    /// Signs with the first secret of the file. Throws on an unusable file, and when there is none unless it makes one.
    public static func issuer(_ settings: Settings, makesSecret: Bool = false) throws -> TokenIssuer {
        TokenIssuer(
            secret: try TokenKeys.load(settings, makesSecret: makesSecret).signing, cryptography: cryptography)
    }
}
