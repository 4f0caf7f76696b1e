/// The commands of bus drivers.
extension Envelope {
    func tourStart() throws(ErrorReply) -> Command {
        .tourStart(
            bus: try requiredCatalogID(.bus), line: try requiredCatalogID(.line),
            pattern: try catalogID(.pattern), trip: try catalogID(.trip))
    }

    func tour() throws(ErrorReply) -> String? {
        try text(
            .tour, .identifier, upTo: WireLimits.identifierBytes, "a tour id, 1 to 64 characters of A-Z a-z 0-9 _ . : -"
        )
    }

    /// An id of the catalog, as its makers gave it.
    func catalogID(_ field: Field) throws(ErrorReply) -> String? {
        try text(field, .visible, upTo: WireLimits.identifierBytes, Self.expectedCatalogID)
    }

    func requiredCatalogID(_ field: Field) throws(ErrorReply) -> String {
        try require(field, Self.expectedCatalogID)
        return try catalogID(field) ?? ""
    }

    private static var expectedCatalogID: StaticString { "an id of the catalog, 1 to 64 visible ASCII characters" }
}
