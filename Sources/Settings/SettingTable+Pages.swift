extension Settings {
    static let pageTable: [Setting] = [
        .flag(
            "pages.enabled", \.pages.enabled, .atReload,
            """
            Serve the web pages for passengers, drivers and operators (/line/ and others) on the hub's own port. Without \
            them / only says what this is.
            """),
        .text(
            "pages.directory", \.pages.directory, .path, .atReload,
            """
            For those who write pages: Sources/pages of a source tree, from which they are read at each request instead of \
            from the program. No way to serve the public. "": those of the program.
            """),
    ]

    /// Web pages of the hub.
    public struct Pages: Sendable, Equatable {
        /// Whether they are served.
        public var enabled = true
        /// From where they are read; empty: from the program.
        public var directory = ""

        public init() {}
    }
}
