import Domain
import WebSocketServer
import Wire

/// One that leaves a stop.
struct StopDeparture {
    /// Unix ms.
    let at: Int64
    let line: String
    let to: String
    /// How the bus is, as readers of its line are told (`bus`); nil: it is by the timetable alone.
    var bus: JSONValue?
}

/// What leaves a stop next, by time, as it was at `at`, Unix ms.
final class StopReading {
    let departures: [StopDeparture]
    let at: Int64
    /// Made of it so far, by language and address: a page takes a worker half a millisecond, and who asks pays nothing.
    var pages: [String: HTTPResponse] = [:]

    init(departures: [StopDeparture], at: Int64) {
        self.departures = departures
        self.at = at
    }
}

/// What `/text/` answers: HTML that reads well from top to bottom.
struct StopTextPage {
    private let phrases: Phrases
    private let city: String
    /// `?lang=de`, where the reader has asked for a language.
    private let suffix: String

    private static let mostDepartures = 20
    /// A position that is older tells no more where the bus is. As in GTFS-Realtime.
    private static let freshMs: Int64 = 90_000

    init(_ request: HTTPRequest, city: String) {
        let wish = request.value(of: "lang")
        phrases = Phrases(
            (wish.map { [Substring($0)] } ?? []) + request.tokens("accept-language"), needed: "departures")
        self.city = HTMLPage.escaped(city)
        suffix = wish == nil ? "" : "?lang=\(phrases.language)"
    }

    func list(_ stops: [(name: String, id: String)], of wanted: String) -> HTTPResponse {
        let label = say("find")
        let language = suffix.isEmpty ? "" : #"<input type="hidden" name="lang" value="\#(phrases.language)">"#
        var main = """
            <h1>\(say("departures"))</h1><form action="/text/"><label>\(label) <input name="q" maxlength="100" value="\
            \(HTMLPage.escaped(wanted))"></label>\(language) <button>\(say("stops.choose"))</button></form><ul>
            """
        for stop in stops {
            main += "<li>\(link(to: PercentText.encoded(stop.id), HTMLPage.escaped(stop.name)))</li>"
        }
        main += "</ul>"
        if stops.isEmpty { main += "<p>\(say(wanted.isEmpty ? "lines.none" : "find.none"))</p>" }
        return response(200, say("departures"), main)
    }

    func board(_ name: String, _ reading: StopReading, time: CityTime, now: Int64) -> HTTPResponse {
        if let made = reading.pages[form] { return made }
        let made = newBoard(name, reading, time: time, now: now)
        reading.pages[form] = made
        return made
    }

    /// Pages of one form are the same for all who ask: their language, and whether links repeat it.
    var form: String { phrases.language + suffix }

    private func newBoard(_ name: String, _ reading: StopReading, time: CityTime, now: Int64) -> HTTPResponse {
        let name = HTMLPage.escaped(name)
        var main = "<h1>\(name)</h1>"
        let coming = reading.departures.filter { $0.at >= now - 60_000 }.prefix(Self.mostDepartures)
        if coming.isEmpty {
            main += "<p>\(say("departures.end"))</p>"
        } else {
            main += "<ol>"
            for one in coming {
                let text =
                    [
                        when(one.at, now), say("line", ["line": one.line]), say("towards", ["place": one.to]),
                    ].filter { !$0.isEmpty } + notes(one, now)
                main += "<li><time>\(time.clock(at: one.at / 1000))</time> \(text.joined(separator: " · "))</li>"
            }
            main += "</ol>"
        }
        main += "<p>\(say("known", ["time": time.clock(at: reading.at / 1000)]))</p>"
        main += "<p>\(link(to: "", say("stops.all")))</p>"
        return response(200, name, main)
    }

    /// A page with nothing but why.
    func refusal(_ status: Int, _ phrase: String, retryAfter: String? = nil) -> HTTPResponse {
        var response = response(
            status, say("departures"),
            "<h1>\(say("departures"))</h1><p>\(say(phrase))</p><p>\(link(to: "", say("stops.all")))</p>"
        )
        if let retryAfter { response.headers.append(("Retry-After", retryAfter)) }
        return response
    }

    /// The lines are being read.
    var loading: HTTPResponse { refusal(503, "error.unavailable", retryAfter: "1") }

    /// Too many ask, or the store can't be reached.
    var busy: HTTPResponse { refusal(503, "error.unavailable", retryAfter: "5") }

    /// Both are HTML.
    private func link(to path: String, _ text: String) -> String {
        #"<a href="/text/\#(path)\#(suffix)">\#(text)</a>"#
    }

    /// Values are text, as the phrases are.
    private func say(_ id: String, _ values: [String: String] = [:], count: Int? = nil) -> String {
        HTMLPage.escaped(phrases.say(id, values, count: count))
    }

    private func when(_ at: Int64, _ now: Int64) -> String {
        let minutes = Int((at - now) / 60_000)
        if minutes < 1 { return say("now") }
        if minutes > 12 * 60 { return say("tomorrow") }
        return minutes > 60 ? "" : say("minutes", count: minutes)
    }

    private func notes(_ one: StopDeparture, _ now: Int64) -> [String] {
        guard let bus = one.bus else { return [say("timetable")] }
        let age = bus["position"]?["at"]?.integer.map { max(0, now - $0) }
        var notes = [say(age ?? .max <= Self.freshMs ? "live" : "estimate"), delay(bus["delay_s"]?.integer ?? 0)]
        notes.append(say("seats." + Self.seats(bus["seats"])))
        if let age { notes.append(seen(Int(age / 1000))) }
        return notes
    }

    private func delay(_ seconds: Int64) -> String {
        let minutes = Int((Double(seconds) / 60).rounded())
        if abs(minutes) < 2 { return say("delay.none") }
        return say(minutes > 0 ? "delay.late" : "delay.early", count: abs(minutes))
    }

    private func seen(_ seconds: Int) -> String {
        seconds < 90 ? say("seen.seconds", count: seconds) : say("seen.minutes", count: (seconds + 30) / 60)
    }

    /// How many seats are free, in bands.
    private static func seats(_ seats: JSONValue?) -> String {
        guard let total = seats?["total"]?.integer, total > 0, let free = seats?["free"]?.integer else {
            return "unknown"
        }
        switch Double(free) / Double(total) {
        case 0.5...: return "many"
        case 0.25...: return "some"
        case 0.001...: return "few"
        default: return "none"
        }
    }

    private static let head = #"<link rel="stylesheet" href="/assets/page.css">"#
    private static let policy =
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

    private func response(_ status: Int, _ title: String, _ main: String) -> HTTPResponse {
        HTTPResponse(
            status: status, contentType: "text/html; charset=utf-8",
            headers: [
                ("Content-Language", phrases.language), ("Vary", "Accept-Language"), ("Cache-Control", "no-cache"),
                ("Content-Security-Policy", Self.policy), ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"),
            ],
            body: HTMLPage.bytes(title, language: phrases.language, head: Self.head, main: main, foot: city))
    }
}
