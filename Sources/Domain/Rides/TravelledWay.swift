import Glibc

/// Where a vehicle was on one way, from time to time: travel times are learned from it. The last place is where the way ended.
public struct TravelledWay: Equatable, Sendable {
    public struct Place: Equatable, Sendable {
        public var point: GeoPoint
        /// Unix ms, of the device's clock: only differences count.
        public var at: Int64

        public init(_ point: GeoPoint, at: Int64) {
            self.point = point
            self.at = at
        }
    }

    /// Places are at least so far apart, ms; and so many are kept: of a longer way every second one stays.
    static let apartMs: Int64 = 30_000
    static let most = 32
    /// Nobody knows what happened in a gap of more than this, ms: the way begins anew after it.
    static let longestGapMs: Int64 = 180_000

    public private(set) var places: [Place] = []
    private var last: Place?
    private var apart = apartMs

    public init() {}

    /// Of a recording, with all its places.
    public init(places: [Place]) {
        self.places = places
        last = places.last
    }

    /// The vehicle is there. Fixes come in the order of their times; of several at the same time the first counts.
    public mutating func pass(_ point: GeoPoint, at: Int64) {
        if at == last?.at { return }
        let place = Place(point, at: at)
        if let last, at - last.at > TravelledWay.longestGapMs || at < last.at {
            places.removeAll(keepingCapacity: true)
            apart = TravelledWay.apartMs
        }
        last = place
        guard let kept = places.last else { return places.append(place) }
        guard at - kept.at >= apart else { return }
        places.append(place)
        guard places.count >= TravelledWay.most else { return }
        places = places.indices.filter { $0 % 2 == 0 }.map { places[$0] }
        apart *= 2
    }

    /// The way as far as it was driven: its last place is where the vehicle was seen last.
    public var finished: TravelledWay {
        var way = self
        if let last, last != places.last { way.places.append(last) }
        return way
    }

    /// From the first place to the last, ms.
    public var durationMs: Int64 { places.count < 2 ? 0 : places[places.count - 1].at - places[0].at }

    /// The squares of so many metres that it leads from and to, `<row>,<column>` each; nil when it leads nowhere.
    public func squares(of metres: Double) -> (start: String, end: String)? {
        guard let first = places.first, let last = places.last, places.count > 1 else { return nil }
        func square(_ point: GeoPoint) -> String {
            let row = (point.lat * GeoPoint.metresPerDegree / metres).rounded(.down)
            // All squares of a row are as wide.
            let narrower = cos((row + 0.5) * metres / GeoPoint.metresPerDegree * .pi / 180)
            let column = (point.lon * GeoPoint.metresPerDegree * narrower / metres).rounded(.down)
            return "\(Int(row)),\(Int(column))"
        }
        return (square(first.point), square(last.point))
    }

    // MARK: as text

    /// `<Unix ms of the end> <s>,<lat>,<lon> …`, seconds since the first place, degrees × 1e5. `endedAt`: hub time, Unix ms.
    public func text(endedAt: Int64) -> String {
        let first = places.first?.at ?? 0
        func scaled(_ degrees: Double) -> Int { Int((degrees * 1e5).rounded()) }
        return places.reduce(into: "\(endedAt)") { text, place in
            text += " \((place.at - first) / 1000),\(scaled(place.point.lat)),\(scaled(place.point.lon))"
        }
    }

    /// Reads what `text` writes: times count back from the end. Nil when it is none.
    public init?(text: [UInt8]) {
        var reader = Reader(bytes: text)
        guard let end = reader.number(), text.count <= TravelledWay.longestText else { return nil }
        var read: [Place] = []
        while reader.skip(UInt8(ascii: " ")) {
            guard let second = reader.number(), reader.skip(UInt8(ascii: ",")), let lat = reader.number(),
                reader.skip(UInt8(ascii: ",")), let lon = reader.number(), (0...1_000_000).contains(second),
                abs(lat) <= 9_000_000, abs(lon) <= 18_000_000, read.last.map({ $0.at < second * 1000 }) ?? true
            else { return nil }
            read.append(Place(GeoPoint(lat: Double(lat) / 1e5, lon: Double(lon) / 1e5), at: second * 1000))
        }
        guard reader.isAtEnd, read.count >= 2, read.count <= TravelledWay.most + 1 else { return nil }
        let begin = end - read[read.count - 1].at
        for index in read.indices { read[index].at += begin }
        self.init(places: read)
    }

    private static let longestText = 2_000

    /// Whole numbers and what stands between them.
    private struct Reader {
        let bytes: [UInt8]
        private var offset = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { offset == bytes.count }

        mutating func skip(_ byte: UInt8) -> Bool {
            guard offset < bytes.count, bytes[offset] == byte else { return false }
            offset += 1
            return true
        }

        /// Up to 15 digits.
        mutating func number() -> Int64? {
            let isNegative = skip(UInt8(ascii: "-"))
            let start = offset
            var value: Int64 = 0
            while offset < bytes.count, case let digit = bytes[offset] &- UInt8(ascii: "0"), digit < 10 {
                guard offset - start < 15 else { return nil }
                value = value * 10 + Int64(digit)
                offset += 1
            }
            return offset == start ? nil : isNegative ? -value : value
        }
    }
}
