import Domain
import Glibc
import Settings
import Tokens
import WebSocketServer

/// What workers run with: the settings, and copies of all files that these name, in `<data>/run/current`.
///
/// A configuration is taken whole or not at all: everything is copied and tried, and then one link is changed. A worker
/// that is started later finds what was tried, whatever has become of the files that were copied. A certificate that was good
/// when it was taken stays, also when its time is over: nothing else is kept back for it.
struct SettledFiles {
    private static let prefix = "settled."

    let data: String
    private var number = 0

    init(data: String) { self.data = data }

    /// A name for the copies of the next configuration.
    mutating func nextName() -> String {
        number += 1
        return "\(Self.prefix)\(number)"
    }

    private func path(of name: String) -> String { "\(WorkerFiles.directory(data))/\(name)" }

    /// Copies the configuration under that name and tries it. Any thread. Answers what was repaired in the zones. Throws what is wrong with
    /// the configuration; no copies are left then.
    func copy(_ settings: Settings, as name: String) throws -> [ZoneRepair] {
        // By the names that people know first, for the messages; then the copies, which are what counts.
        try SecretFile.checkOwner(settings.tokenSecretFile)
        try checkKeys(settings)
        let directory = path(of: name)
        do {
            try make(directory)
            let (copied, copies) = Self.moved(settings, to: directory)
            for (original, copy) in copies { try WorkerFiles.write(try WorkerFiles.read(original), to: copy) }
            try checkKeys(copied)
            // Read once only: with many zones it takes long.
            var repairs: [ZoneRepair] = []
            _ = try CityZones.load(copied, named: settings.zones.file) { repairs.append($0) }
            let (found, _) = Self.moved(settings, to: WorkerFiles.current(data))
            try WorkerFiles.write(Array(found.encoded().utf8), to: directory + "/settings.yaml")
            return repairs
        } catch {
            Self.remove(directory)
            throw error
        }
    }

    /// Takes what was copied under that name. Throws when the disk does not take it, and then nothing has changed.
    func take(_ name: String) throws(HubFailure) {
        do throws(HubFailure) {
            try link(name)
        } catch {
            Self.remove(path(of: name))
            throw error
        }
        removeCopies(but: name)
    }

    /// Removes all copies: at the start those of a run that was killed, at the end one's own.
    func clear() {
        unlink(WorkerFiles.current(data))
        removeCopies(but: nil)
    }

    private func removeCopies(but kept: String?) {
        let directory = WorkerFiles.directory(data)
        for name in DirectoryNames.of(directory) ?? [] where name.hasPrefix(Self.prefix) && name != kept {
            Self.remove("\(directory)/\(name)")
        }
    }

    private func checkKeys(_ settings: Settings) throws {
        _ = try TokenVerifier(settings)
        guard let files = settings.tlsFiles else { return }
        if isServed(files.certificate) { _ = try files.validity() } else { try files.check() }
    }

    /// Whether workers have it already. At the start of a hub nothing is served.
    private func isServed(_ certificate: String) -> Bool {
        guard let served = try? WorkerFiles.read(WorkerFiles.certificate(data)) else { return false }
        return (try? WorkerFiles.read(certificate)) == served
    }

    private func make(_ directory: String) throws(HubFailure) {
        // Left by a run that was killed.
        Self.remove(directory)
        guard mkdir(directory, 0o700) == 0 else {
            throw HubFailure("\(directory) can't be made: \(String(cString: strerror(errno)))")
        }
    }

    /// The settings with copies in a directory in place of the files that they name, and what each is a copy of.
    private static func moved(
        _ settings: Settings, to directory: String
    ) -> (settings: Settings, copies: [(original: String, copy: String)]) {
        var moved = settings
        var copies: [(original: String, copy: String)] = []
        func move(_ file: WritableKeyPath<Settings, String>, _ original: String, _ name: String) {
            guard !original.isEmpty else { return }
            moved[keyPath: file] = "\(directory)/\(name)"
            copies.append((original, "\(directory)/\(name)"))
        }
        move(\.zones.file, settings.zones.file, "zones.geojson")
        move(\.tokens.secretFile, settings.tokenSecretFile, "token.secret")
        move(\.tokens.revokedFile, settings.tokens.revokedFile, "tokens.revoked")
        move(\.server.tls.certificate, settings.server.tls.certificate, WorkerFiles.certificateName)
        move(\.server.tls.key, settings.server.tls.key, WorkerFiles.keyName)
        for (index, key) in settings.tokens.publicKeys.enumerated() {
            move(\.tokens.publicKeys[index].file, key.file, "public-\(index).pem")
        }
        return (moved, copies)
    }

    private func link(_ name: String) throws(HubFailure) {
        let beside = WorkerFiles.current(data) + ".new"
        unlink(beside)
        guard symlink(name, beside) == 0, rename(beside, WorkerFiles.current(data)) == 0 else {
            throw HubFailure("\(WorkerFiles.current(data)) can't be made: \(String(cString: strerror(errno)))")
        }
    }

    private static func remove(_ directory: String) {
        for name in DirectoryNames.of(directory) ?? [] { unlink("\(directory)/\(name)") }
        rmdir(directory)
    }
}
