import Domain
import Wire

/// What the running tours of a line are forecast to do at its stops, as the readers of the line are told it (`bus`).
struct LineForecast {
    /// A running tour.
    struct Bus {
        fileprivate let tour: LineArrivals.Tour
        /// When its last position came, hub ms.
        fileprivate let heard: Int64
        /// By stop, in the order of its way.
        fileprivate let calls: [String: [ETA]]
        /// Of its state what does not depend on the stop: `position`, `delay_s` and `seats`.
        let state: JSONValue

        /// Nil when its state is of another form.
        fileprivate init?(_ bus: LineBoard.Bus) {
            guard let state = try? JSONValue(parsing: bus.data), let id = state["tour"]?.text,
                let name = state["bus"]?.text
            else { return nil }
            let etas = state["etas"]?.elements ?? []
            calls = etas.reduce(into: [:]) { calls, eta in
                guard let stop = eta["stop"]?.text, let at = eta["at"]?.integer else { return }
                let call = ETA(early: eta["early"]?.integer ?? at, likely: at, late: eta["late"]?.integer ?? at)
                calls[stop, default: []].append(call)
            }
            // Behind its last stop nothing is forecast, and it is known that it comes to none.
            let isBehindLast = state["next_stop"] == nil
            let isPlaced = state["off_route"]?.boolean != true && (!etas.isEmpty || isBehindLast)
            tour = LineArrivals.Tour(
                id: id, bus: name, pattern: state["pattern"]?.text ?? "", trip: state["trip"]?.text ?? "",
                base: bus.base, isKnown: isPlaced)
            heard = bus.heard
            var shown = JSONObject()
            for key in ["position", "delay_s", "seats"] { shown[key] = state[key] }
            self.state = .object(shown)
        }
    }

    /// By tour.
    private(set) var buses: [String: Bus] = [:]
    /// When it began to be made: everything in it is of then or later. Hub ms.
    let at: Int64

    /// Nothing is forecast from a position that is older, ms: as in stop_times.lua.
    private static let latestMs: Int64 = 300_000

    init(at: Int64) { self.at = at }

    /// Reads the state of one tour, some KB of JSON.
    mutating func take(_ bus: LineBoard.Bus) {
        guard let read = Bus(bus) else { return }
        buses[read.tour.id] = read
    }

    /// The running tours, and when they come to a stop. now: hub ms.
    func tours(at stop: String, now: Int64) -> [LineArrivals.Tour] {
        buses.values.map { bus in
            var tour = bus.tour
            tour.isKnown = tour.isKnown && abs(now - bus.heard) <= Self.latestMs
            guard tour.isKnown else { return tour }
            tour.passes = (bus.calls[stop] ?? []).map { eta in
                LineArrivals.Pass(
                    distance: 0,
                    eta: ETA(early: max(now, eta.early), likely: max(now, eta.likely), late: max(now, eta.late)))
            }
            return tour
        }
    }
}
