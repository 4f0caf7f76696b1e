import ArgumentParser
import Foundation

/// A self-signed certificate for this machine and a day, made by the openssl command.
struct OwnCertificate {
    /// What its key is: P-256, or RSA of 2,048 bits.
    enum Key: String, CaseIterable, ExpressibleByArgument { case ec, rsa }

    let certificate: String
    let key: String

    init(of kind: Key, in directory: String) throws {
        certificate = directory + "/certificate.pem"
        key = directory + "/key.pem"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["openssl", "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-newkey"]
            + (kind == .ec ? ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"] : ["rsa:2048"])
            + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", certificate, "-keyout", key]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandFailure("no certificate could be made: is the Debian package openssl there?")
        }
    }
}
