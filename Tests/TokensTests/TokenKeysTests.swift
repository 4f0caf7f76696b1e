import Foundation
import Settings
import Testing
import Wire

@testable import Tokens

private func problems(_ path: String) -> [String] {
    do {
        _ = try TokenSecretFile.load(path, makes: true)
        return []
    } catch {
        return error.problems.map { $0.description.replacing(path, with: "FILE") }
    }
}

/// What stands in the file of these.
private func lines(_ secrets: [TokenSecret]) -> [String] {
    secrets.map { "\($0.kid) \(Base64URL.encode($0.key.bytes))" }
}

/// 32 and 31 bytes in base64url.
private let good = Base64URL.encode([UInt8](repeating: 7, count: 32))
private let short = Base64URL.encode([UInt8](repeating: 7, count: 31))

@Suite struct TokenKeysTests {
    @Test func `The secret file is made at first start, for its owner alone, and stays`() throws {
        let scratch = Scratch()
        let path = scratch.path + "/data/token.secret"
        let made = try TokenSecretFile.load(path, makes: true)
        #expect(made.count == 1)
        #expect(made[0].key.bytes.count == 32)
        #expect(Scratch.mode(path) == 0o600)
        #expect(Scratch.mode(scratch.path + "/data") == 0o700)
        #expect(lines(try TokenSecretFile.load(path, makes: true)) == lines(made))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/data") == ["token.secret"])
        let other = try TokenSecretFile.load(scratch.path + "/other", makes: true)
        #expect(lines(other) != lines(made))
    }

    @Test func `A secret is made only where that was asked for`() throws {
        let scratch = Scratch()
        let path = scratch.path + "/data/token.secret"
        let error = #expect(throws: SettingsError.self) { try TokenSecretFile.load(path, makes: false) }
        #expect(error?.description.contains("there is no such file") == true)
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/data"))
    }

    @Test func `Many that start at once get the same secret`() async throws {
        let scratch = Scratch()
        let path = scratch.path + "/data/token.secret"
        let all = await withTaskGroup(of: [TokenSecret].self) { group in
            for _ in 0..<32 { group.addTask { (try? TokenSecretFile.load(path, makes: true)) ?? [] } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(all.count == 32)
        #expect(Set(all.map { $0.map(\.kid) }).count == 1)
        #expect(all[0].count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/data") == ["token.secret"])
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o660, 0o610, 0o602] as [UInt32])
    func `A file that others can use is refused`(mode: UInt32) {
        let scratch = Scratch()
        let path = scratch.write("s", "k1 \(good)\n")
        chmod(path, mode)
        let found = problems(path)
        #expect(found.count == 1)
        #expect(found.first?.contains("others can use it (mode \(String(mode, radix: 8)))") == true)
        #expect(found.first?.contains("chmod 600 FILE") == true)
        chmod(path, 0o600)
        #expect(problems(path) == [])
    }

    @Test func `A hub takes no secret that another user knows, and root's commands do`() throws {
        let scratch = Scratch()
        let path = scratch.write("s", "k1 \(good)\n", mode: 0o600)
        try SecretFile.checkOwner(path)
        try SecretFile.checkOwner(scratch.path + "/none")
        // Whoever this is: root's is taken.
        try SecretFile.checkOwner("/etc/passwd")
        // Only root can give a file away.
        guard geteuid() == 0 else { return }
        #expect(chown(path, 65_534, 65_534) == 0)
        let error = #expect(throws: SettingsError.self) { try SecretFile.checkOwner(path) }
        #expect(error?.description.contains("belongs to user 65534") == true)
        #expect(problems(path) == [])
    }

    @Test func `A pipe is refused at once, without waiting for who writes to it`() {
        let scratch = Scratch()
        let path = scratch.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(problems(path).first?.contains("isn't a file") == true)
    }

    @Test func `Comments, blank lines and several secrets are read in order`() throws {
        let text = "# first\n\nnew \(good)\r\n\told   \(good)  \n"
        let secrets = try TokenSecretFile.parse(Array(text.utf8), path: "s")
        #expect(secrets.map(\.kid) == ["new", "old"])
        #expect(TokenKeys(secrets: secrets, publicKeys: []).signing.kid == "new")
    }

    @Test func `Wrong lines are reported by number, and never shown`() {
        let scratch = Scratch()
        let path = scratch.write(
            "s", "k1 \(good)\nk1 \(good)\nk2 \(short)\nk3\nk4 secret!\nk{5} \(good)\nk6 a b\n", mode: 0o600)
        #expect(
            problems(path) == [
                "FILE:2: this kid was given before; each secret needs its own",
                "FILE:3: the secret has 31 bytes; expected 32 or more",
                "FILE:4: expected \"kid base64url-secret\"",
                "FILE:5: expected \"kid base64url-secret\"",
                "FILE:6: expected \"kid base64url-secret\"",
                "FILE:7: expected \"kid base64url-secret\"",
            ])
    }

    @Test func `An empty file, a directory and a place that can't be are said so`() {
        let scratch = Scratch()
        #expect(
            problems(scratch.write("s", "# none\n", mode: 0o600)) == [
                "FILE: holds no secret; delete it to have a new one made"
            ])
        #expect(problems(scratch.path) == ["FILE: isn't a file"])
        #expect(
            problems(scratch.path + "/no/such/secret") == [
                "FILE: its directory can't be made: No such file or directory"
            ])
    }

    @Test func `Keys of the settings are loaded together, and all problems reported`() throws {
        let scratch = Scratch()
        var settings = Settings()
        settings.data.dir = scratch.path
        settings.tokens.publicKeys = [
            .init(kid: "rsa", file: scratch.write("rsa.pem", PublicKeys.rsa2048)),
            .init(kid: "ec", file: scratch.write("ec.pem", "Some words\n" + PublicKeys.p256 + "\n")),
            .init(kid: "ed", file: scratch.write("ed.pem", PublicKeys.ed25519)),
        ]
        let keys = try TokenKeys.load(settings, makesSecret: true)
        #expect(keys.secrets.count == 1)
        #expect(keys.publicKeys.map(\.algorithm) == [.rs256, .es256, .edDSA])

        settings.tokens.publicKeys = [
            .init(kid: keys.signing.kid, file: scratch.path + "/rsa.pem"),
            .init(kid: "missing", file: scratch.path + "/missing.pem"),
        ]
        let error = #expect(throws: SettingsError.self) { try TokenKeys.load(settings, makesSecret: true) }
        #expect(error?.problems.count == 2)
    }

    @Test(arguments: [
        (PublicKeys.rsa1024, "an RSA key of 2048 bits or more"),
        (PublicKeys.p384, "an RSA key, an Ed25519 key, or one on the curve P-256"),
        ("", "a PEM file with"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "make its public half"),
        ("-----BEGIN RSA PUBLIC KEY-----\nAAAA\n-----END RSA PUBLIC KEY-----", "openssl rsa -RSAPublicKey_in"),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "openssl x509"),
        ("-----BEGIN PUBLIC KEY-----\n!!\n-----END PUBLIC KEY-----", "isn't damaged"),
        ("-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----", "isn't damaged"),
        ("-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", "isn't damaged"),
        ("-----BEGIN PUBLIC KEY-----\nMP__________\n-----END PUBLIC KEY-----", "isn't damaged"),
        (PublicKeys.rsa2048.replacing("MIIB", with: "MIIC"), "isn't damaged"),
        (PublicKeys.ed25519.replacing("M=", with: "MA"), "isn't damaged"),
        (PublicKeys.x25519, "an RSA key, an Ed25519 key, or one"),
        ("-----BEGIN PUBLIC KEY-----\nMIIB", "a PEM file with"),
    ])
    func `A file that holds no usable public key says what is needed`(pem: String, expected: String) {
        do {
            _ = try TokenPublicKey(kid: "k", pem: pem)
            Issue.record("taken")
        } catch {
            #expect(error.expected.contains(expected))
        }
    }
}
