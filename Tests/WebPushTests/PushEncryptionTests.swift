import Testing
import Wire

@testable import WebPush

private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text.utf8)) }

/// RFC 8291, appendix A.
private enum Vector {
    static let message = "When I grow up, I want to be a watermelon"
    static let point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    static let auth = "BTBZMqHH6r4Tts7J_aSIgg"
    static let ownPoint = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    static let ownSecret = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
    static let body =
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
        + "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
}

@Suite struct PushEncryptionTests {
    @Test func `the example of RFC 8291 comes out byte by byte`() throws {
        let receiver = try PushReceiver(p256dh: Vector.point, auth: Vector.auth)
        let own = try #require(P256Key(secret: bytes(Vector.ownSecret), point: bytes(Vector.ownPoint)))
        let body = receiver.encrypt(Array(Vector.message.utf8), with: own, salt: try bytes(Vector.salt))
        #expect(body == (try bytes(Vector.body)))
    }

    @Test func `each message has a salt and a key of its own, and no more than a push service takes`() throws {
        let receiver = try PushReceiver(p256dh: Vector.point + "=", auth: Vector.auth + "==")
        let message = [UInt8](repeating: 7, count: PushReceiver.mostBytes)
        let first = try #require(receiver.encrypt(message))
        let second = try #require(receiver.encrypt(message))
        #expect(first.count == 4096)
        #expect(first[..<86] != second[..<86])
        #expect(receiver.encrypt(message + [7]) == nil)
    }

    @Test(arguments: [
        ("", "p256dh"), ("BCVx", "p256dh"), (Vector.ownSecret, "p256dh"),
        // Its last bit is another: that is no point of the curve.
        ("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw8", "p256dh"),
        // Nor is the point at infinity, or one of another form.
        ("BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "p256dh"),
        ("AyVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcx", "p256dh"),
    ])
    func `what is no point of the curve is refused`(point: String, field: String) {
        let mismatch = #expect(throws: PushReceiver.Mismatch.self) {
            try PushReceiver(p256dh: point, auth: Vector.auth)
        }
        #expect(mismatch?.field == field)
    }

    @Test(arguments: ["", "BTBZ", Vector.ownSecret, "BTBZMqHH6r4Tts7J_aSIg!"])
    func `a secret has 16 bytes`(auth: String) {
        let mismatch = #expect(throws: PushReceiver.Mismatch.self) {
            try PushReceiver(p256dh: Vector.point, auth: auth)
        }
        #expect(mismatch?.field == "auth")
    }

    @Test func `a key comes back from its file, and another is none`() throws {
        let key = P256Key()
        #expect(P256Key(pem: key.pem)?.point == key.point)
        #expect(P256Key(pem: "") == nil)
        #expect(P256Key(pem: key.pem.replacing("MIG", with: "MIH")) == nil)
        #expect(P256Key(secret: try bytes(Vector.ownSecret), point: try bytes(Vector.point)) != nil)
    }

    @Test func `a voucher names the service, the hub and when it ends`() throws {
        let voucher = PushVoucher(key: P256Key(), subject: "mailto:hub@example.org")
        let header = voucher.authorization(to: "https://push.example", now: 1_000)
        let parts = header.dropFirst("vapid t=".count).split(separator: ".")
        #expect(header.hasPrefix("vapid t="))
        #expect(header.hasSuffix(",k=" + voucher.publicKey))
        #expect(String(decoding: try bytes(String(parts[0])), as: UTF8.self) == #"{"typ":"JWT","alg":"ES256"}"#)
        #expect(
            String(decoding: try bytes(String(parts[1])), as: UTF8.self)
                == #"{"aud":"https://push.example","exp":44200,"sub":"mailto:hub@example.org"}"#)
        let signature = parts[2].split(separator: ",")[0]
        #expect(try bytes(String(signature)).count == 64)
    }
}
