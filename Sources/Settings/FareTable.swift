/// Fares by the distance that is ridden, per route: what a passenger is told before booking (M11).
///
/// A line is `R7: 5km=12.00 10km=18.50 25km=30.00`: up to 5 km it costs 12.00, up to 10 km 18.50, and from there on as
/// much as the last one says. `*` is for all routes that have no line of their own.
public struct FareTable: Sendable, Equatable {
    private var lines: [String: Line] = [:]

    /// Lines that can't be read are left out; settings are checked when they are loaded.
    public init(_ texts: [String]) {
        for text in texts { if let line = Line(text) { lines[line.route] = line } }
    }

    /// The fare for one passenger in hundredths of the currency; nil when none is set for the route.
    public func fare(route: String?, metres: Double) -> Int? {
        guard let line = route.flatMap({ lines[$0] }) ?? lines["*"] else { return nil }
        return (line.slabs.first { metres <= $0.metres } ?? line.slabs.last)?.fare
    }

    /// One route's slabs, in the order of their distances.
    struct Line: Sendable, Equatable {
        let route: String
        let slabs: [Slab]

        struct Slab: Sendable, Equatable {
            let metres: Double
            /// Hundredths of the currency.
            let fare: Int
        }

        /// Nil when the text is not of the form above.
        init?(_ text: String) {
            guard let colon = text.firstIndex(of: " "), text[..<colon].hasSuffix(":") else { return nil }
            route = String(text[..<colon].dropLast())
            guard route == "*" || Identifier.isValid(route) else { return nil }
            var slabs: [Slab] = []
            for word in text[colon...].split(separator: " ") {
                let parts = word.split(separator: "=", omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0].hasSuffix("km"), let kilometres = Self.number(parts[0].dropLast(2)),
                    let fare = Self.number(parts[1]), kilometres > (slabs.last?.metres ?? 0) / 1000
                else { return nil }
                slabs.append(Slab(metres: (kilometres * 1000).rounded(), fare: Int((fare * 100).rounded())))
            }
            guard !slabs.isEmpty else { return nil }
            self.slabs = slabs
        }

        /// A decimal number as people write it, up to a million.
        static func number(_ text: Substring) -> Double? {
            guard text.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let value = Double(text), value <= 1e6
            else {
                return nil
            }
            return value
        }
    }
}
