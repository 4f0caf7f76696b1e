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
        .text(
            "pages.map", \.pages.map, .path, .atReload,
            """
            The ground of the pages' map: a PMTiles archive (version 3) of vector tiles in the Protomaps basemap schema, cut to \
            the city, which the hub serves itself at /tiles/. Read where it lies, and anew at each reload; one that can't be \
            used is said in the log and by `kerbside check-config`, and stops nothing. "": none.
            """),
        .text(
            "pages.raster_tiles", \.pages.rasterTiles, .tileURL, .atReload,
            """
            Where there is no pages.map: pictures of another host as the ground, as https://tiles.example/{z}/{x}/{y}.png. \
            Browsers of all who look at a map then ask that host, which so learns what they look at. "": blank ground, and no \
            other host is asked.
            """),
        .text(
            "pages.map_attribution", \.pages.mapAttribution, .any, .atReload,
            """
            Whose map it is, as its licence wants it to be said on the map: "© OpenStreetMap". "": what stands in the \
            archive; pages.raster_tiles needs it.
            """),
    ]

    /// Web pages of the hub.
    public struct Pages: Sendable, Equatable {
        /// Whether they are served.
        public var enabled = true
        /// From where they are read; empty: from the program.
        public var directory = ""
        /// A PMTiles archive; empty: none.
        public var map = ""
        /// URL of pictures with `{z}`, `{x}` and `{y}`; empty: none.
        public var rasterTiles = ""
        /// Said on the map; empty: what the archive says.
        public var mapAttribution = ""

        /// Scheme and host that pictures of the map come from; nil: from nowhere.
        public var rasterOrigin: String? { TileURL.origin(rasterTiles) }

        public init() {}
    }
}
