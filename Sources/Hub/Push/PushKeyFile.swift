import Settings
import Tokens
import WebPush

/// The key by which push services know this hub, `push.key_file`: made by the supervisor, read by its processes. A new one ends
/// all subscriptions, as browsers hold each to the key that it began with.
enum PushKeyFile {
    static let name = "push.key"

    private static func path(_ settings: Settings) -> String {
        settings.push.keyFile.isEmpty ? settings.data.dir + "/" + name : settings.push.keyFile
    }

    /// Nil: pushes are switched off. Reads a file.
    static func read(_ settings: Settings) throws(SettingsError) -> PushVoucher? {
        guard settings.push.isOn else { return nil }
        let path = path(settings)
        try SecretFile.checkOwner(path)
        let bytes = try SecretFile.read(
            path, maxBytes: 16_384, harm: "whoever reads it can send pushes in the name of this hub",
            remedy: "delete it for a new one")
        guard let key = P256Key(pem: String(decoding: bytes, as: UTF8.self)) else {
            throw SecretFile.problem(
                path,
                "holds no private key of the curve P-256 (PEM, PKCS #8); put the right one there, or delete it for a new one, by which everybody subscribes anew"
            )
        }
        return PushVoucher(key: key, subject: settings.push.subject)
    }

    /// Makes it if there is none, and sees that it can be read.
    static func prepare(_ settings: Settings) throws(SettingsError) {
        guard settings.push.isOn else { return }
        if !SecretFile.exists(path(settings)) { try SecretFile.make(path(settings), P256Key().pem) }
        _ = try read(settings)
    }
}
