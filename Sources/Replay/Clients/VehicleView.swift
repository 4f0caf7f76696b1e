import Wire

/// What a reader knows of one vehicle by its feed, `vehicle:<id>`: a snapshot replaces all, a short row moves what is known, a
/// whole one replaces it.
struct VehicleView: Equatable {
    let vehicle: String
    /// Nil: nothing was told since it was asked for. `.some(nil)`: it is not shown.
    private(set) var shown: Shown??

    struct Shown: Equatable {
        var state: String
        var seats: Int?
    }

    init(vehicle: String) { self.vehicle = vehicle }

    var channel: String { "vehicle:" + vehicle }

    mutating func take(isSnapshot: Bool, gone: [String], _ rows: JSONValue) {
        if isSnapshot || gone.contains(vehicle) { shown = .some(nil) }
        for row in rows.elements ?? [] {
            guard let fields = row.elements, fields.first?.text == vehicle, fields.count > 5 else { continue }
            shown = Shown(state: fields[4].text ?? "", seats: fields[5].integer.map(Int.init))
        }
    }
}
