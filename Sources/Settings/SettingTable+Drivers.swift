extension Settings {
    static let driverTable: [Setting] = [
        .flag(
            "drivers.must_be_registered", \.drivers.mustBeRegistered, .atReload,
            """
            Only drivers whom the office has registered, with the last days of licence and medical certificate \
            (kerbside drivers), can go available or begin a tour. Without it only those whose papers have ended can't.
            """),
        .text(
            "drivers.public_url", \.drivers.publicURL, .publicURL, .atReload,
            """
            Where the public reaches this hub, as https://taxi.example: the codes on vehicles lead there. "": where the one who \
            asks for the code reached it.
            """),
    ]

    /// Records of drivers and vehicles.
    public struct Drivers: Sendable, Equatable {
        /// Who is unknown can't go available.
        public var mustBeRegistered = false
        /// Scheme and host, or "".
        public var publicURL = ""

        public init() {}
    }
}
