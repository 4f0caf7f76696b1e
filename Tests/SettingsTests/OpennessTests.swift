import Glibc
import Testing

@testable import Settings

@Suite struct OpennessTests {
    /// A directory with another one in it, and a file in that.
    private func tree() -> (scratch: Scratch, inner: String, file: String) {
        let scratch = Scratch()
        let inner = scratch.path + "/inner"
        #expect(mkdir(inner, 0o755) == 0)
        // Whatever the umask is.
        for directory in [scratch.path, inner] { #expect(chmod(directory, 0o755) == 0) }
        return (scratch, inner, scratch.write("inner/file", ""))
    }

    @Test func `A file is open by its own mode, or by that of a directory without a sticky bit`() {
        let (scratch, inner, file) = tree()
        #expect(TextFile.openToAll(file) == nil)
        for (path, mode, isOpen) in [
            (file, 0o646, true), (file, 0o644, false), (inner, 0o777, true), (inner, 0o1777, false),
            (inner, 0o755, false),
            (scratch.path, 0o777, true), (scratch.path, 0o1777, false),
        ] as [(String, mode_t, Bool)] {
            #expect(chmod(path, mode) == 0)
            #expect(TextFile.openToAll(file) == (isOpen ? path : nil), "\(path) \(String(mode, radix: 8))")
        }
    }

    @Test func `A directory that others can't come to, or not look into, is not open`() {
        let (scratch, inner, file) = tree()
        #expect(chmod(inner, 0o776) == 0)
        #expect(TextFile.openToAll(file) == nil)
        #expect(chmod(inner, 0o777) == 0)
        #expect(TextFile.openToAll(file) == inner)
        #expect(chmod(scratch.path, 0o750) == 0)
        #expect(TextFile.openToAll(file) == nil)
    }

    @Test func `A directory that holds a link on the way counts, and so does where the link leads`() {
        let (scratch, inner, file) = tree()
        let outer = scratch.path + "/outer"
        #expect(mkdir(outer, 0o755) == 0)
        for target in [file, "../inner/file", ".././inner//file"] {
            let link = outer + "/link"
            #expect(symlink(target, link) == 0)
            for way in [link, scratch.path + "/inner/../outer/link"] {
                #expect(TextFile.openToAll(way) == nil)
                for directory in [outer, inner] {
                    #expect(chmod(directory, 0o777) == 0)
                    #expect(TextFile.openToAll(way) == directory)
                    #expect(chmod(directory, 0o755) == 0)
                }
            }
            #expect(unlink(link) == 0)
        }
        // A link to a directory.
        #expect(symlink("inner", scratch.path + "/latest") == 0)
        #expect(chmod(inner, 0o777) == 0)
        #expect(TextFile.openToAll(scratch.path + "/latest/file") == inner)
        #expect(chmod(scratch.path, 0o777) == 0)
        #expect(TextFile.openToAll(scratch.path + "/latest/file") == scratch.path)
    }

    @Test func `Links in a circle end, and of a file that is not there the directories count`() {
        let (scratch, inner, _) = tree()
        #expect(symlink("two", inner + "/one") == 0)
        #expect(symlink("one", inner + "/two") == 0)
        #expect(TextFile.openToAll(inner + "/one") == nil)
        #expect(TextFile.openToAll(inner + "/none") == nil)
        #expect(chmod(inner, 0o777) == 0)
        #expect(TextFile.openToAll(inner + "/one") == inner)
        #expect(TextFile.openToAll(inner + "/none") == inner)
        #expect(TextFile.openToAll(scratch.path + "/none/none") == nil)
        #expect(TextFile.openToAll("") == nil)
    }

    @Test(arguments: ["tokens.secret_file", "tokens.revoked_file", "server.tls.key"])
    func `What decides whose tokens count, and the key of the hub, is refused in an open directory`(setting: String) {
        let (scratch, inner, file) = tree()
        scratch.write("zones-example.geojson", "{}")
        var flags = [setting: file]
        if setting == "server.tls.key" { flags["server.tls.certificate"] = scratch.write("c", "") }
        #expect(chmod(file, 0o600) == 0)
        for (mode, isTaken) in [(0o755, true), (0o777, false), (0o1777, true)] as [(mode_t, Bool)] {
            #expect(chmod(inner, mode) == 0)
            let loaded = Result { () throws(SettingsError) in
                try Settings.load(file: nil, flags: flags, exampleDirectories: [scratch.path])
            }
            switch loaded {
            case .success: #expect(isTaken)
            case .failure(let error):
                #expect(!isTaken)
                let expected = "flag \(setting): \(setting): others can write to \(inner), and decide "
                #expect(error.problems.count == 1 && error.problems[0].description.hasPrefix(expected), "\(error)")
            }
        }
    }
}
