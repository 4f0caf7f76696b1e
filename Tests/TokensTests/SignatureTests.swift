import Testing
import Wire

@testable import Tokens

/// The examples of RFC 7515, appendix A.
@Suite struct SignatureTests {
    private static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    private static let rsaKey = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAofgWCuLjybRlzo0tZWJj
        NiuSfb4p4fAkd/wWJcyQoTbji9k0l8W26mPddxHmfHQp+Vaw+4qPCJrcS2mJPMEz
        P1Pt0Bm4d4QlL+yRT+SFd2lZS+pCgNMsD1W/YpRPEwOWvG6b32690r2jZ47soMZo
        9wGzjb/7OMg0LOL+bSf63kpaSHSXndS5z5rexMdbBYUsLA9e+KXBdQOS+UTo7WTB
        EMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxX
        FvUK+DWNmoudF8NAco9/h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXp
        oQIDAQAB
        -----END PUBLIC KEY-----
        """

    private static let ecKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END PUBLIC KEY-----
        """

    @Test func `HS256 of A_1`() throws {
        let key = HMACKey(
            try base64URL(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
        let data = Array("eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.claims)".utf8)
        let code = try base64URL("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        // Twice: what is set up once is used often.
        for _ in 1...2 { #expect(key.code(of: data) == code) }
        #expect(key.proves(code, of: data) && !key.proves(code, of: data + [0]))
        #expect(!key.proves(Array(code.dropLast()), of: data) && !key.proves([], of: data))
    }

    @Test func `RS256 of A_2, and not with one bit changed`() throws {
        let data = Array("eyJhbGciOiJSUzI1NiJ9.\(Self.claims)".utf8)
        var signature = try base64URL(
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2F"
                + "p5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQB"
                + "MHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeY"
                + "I2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw")
        let key = try TokenPublicKey(kid: "k", pem: Self.rsaKey)
        #expect(key.algorithm == .rs256)
        #expect(key.proves(signature, of: data))
        #expect(!key.proves(signature, of: data + [0]))
        #expect(!(try TokenPublicKey(kid: "k", pem: Self.ecKey)).proves(signature, of: data))
        signature[10] ^= 1
        #expect(!key.proves(signature, of: data))
        #expect(!key.proves([], of: data))
    }

    @Test func `ES256 of A_3, and not with one bit changed`() throws {
        let data = Array("eyJhbGciOiJFUzI1NiJ9.\(Self.claims)".utf8)
        var signature = try base64URL(
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
        let key = try TokenPublicKey(kid: "k", pem: Self.ecKey)
        #expect(key.algorithm == .es256)
        #expect(key.proves(signature, of: data))
        #expect(!key.proves(signature, of: Array(data.dropLast())))
        #expect(!key.proves(Array(signature.dropLast()), of: data))
        #expect(!key.proves(Array(repeating: 0, count: 64), of: data))
        signature[63] ^= 1
        #expect(!key.proves(signature, of: data))
    }
}

private func base64URL(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text.utf8)) }
