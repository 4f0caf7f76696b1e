public import Settings
import WebSocketServer

/// Tokens as this hub signs and checks them: the JWT rules of Settings, with OpenSSL's signatures.
public enum Tokens {
    private static var cryptography: TokenCryptography {
        TokenCryptography(
            hmacSHA256: { Signature.hmacSHA256(key: $0, $1) },
            verify: { algorithm, pem, signature, data in
                switch algorithm {
                case .hs256: false
                case .rs256: Signature.verifyRS256(publicKeyPEM: pem, data: data, signature: signature)
                case .es256: Signature.verifyES256(publicKeyPEM: pem, data: data, signature: signature)
                }
            })
    }

    /// Checks tokens by all keys of the settings; makes the secret file if there is none. Throws on unusable key files.
    static func verifier(_ settings: Settings) throws -> TokenVerifier {
        TokenVerifier(
            keys: try TokenKeys.load(settings), city: settings.city.id, leewayS: settings.tokens.leewayS,
            cryptography: cryptography)
    }

    /// Signs with the first secret of the file; makes the file if there is none. Throws on an unusable file.
    public static func issuer(_ settings: Settings) throws -> TokenIssuer {
        TokenIssuer(secret: try TokenKeys.load(settings).signing, cryptography: cryptography)
    }
}
