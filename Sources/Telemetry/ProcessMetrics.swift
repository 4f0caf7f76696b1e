import Glibc

extension Metrics {
    /// Adds what Prometheus's own clients tell of their process, by the same names: CPU time, memory, the limit of open
    /// files, the time of start (that of this call).
    public func addProcessMetrics() {
        counter("process_cpu_seconds_total", "CPU time of this process, user and system.") { Self.cpuSeconds() }
        gauge("process_resident_memory_bytes", "Memory of this process that is in RAM.") {
            Double(Self.residentBytes())
        }
        gauge("process_max_fds", "Files and sockets that this process may open.") {
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .nan }
            return limit.rlim_cur == .max ? .infinity : Double(limit.rlim_cur)
        }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let start = Double(now.tv_sec) + Double(now.tv_nsec / 1_000_000) / 1_000
        gauge("process_start_time_seconds", "When this process began, Unix time.") { start }
    }

    /// CPU time of this process so far, user and system, seconds.
    public static func cpuSeconds() -> Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
    }

    /// Memory of this process that is in RAM, bytes; 0 where the system doesn't tell.
    public static func residentBytes() -> Int {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return 0 }
        let words = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
    }
}
