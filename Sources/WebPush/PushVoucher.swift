import Wire

/// By which a push service knows whose pushes they are (VAPID, RFC 8292). Any thread.
public struct PushVoucher: Sendable {
    private let key: P256Key
    private let subject: String

    /// Less than the day that a push service takes at most, s.
    private static let lifeS: Int64 = 43_200

    /// subject: whom to turn to, `mailto:` or an https URL; nothing in it needs an escape in JSON.
    public init(key: P256Key, subject: String) {
        self.key = key
        self.subject = subject
    }

    /// The public key as a page gives it to its browser.
    public var publicKey: String { Base64URL.encode(key.point) }

    /// The header `Authorization` of a push to this origin. now: Unix s.
    public func authorization(to origin: String, now: Int64) -> String {
        let head = #"{"typ":"JWT","alg":"ES256"}"#
        let body = #"{"aud":"\#(origin)","exp":\#(now + Self.lifeS),"sub":"\#(subject)"}"#
        let signed = Base64URL.encode(head.utf8) + "." + Base64URL.encode(body.utf8)
        return "vapid t=\(signed).\(Base64URL.encode(key.signature(of: Array(signed.utf8)))),k=\(publicKey)"
    }
}
