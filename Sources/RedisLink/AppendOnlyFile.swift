internal import Glibc

/// The file to which Redis writes each change. All that one call of a function changes stands in it between MULTI and EXEC.
///
/// A Redis that is killed may leave the last of them without its end. At its next start Redis 7 leaves it out, but when a command
/// of it is torn, it cuts the file behind the last whole command: MULTI stays, what is written later counts as part of it, and at
/// the start after that the half is carried out (Valkey mended it in 2026, pull request 4342). So it is cut here first, where the
/// transaction begins.
enum AppendOnlyFile {
    /// Looks through the newest file in `directory/appendonlydir` and cuts it before a transaction without an end. What else may be
    /// wrong with it is for Redis to say.
    ///
    /// - Returns: how many bytes were cut.
    static func repair(in directory: String) -> Int {
        guard let path = newest(in: directory + "/appendonlydir") else { return 0 }
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return 0 }
        let count = Int(status.st_size)
        guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else { return 0 }
        let whole = beginOfTornTransaction(UnsafeRawBufferPointer(start: start, count: count))
        munmap(start, count)
        guard let whole, ftruncate(descriptor, off_t(whole)) == 0 else { return 0 }
        fsync(descriptor)
        return count - whole
    }

    /// Nil: there is none, or something is there that Redis does not write.
    static func beginOfTornTransaction(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var reader = Reader(bytes: bytes)
        var begin: Int?
        while reader.position < bytes.count {
            let position = reader.position
            switch reader.command() {
            case .torn: return begin
            case .foreign: return nil
            case .other: continue
            case .multi: begin = begin ?? position
            case .exec: begin = nil
            }
        }
        return begin
    }

    private enum Found: Error { case multi, exec, other, torn, foreign }

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var position = 0

        /// A command as RESP has it, or a note.
        mutating func command() -> Found {
            guard bytes[position] != UInt8(ascii: "#") else { return line() == nil ? .torn : .other }
            var found = Found.other
            switch number(after: "*") {
            case .failure(let end): return end
            case .success(let count):
                for index in 0..<count {
                    switch number(after: "$") {
                    case .failure(let end): return end
                    case .success(let length):
                        guard bytes.count - position >= length + 2 else { return .torn }
                        if index == 0 { found = name(position..<position + length) }
                        position += length + 2
                    }
                }
            }
            return found
        }

        private func name(_ range: Range<Int>) -> Found {
            guard (4...5).contains(range.count) else { return .other }
            switch String(decoding: bytes[range], as: UTF8.self).lowercased() {
            case "multi": return .multi
            case "exec": return .exec
            default: return .other
            }
        }

        private mutating func number(after sign: Unicode.Scalar) -> Result<Int, Found> {
            guard position < bytes.count else { return .failure(.torn) }
            guard bytes[position] == UInt8(ascii: sign) else { return .failure(.foreign) }
            guard let line = line() else { return .failure(.torn) }
            var number = 0
            for index in line.dropFirst() {
                guard (0x30...0x39).contains(bytes[index]), number < 1 << 40 else { return .failure(.foreign) }
                number = number * 10 + Int(bytes[index] - 0x30)
            }
            return .success(number)
        }

        /// Up to CR LF, which is passed; nil when there is none.
        private mutating func line() -> Range<Int>? {
            let start = position
            guard let end = bytes[start...].firstIndex(of: 0x0a), end > start else { return nil }
            position = end + 1
            return start..<end - 1
        }
    }

    private static func manifest(in place: String) -> String { place + "/appendonly.aof.manifest" }

    /// Whether a Redis has written there.
    static func hasManifest(in directory: String) -> Bool {
        access(manifest(in: directory + "/appendonlydir"), F_OK) == 0
    }

    /// Files in `directory/appendonlydir` that hold changes and that no manifest names, in the order of their names. Redis would
    /// start empty and append to the newest of them; at the start after that it would read old and new as one.
    static func withoutManifest(in directory: String) -> [String] {
        let place = directory + "/appendonlydir"
        guard access(manifest(in: place), F_OK) != 0, errno == ENOENT, let entries = opendir(place)
        else {
            return []
        }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            guard name.hasPrefix("appendonly.aof."), name.hasSuffix(".aof") || name.hasSuffix(".rdb") else { continue }
            var status = stat()
            // A Redis that ended in its very first start leaves a base without a key, and an increment without a change.
            let most = name.hasSuffix(".rdb") ? emptyBase : 0
            if stat("\(place)/\(name)", &status) == 0, status.st_size > most { names.append(name) }
        }
        return names.sorted()
    }

    /// An RDB file without a key or a function has about 90 bytes.
    private static let emptyBase = 200

    /// The last increment that the manifest names: `file <name> seq <number> type i`.
    private static func newest(in directory: String) -> String? {
        let descriptor = open(manifest(in: directory), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = max(0, read(descriptor, &bytes, bytes.count))
        var name: Substring?
        for line in String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count >= 6, words[4...5] == ["type", "i"] { name = words[1] }
        }
        guard let name, !name.contains("/") else { return nil }
        return "\(directory)/\(name)"
    }
}
