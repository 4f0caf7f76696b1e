/// Public keys made for these tests; nobody has their private halves.
enum PublicKeys {
    static let rsa2048 = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtxMYOp1ZUl0ob7olp6MC
        BACl58GaKz1V8zMXHF1h4N2rkTxXTR+8DawWKUpX3ghAvP4OIfvAOCnU+DerJYbv
        QlxdYv7jNjlkurM+9+r53R+yKjXAc1lLJpN/cXhtiELg+OjtcOYwS28Jb66hSUy6
        Ok82Tx2qhfJQs7PLUSMVKVSdZPC4pmxIR7J/VquA3WJq2k+UHJrFpa30gSoanmSX
        nU8SXwDGCYOXo8h9Us9+XvVfeJppmaSnGH0/aSDE6tT4Dc7GP0kHB2hHLGLIwiEl
        aiE29YTQoVsvM1y/rw4KwT52jtEJltSv1e6Ch7nC2hIFB8gFBdnkUNdLYGCoGkG7
        ewIDAQAB
        -----END PUBLIC KEY-----
        """
    static let rsa1024 = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCqdotEFZMQHrIIZ/wT1853z70s
        va8pI0eQ5I22FFWplZWzIMxHlfLsFCovD7MN8g/t2X0bXsZJQsMuWBO/PSbrsB+j
        1WLkDBNRzx/kyDIpkZVNoEkCSLr9X26aVvBVSolG6zIZSzmAk0BVziHNNlQOUhdn
        yAFuAIY7dDdobvw5NwIDAQAB
        -----END PUBLIC KEY-----
        """
    static let p256 = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAElj7rfoMCXa3lMe/xS1DhxyUmc+4P
        XyWm4EWqHz2RlYheUslup7UkROLsnMy7R8MsBCZOBeA8aAKDRL9bBRgLlw==
        -----END PUBLIC KEY-----
        """
    static let p384 = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEBF5TQm2VJdloouLE3q9ufSY3oC//TvMd
        Kz2tA4emMjup5ud8MqaiOWxaCywrdwrnmuJlJqlW3o328EvEBZr8jhxZi7EI6Rag
        Vm4q+aJHxfQ6aNPqpOAYmSO8l4JmZFxn
        -----END PUBLIC KEY-----
        """
    static let ed25519 = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEASasfCGDPY02LOzeUK6TU/pPqL6N2mcOQIVxMD2PF3zM=
        -----END PUBLIC KEY-----
        """
    /// For agreeing on keys: signs nothing.
    static let x25519 = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VuAyEA2w6209ndvCFYWcIxLjC4+KDIMAdiXJe5pyyWE5JVPU0=
        -----END PUBLIC KEY-----
        """
}
