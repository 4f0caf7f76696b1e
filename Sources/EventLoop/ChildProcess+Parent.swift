internal import CLibuv

extension ChildProcess {
    /// To be called by a child: it gets SIGTERM when its parent ends, however the parent ends.
    public static func endWithParent() { kb_end_with_parent() }
}
