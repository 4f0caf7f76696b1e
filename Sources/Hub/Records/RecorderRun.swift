/// The process that records: what `kerbside recorder` does.
public enum RecorderRun {
    /// Until SIGTERM. Throws when it can't start; the supervisor starts it again.
    public static func run(name: String, data: String) throws {
        try SideProcess.run(Recorder.self, name: name, data: data)
    }
}
