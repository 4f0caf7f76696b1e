internal import CLibuv

/// The cores that a thread may run on.
public enum Cores {
    /// Has the calling thread run where a process may run. Nothing changes when there is no such process.
    public static func take(of process: Int32) { kb_take_cores(process) }
}
