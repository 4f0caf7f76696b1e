import Domain
import WebSocketServer
import Wire

/// Trips as they are read over HTTP by people: a receipt that prints, and a table for a spreadsheet.
enum TripPages {
    /// - Parameter json: the reply of the command that the path asks.
    static func page(_ json: [UInt8], _ form: HTTPReading.Form, _ request: HTTPRequest, city: String) -> HTTPResponse {
        var response: HTTPResponse
        switch form {
        case .json: return .json(json)
        case .trips(let isCSV):
            guard isCSV || MediaPreference(request.header("accept")).prefersCSV else {
                response = .json(json)
                break
            }
            let listed = try? JSONValue(parsing: json)
            response = HTTPResponse(
                status: 200, contentType: "text/csv; charset=utf-8; header=present",
                headers: [("Cache-Control", "no-store")], body: Array(csv(listed?["trips"]?.elements ?? []).utf8))
            if let next = listed?["next"]?.text {
                response.headers.append(("Link", link(next, path: request.path, query: request.query)))
            }
        case .receipt:
            let types = request.tokens("accept").map { String($0.utf8.prefix { $0 != 59 && $0 != 32 }) ?? "" }
            guard types.contains("text/html"), let trip = try? JSONValue(parsing: json) else {
                response = .json(json)
                break
            }
            response = HTTPResponse(
                status: 200, contentType: "text/html; charset=utf-8",
                headers: [
                    ("Cache-Control", "no-store"),
                    (
                        "Content-Security-Policy",
                        "default-src 'none'; style-src '\(ReceiptPage.styleDigest)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
                    ), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
                ], body: ReceiptPage.html(trip, city: city))
        }
        response.headers.append(("Vary", "Accept"))
        return response
    }

    /// Where the table goes on (RFC 8288), as a table itself can't say it.
    /// - Parameter next: the trip at which the next page begins.
    static func link(_ next: String, path: String, query: String?) -> String {
        let same = (query ?? "").utf8.split(separator: 38).map { String(Substring($0)) }.filter { part in
            ["limit=", "role=", "subject="].contains { part.hasPrefix($0) }
        }
        return "<\(path)?\((["from=" + next] + same).joined(separator: "&"))>; rel=\"next\""
    }

    private static let columns = [
        "receipt", "trip", "ended", "driver", "passenger", "passengers", "from_zone", "to_zone", "distance_m",
        "duration_s", "fare", "currency", "payment", "state", "kind", "route",
    ]

    static func csv(_ trips: [JSONValue]) -> String {
        var lines = [columns.joined(separator: ",")]
        for trip in trips {
            let fare = trip["fare"]
            let cells = [
                trip["receipt"]?.text, trip["trip"]?.text, trip["local"]?.text, trip["driver"]?.text,
                trip["passenger"]?.text, whole(trip["passengers"]), trip["from_zone"]?.text, trip["to_zone"]?.text,
                whole(trip["distance_m"]), whole(trip["duration_s"]), fare?["amount"]?.integer.map(decimal),
                fare?["currency"]?.text, trip["payment"]?["method"]?.text, trip["payment"]?["state"]?.text,
                trip["kind"]?.text, trip["route"]?.text,
            ]
            lines.append(cells.map { SpreadsheetCell.text($0 ?? "") }.joined(separator: ","))
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    private static func whole(_ value: JSONValue?) -> String? { value?.integer.map { String($0) } }

    /// Hundredths as `12.50`.
    static func decimal(_ hundredths: Int64) -> String {
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}

/// A receipt as HTML: no script, nothing from elsewhere, on a phone and on paper.
enum ReceiptPage {
    private static let names = [
        "flag_fall": "Flag fall", "distance": "Distance", "time": "Time", "slab": "Fixed fare",
        "minimum": "Up to the minimum fare",
        "night": "Night", "passengers": "Further passengers", "booking": "Reservation", "toll": "Toll",
    ]

    static func html(_ trip: JSONValue, city: String) -> [UInt8] {
        func text(_ value: JSONValue?) -> String? { value?.text.map(HTMLPage.escaped) }
        var rows: [(String, String)] = []
        func row(_ name: String, _ value: String?) { if let value, !value.isEmpty { rows.append((name, value)) } }
        let number = text(trip["receipt"]) ?? ""
        let card = trip["card"]
        row("Date", text(trip["local"]).map { $0.replacing("T", with: " ") })
        let vehicle = trip["kind"]?.text == "minibus" ? "Minibus" : "Taxi"
        row(vehicle, [text(trip["driver"]), text(card?["plate"])].compactMap { $0 }.joined(separator: ", "))
        row("Driver", [text(card?["name"]), text(card?["company"])].compactMap { $0 }.joined(separator: ", "))
        row("Passenger", text(trip["passenger"]))
        row("Route", text(trip["route"]))
        row("From zone", text(trip["from_zone"]))
        row("To zone", text(trip["to_zone"]))
        row("Distance", trip["distance_m"]?.integer.map { TripPages.decimal(($0 + 5) / 10) + " km" })
        row("Time", trip["duration_s"]?.integer.map { "\(($0 + 30) / 60) min" })
        row("Passengers", trip["passengers"]?.integer.map { String($0) })
        var body = "<h1>Receipt \(number)</h1>" + table(rows)
        let fare = trip["fare"]
        if let amount = fare?["amount"]?.integer {
            let currency = text(fare?["currency"]) ?? ""
            var sums: [(String, String)] = (fare?["parts"]?.elements ?? []).map { part in
                let name = names[part["name"]?.text ?? ""] ?? text(part["name"]) ?? ""
                return (
                    name + (text(part["zone"]).map { " " + $0 } ?? ""),
                    TripPages.decimal(part["amount"]?.integer ?? 0)
                )
            }
            sums.append(("<b>Total, \(currency)</b>", "<b>\(TripPages.decimal(amount))</b>"))
            body += "<h2>Fare</h2>" + table(sums)
        }
        rows = []
        row("Paid", text(trip["payment"]?["method"]))
        row("State", text(trip["payment"]?["state"]))
        row("Reference", text(trip["payment"]?["reference"]))
        body += "<h2>Payment</h2>" + table(rows)
        return HTMLPage.bytes("Receipt \(number)", style: style, main: body, foot: HTMLPage.escaped(city))
    }

    private static func table(_ rows: [(String, String)]) -> String {
        "<dl>" + rows.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" }.joined() + "</dl>"
    }

    /// Of `style`, by which browsers know that it is ours; a test of the clients compares them.
    static let styleDigest = "sha256-6OfzK/m+T/6Ee+ccPxHqJL16goc69gyu4fOtUfgBfwk="

    private static let style = """
        body{margin:0;padding:1.5rem;color:#16181d;background:#fff;font:1rem/1.45 system-ui,sans-serif}\
        main,footer{max-width:30rem;margin:0 auto}\
        h1{font-size:1.4rem}h2{font-size:1.1rem;margin:1.5rem 0 .25rem}\
        dl{margin:0;border-top:1px solid #b9bfc7}\
        dl div{display:flex;justify-content:space-between;gap:1rem;padding:.4rem 0;border-bottom:1px solid #dfe3e8}\
        dt{color:#5a6069}dd{margin:0;text-align:right;overflow-wrap:anywhere}\
        footer{margin-top:1.5rem;color:#5a6069}\
        @media print{body{padding:0}}
        """
}
