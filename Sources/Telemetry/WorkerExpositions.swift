import Glibc

/// The workers' metrics in a directory that they share: each writes its own text, and whichever is asked answers with
/// all of them.
public struct WorkerExpositions: Sendable {
    private let directory: String

    private static let prefix = "worker-"
    private static let suffix = ".prom"
    /// Far more than the metrics of one worker.
    private static let maxBytes = 4_194_304

    /// - Parameter directory: must exist; nothing else should be in it.
    public init(directory: String) {
        self.directory = directory
    }

    /// Writes a worker's text, whole or not at all. Fails with the system's error number.
    public func publish(_ text: String, worker: String) throws(PublishFailure) {
        let own = "\(directory)/.\(worker).\(getpid())"
        let file = open(own, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw PublishFailure(code: errno) }
        var text = text
        let count = text.utf8.count
        let written = text.withUTF8 { write(file, $0.baseAddress, count) }
        let code = errno
        close(file)
        guard written == count, rename(own, path(worker)) == 0 else {
            let reason = written == count ? errno : written < 0 ? code : ENOSPC
            unlink(own)
            throw PublishFailure(code: reason)
        }
    }

    /// Takes a worker's text away, when it has ended.
    public func remove(worker: String) {
        unlink(path(worker))
    }

    /// All workers' texts as one.
    ///
    /// - Parameters:
    ///   - own: the answering worker's text, fresher than its file.
    ///   - maxAgeS: a file older than this belongs to a worker that is gone, seconds.
    public func merged(own: (worker: String, text: String), maxAgeS: Int) -> String {
        var texts = [own]
        for worker in workers() where worker != own.worker {
            if let text = read(path(worker), maxAgeS: maxAgeS) { texts.append((worker, text)) }
        }
        return ExpositionMerge.merge(texts.sorted { ($0.worker.count, $0.worker) < ($1.worker.count, $1.worker) })
    }

    /// What the system said when a text couldn't be written.
    public struct PublishFailure: Error, Sendable, CustomStringConvertible {
        /// `errno`.
        public let code: Int32

        public var description: String { "metrics can't be written: " + String(cString: strerror(code)) }
    }

    private func path(_ worker: String) -> String { "\(directory)/\(Self.prefix)\(worker)\(Self.suffix)" }

    private func workers() -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix) else { continue }
            names.append(String(name.dropFirst(Self.prefix.count).dropLast(Self.suffix.count)))
        }
        return names
    }

    private func read(_ path: String, maxAgeS: Int) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var info = stat()
        guard fstat(file, &info) == 0, info.st_size <= Self.maxBytes, time(nil) - info.st_mtim.tv_sec <= maxAgeS
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(info.st_size))
        let count = Glibc.read(file, &bytes, bytes.count)
        return count == bytes.count ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
