/// What a process does with signals at this moment, and whether a debugger has it, as the kernel says it in `/proc/<pid>/status`.
struct ProcessStanding {
    /// Signals that are held, ignored or caught: bit n - 1 is signal n.
    private let handled: UInt64
    /// A debugger, or whoever looks on like one, may hold it.
    let isTraced: Bool

    /// Nil when there is no such process.
    init?(of pid: Int32) {
        guard let bytes = try? WorkerFiles.read("/proc/\(pid)/status") else { return nil }
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    /// Nil when the text does not say it.
    init?(_ status: String) {
        var masks: [Substring: UInt64] = [:]
        var tracer: Substring = "0"
        for line in status.split(separator: "\n") {
            let words = line.split { $0 == ":" || $0 == "\t" || $0 == " " }
            if words.count == 2, words[0] == "TracerPid" { tracer = words[1] }
            if words.count == 2, words[0].hasPrefix("Sig") { masks[words[0]] = UInt64(words[1], radix: 16) }
        }
        guard let blocked = masks["SigBlk"], let ignored = masks["SigIgn"], let caught = masks["SigCgt"] else {
            return nil
        }
        handled = blocked | ignored | caught
        isTraced = tracer != "0"
    }

    /// False: what the kernel does by itself is done, which for most signals is the end.
    func survives(_ signal: Int32) -> Bool { handled & 1 << UInt64(signal - 1) != 0 }
}
