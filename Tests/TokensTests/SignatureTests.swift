import Testing

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

    @Test func `HS256 of A_1`() {
        let key = base64URL("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")
        let data = Array("eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(Self.claims)".utf8)
        #expect(Signature.hmacSHA256(key: key, data) == base64URL("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    }

    @Test func `HMAC with an empty key and empty data, after another key`() {
        _ = Signature.hmacSHA256(key: [1, 2, 3], [4])
        let expected = base64URL("thNnmggU2ex3L5XXeMNfxf8Wl8STcVZTxscSFEKSxa0")
        #expect(Signature.hmacSHA256(key: [], []) == expected)
    }

    @Test func `RS256 of A_2, and not with one bit changed`() throws {
        let data = Array("eyJhbGciOiJSUzI1NiJ9.\(Self.claims)".utf8)
        var signature = base64URL(
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdb"
                + "F9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN93"
                + "83LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIh"
                + "WkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw")
        let key = try #require(Signature.PublicKey(pem: Self.rsaKey))
        #expect(key.algorithm == .rs256)
        #expect(key.verifies(signature, of: data))
        #expect(!key.verifies(signature, of: data + [0]))
        #expect(Signature.PublicKey(pem: Self.ecKey)?.verifies(signature, of: data) == false)
        signature[10] ^= 1
        #expect(!key.verifies(signature, of: data))
        #expect(!key.verifies([], of: data))
    }

    @Test func `ES256 of A_3, and not with one bit changed`() throws {
        let data = Array("eyJhbGciOiJFUzI1NiJ9.\(Self.claims)".utf8)
        var signature = base64URL(
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
        let key = try #require(Signature.PublicKey(pem: Self.ecKey))
        #expect(key.algorithm == .es256)
        #expect(key.verifies(signature, of: data))
        #expect(!key.verifies(signature, of: Array(data.dropLast())))
        #expect(!key.verifies(Array(signature.dropLast()), of: data))
        #expect(!key.verifies(Array(repeating: 0, count: 64), of: data))
        signature[63] ^= 1
        #expect(!key.verifies(signature, of: data))
    }

    @Test func `what is no key, or a weak one, is refused`() {
        #expect(Signature.PublicKey(pem: "") == nil)
        #expect(Signature.PublicKey(pem: Self.rsaKey.replacing("MIIB", with: "MIIC")) == nil)
        // 1024 bits.
        #expect(Signature.PublicKey(pem: Self.weakKey) == nil)
    }

    private static let weakKey = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCsOxCNSXGt7l7+EAl6QQLYzD0y
        iz/e6ubMvX0T6eGUaaVRNRhXK5I8ugWbAbE8F0KhzhC6yDI0edHaaDdK5s16SMaa
        UH2N78Z1qWomNDCJDK9f95l7W2T87gen3oupug2Xkv0zq06b7reqY0C058O/njUL
        7BG5hfb9fP75alGxtQIDAQAB
        -----END PUBLIC KEY-----
        """
}

/// Decodes base64url without padding.
func base64URL(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var bits = 0
    var value: UInt32 = 0
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    for digit in text.utf8 {
        value = value << 6 | UInt32(digits.firstIndex(of: digit)!)
        bits += 6
        if bits >= 8 {
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(bits)))
        }
    }
    return bytes
}
