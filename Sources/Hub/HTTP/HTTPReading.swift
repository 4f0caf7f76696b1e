import WebSocketServer
import Wire

/// What a `GET` asks, by its path.
struct HTTPReading {
    enum What {
        /// A command, and the fields that the path has given: name, value.
        case command(String, [(name: String, value: String)])
        case requests
        case buses(line: String)
        case zones
        /// An id in the path is not written as one.
        case unreadable
    }

    /// How the reply of a command is answered.
    enum Form {
        case json
        case trips(isCSV: Bool)
        case receipt
    }

    let what: What
    private(set) var form = Form.json
    /// What the query may say, and whether it is a number.
    private var parameters = ["lat": true, "lon": true]

    /// Nil: the path is no reading's.
    init?(_ path: String) {
        guard path.utf8.starts(with: "/v1/".utf8) else { return nil }
        let parts = path.utf8.split(separator: 47, maxSplits: 7, omittingEmptySubsequences: false).dropFirst(2)
            .map { String(Substring($0)) }
        switch (parts.first, parts.count) {
        case ("zones", 1): what = .zones
        case ("requests", 1): what = .requests
        case ("trips", 1), ("trips.csv", 1):
            what = .command("trips.list", [])
            form = .trips(isCSV: parts[0] == "trips.csv")
            parameters = ["from": false, "limit": true, "role": false, "subject": false]
        case ("receipts", 2):
            what = Self.what(parts[1]) { .command("receipt.get", [("trip", $0)]) }
            form = .receipt
            parameters = [:]
        case ("vehicles", 2): what = Self.what(parts[1]) { .command("vehicle.get", [("vehicle", $0)]) }
        case ("lines", 3) where parts[2] == "eta": what = Self.what(parts[1]) { .command("line.eta", [("line", $0)]) }
        case ("lines", 5) where parts[2] == "stops" && parts[4] == "eta":
            let stop = PercentText.decoded(parts[3])
            what = Self.what(parts[1]) { line in
                stop.map { .command("line.eta", [("line", line), ("stop", $0)]) } ?? .unreadable
            }
        case ("lines", 3) where parts[2] == "buses": what = Self.what(parts[1]) { .buses(line: $0) }
        default: return nil
        }
    }

    private static func what(_ id: String, _ make: (String) -> What) -> What {
        PercentText.decoded(id).map(make) ?? .unreadable
    }

    /// The command's fields as JSON: those of the path, and of the query those that it may have. Others are passed over, as the commands do.
    func body(_ given: [(name: String, value: String)], _ query: String?) throws(ErrorReply) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        for (name, value) in given {
            json.key(escaping: name)
            json.string(value)
        }
        var known: Set<String> = []
        for part in (query ?? "").utf8.split(separator: 38, maxSplits: 16) {
            let sides = part.split(separator: 61, maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(Substring(sides[0]))
            guard let isNumber = parameters[name] else { continue }
            let text = sides.count == 2 ? PercentText.decoded(String(Substring(sides[1]))) : nil
            guard let text, known.insert(name).inserted else {
                throw ErrorReply(
                    code: .badMessage, field: name, detail: "field `\(name)`: expected one value, written as in a URL")
            }
            json.key(escaping: name)
            // Whether it is in its range is the command's business.
            if isNumber, let number = Double(text), number.isFinite {
                json.double(number)
            } else {
                json.string(text)
            }
        }
        json.endObject()
        return json.bytes
    }
}

extension HTTPRequest {
    /// The first value that the query gives a name, with `+` for a space; nil: it has none that can be read.
    func value(of name: String) -> String? {
        for part in (query ?? "").utf8.split(separator: UInt8(ascii: "&"), maxSplits: 16) {
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, Substring(sides[0]) == name else { continue }
            return PercentText.decoded(String(Substring(sides[1])), space: UInt8(ascii: "+"))
        }
        return nil
    }
}
