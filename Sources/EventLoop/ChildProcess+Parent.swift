internal import CLibuv
internal import Glibc

extension ChildProcess {
    /// In a child's environment: the process that has started it.
    private static let parent = "KERBSIDE_PARENT"

    /// To be called by a child: it gets SIGTERM when its parent ends, however the parent ends; at once if that was before this call.
    public static func endWithParent() {
        kb_end_with_parent()
        guard let parent = getenv(parent).flatMap({ Int32(String(cString: $0)) }) else { return }
        if getppid() != parent { raise(SIGTERM) }
    }

    /// What a child finds in its environment about this process.
    static func nameParent() { setenv(parent, "\(getpid())", 1) }
}
