import Settings

/// How much memory the embedded Redis may take.
enum EngineMemory {
    private static let mebibyte = 1_048_576

    /// Bytes. Half of what the machine, or the container, has: Redis writes its log anew by a copy of itself, which shares what has not
    /// changed meanwhile. 0, which is no limit, if nobody says how much that is.
    static func limit(_ settings: Settings) -> Int {
        if settings.redis.maxMemoryMb > 0 { return settings.redis.maxMemoryMb * mebibyte }
        let found = [machine, container].compactMap { $0 }.min() ?? 0
        return found / 2
    }

    private static var machine: Int? {
        guard let text = try? WorkerFiles.read("/proc/meminfo") else { return nil }
        let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }

    /// `max` where there is none.
    private static var container: Int? {
        guard let text = try? WorkerFiles.read("/sys/fs/cgroup/memory.max") else { return nil }
        return String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).first.flatMap { Int($0) }
    }
}
