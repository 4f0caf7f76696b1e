/// What a citizen asks of a line: to stop at a place at a time.
public struct StopRequest: Equatable, Sendable {
    /// Where to get on.
    public enum Place: Equatable, Sendable {
        /// A stop of the catalog, by its id.
        case stop(String)
        /// Degrees, WGS 84.
        case point(lat: Double, lon: Double)
    }

    /// The way back, asked for at once: a request of its own, linked to the first.
    public struct Back: Equatable, Sendable {
        public var place: Place
        /// Unix milliseconds.
        public var at: Int64
        /// Nil: as many as on the way there. 1…99.
        public var passengers: Int?

        public init(place: Place, at: Int64, passengers: Int? = nil) {
            self.place = place
            self.at = at
            self.passengers = passengers
        }
    }

    /// Id of the line, 1–64 visible ASCII characters.
    public var line: String
    public var place: Place
    /// When, Unix milliseconds; nil: as soon as the bus comes by.
    public var at: Int64?
    /// 1…99.
    public var passengers: Int
    /// By which the driver knows whom to fetch: 1–80 bytes.
    public var name: String
    /// To be called at, 1–32 bytes.
    public var number: String?
    /// For people, 1–200 bytes.
    public var address: String?
    /// What help is needed, as `wheelchair`, `baggage`, `shopping`: up to 8 of 1–32 of `[A-Za-z0-9_.:-]`.
    public var help: [String]
    public var back: Back?

    public init(
        line: String, place: Place, at: Int64? = nil, passengers: Int = 1, name: String, number: String? = nil,
        address: String? = nil, help: [String] = [], back: Back? = nil
    ) {
        self.line = line
        self.place = place
        self.at = at
        self.passengers = passengers
        self.name = name
        self.number = number
        self.address = address
        self.help = help
        self.back = back
    }

    func encodeFields(into writer: inout JSONWriter) {
        writer.member("line", line)
        place.encode(into: &writer)
        if let at { writer.member("at", at) }
        writer.member("passengers", passengers)
        writer.key("name")
        writer.string(name)
        if let number {
            writer.key("number")
            writer.string(number)
        }
        if let address {
            writer.key("address")
            writer.string(address)
        }
        if !help.isEmpty {
            writer.key("help")
            writer.beginArray()
            for need in help { writer.string(need) }
            writer.endArray()
        }
        guard let back else { return }
        writer.key("back")
        writer.beginObject()
        back.place.encode(into: &writer)
        writer.member("at", back.at)
        if let passengers = back.passengers { writer.member("passengers", passengers) }
        writer.endObject()
    }
}

extension StopRequest.Place {
    /// As members of the object that is being written: `stop`, or `lat` and `lon`.
    func encode(into writer: inout JSONWriter) {
        switch self {
        case .stop(let id): writer.member("stop", id)
        case .point(let lat, let lon):
            writer.member("lat", lat)
            writer.member("lon", lon)
        }
    }
}

/// How a driver answers a request for a stop.
public enum StopAnswer: String, CaseIterable, Sendable {
    case accept, decline, complete, noshow
}
