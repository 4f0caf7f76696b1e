import Foundation
import Settings

/// A file named on the command line; - is standard input.
enum InputFile {
    /// Larger than any recording of a city's day, and far less than the memory of a machine: what never ends (/dev/zero, a pipe) ends here.
    private static let mostBytes = 512 << 20

    /// All of it, 512 MiB at most. Waits for the writer of a pipe.
    static func read(_ path: String) throws -> [UInt8] {
        let isInput = path == "-"
        let file = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(path, TextFile.Failure(errno)) }
        defer { if !isInput { close(file) } }
        do throws(TextFile.Failure) {
            return try TextFile.read(file, maxBytes: mostBytes)
        } catch {
            throw unreadable(isInput ? "standard input" : path, error)
        }
    }

    private static func unreadable(_ name: String, _ failure: TextFile.Failure) -> CommandFailure {
        CommandFailure("\(name) can't be read: \(failure.reason)")
    }

    /// A recording that is found in a folder: who names a pipe may mean it, but here it would be waited for unasked.
    static func recording(inFolder path: String) throws -> [UInt8] {
        do throws(TextFile.Failure) {
            return try TextFile.read(path, maxBytes: mostBytes)
        } catch {
            throw CommandFailure("\(path) isn't a file that can be read (\(error.reason)); take it out of the folder")
        }
    }

    /// A recording: who has none is told where there are some.
    static func recording(_ path: String) throws -> [UInt8] {
        do { return try read(path) } catch let failure as CommandFailure {
            throw CommandFailure("\(failure). \(whereRecordingsAre)")
        }
    }

    /// Whether the path is a folder; throws when there is nothing, and says where recordings are.
    static func isFolder(_ path: String) throws -> Bool {
        var info = stat()
        guard stat(path, &info) == 0 else {
            throw CommandFailure("\(path) can't be read: \(String(cString: strerror(errno))). \(whereRecordingsAre)")
        }
        return info.st_mode & S_IFMT == S_IFDIR
    }

    private static let whereRecordingsAre =
        "`kerbside replay --help` says what is read, and where there are recordings."

    /// What is in a folder.
    static func names(in folder: String) throws -> [String] {
        guard let directory = opendir(folder) else {
            throw CommandFailure("\(folder) can't be read: \(String(cString: strerror(errno)))")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }
}

/// A file that a command writes.
enum OutputFile {
    static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "wb") else { throw failure(path) }
        let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
        guard fclose(file) == 0, isWritten else { throw failure(path) }
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure("\(path) can't be written: \(String(cString: strerror(errno)))")
    }
}
