import Wire

/// A field of a day's hash of figures: `<hour>|<name>`, and ten numbers (`figures.add_numbers`).
struct HourField {
    /// 0…23.
    let hour: Int
    let name: String
    let numbers: [Int]

    /// Nil: it is none.
    init?(_ field: String, _ value: String) {
        numbers = value.split(separator: " ").compactMap { Int($0) }
        guard let bar = field.firstIndex(of: "|"), let hour = Int(field[..<bar]), (0...23).contains(hour),
            numbers.count == 10
        else { return nil }
        self.hour = hour
        name = String(field[field.index(after: bar)...])
    }
}

extension JSONWriter {
    /// Begins an object of figures: the days they are of, both included, and the time zone of these.
    mutating func beginFigures(from: ServiceDate, to: ServiceDate, timeZone: String) {
        beginObject()
        member("from", "\(from)")
        member("to", "\(to)")
        member("time_zone", timeZone)
    }
}
