import Wire

/// What `/v/<code>` shows, as HTML: no script, nothing from elsewhere but the driver's picture, readable on any phone and aloud.
struct SignPage {
    let html: [UInt8]
    /// The origin of the driver's picture; nil: it shows none.
    let pictures: String?

    /// - Parameters:
    ///   - vehicle: as `registry_verify` answers.
    ///   - time: on the city's clock, as `9:05 UTC+1`.
    init(_ vehicle: JSONValue, city: String, time: String?) {
        func text(_ name: String) -> String? { vehicle[name]?.text.map(HTMLPage.escaped) }
        let isOnDuty = vehicle["on_duty"] == .bool(true)
        let plate = text("plate") ?? ""
        var body = isOnDuty ? #"<p class="state on">✓ On duty</p>"# : #"<p class="state">Not on duty</p>"#
        body += #"<div class="in"><h1>\#(plate)</h1>"#
        let what = [text("colour"), text("model")].compactMap { $0 }.joined(separator: " ")
        if !what.isEmpty { body += #"<p class="what">\#(what)</p>"# }
        let driver = vehicle["driver"]
        let photo = driver?["photo"]?.text
        if let name = driver?["name"]?.text.map(HTMLPage.escaped) {
            body += #"<div class="who">"#
            if let photo { body += #"<img src="\#(HTMLPage.escaped(photo))" alt="Picture of \#(name)">"# }
            body += "<p><span>Driver now</span><b>\(name)</b></p></div>"
        }
        body += "<dl>"
        let abilities = (vehicle["capabilities"]?.elements ?? []).compactMap(\.text)
            .map { HTMLPage.escaped($0.replacing("_", with: " ")) }.joined(separator: ", ")
        let rows = [
            ("Operator", text("company")), ("Registration", text("registration")), ("Number", text("vehicle")),
            ("Equipped for", abilities.isEmpty ? nil : abilities),
        ]
        for (name, value) in rows {
            if let value { body += "<div><dt>\(name)</dt><dd>\(value)</dd></div>" }
        }
        body += "</dl>"
        if !isOnDuty {
            body += "<p>This vehicle is registered, but takes no passengers now. Don’t get in.</p>"
        } else {
            body += "<p>Compare the plate, the car and the driver with what you see before you get in.</p>"
        }
        body += "</div>"
        let checked = time.map { "Checked at \($0). " } ?? ""
        html = Self.page(
            "\(plate), \(isOnDuty ? "on duty" : "not on duty")", body,
            foot: checked + "Register of \(HTMLPage.escaped(city)).")
        pictures = photo.map { photo in
            let scheme = "https://"
            return scheme
                + String(Substring(photo.utf8.dropFirst(scheme.utf8.count).prefix { $0 != UInt8(ascii: "/") }))
        }
    }

    static func unknown(city: String) -> [UInt8] {
        page(
            "Unknown code",
            """
            <p class="state bad">Unknown code</p><div class="in"><h1 class="text">This code is no vehicle’s</h1>\
            <p>The sign may be forged; or it was stolen, and the vehicle has got a new one.</p>\
            <p>Don’t get in because of this sign. Tell the operator or the police where you have seen it.</p></div>
            """, foot: "Register of \(HTMLPage.escaped(city)).")
    }

    static func busy(_ text: String) -> [UInt8] {
        let body = #"<p class="state">Try again</p><div class="in"><p>\#(HTMLPage.escaped(text))</p></div>"#
        return page("Try again", body, foot: "")
    }

    private static func page(_ title: String, _ body: String, foot: String) -> [UInt8] {
        HTMLPage.bytes(title, style: style, main: body, foot: foot)
    }

    /// Of `style`, by which browsers know that it is ours; a test of the clients compares them.
    static let styleDigest = "sha256-vcTAmeCaGslZfyLXGl37LCbw7cCvShba+ZwXJaomo8o="

    private static let style = """
        :root{color-scheme:light dark;--ink:#16181d;--soft:#5a6069;--back:#eef0f3;--card:#fff;--line:#dfe3e8;--good:#0b6b3a;--off:#5a6069;--bad:#a3161b}\
        @media(prefers-color-scheme:dark){:root{--ink:#f2f4f7;--soft:#a9b0bb;--back:#101216;--card:#1b1e24;--line:#31363f;--good:#12804a;--off:#565d68;--bad:#b3262b}}\
        *{box-sizing:border-box}\
        body{margin:0;padding:1rem;min-height:100vh;background:var(--back);color:var(--ink);font:1.0625rem/1.45 system-ui,sans-serif}\
        main{max-width:27rem;margin:0 auto;background:var(--card);border:1px solid var(--line);border-radius:1rem;overflow:hidden}\
        .state{margin:0;padding:.9rem 1.25rem;background:var(--off);color:#fff;font-weight:700;font-size:1.125rem}\
        .on{background:var(--good)}\
        .bad{background:var(--bad)}\
        .in{padding:1.25rem}\
        h1{margin:0;font-size:2.1rem;line-height:1.15;letter-spacing:.06em;text-align:center;padding:.45em .4em;border:3px solid var(--ink);border-radius:.5rem;overflow-wrap:anywhere}\
        h1.text{font-size:1.4rem;letter-spacing:0;text-align:left;padding:0;border:0}\
        .what{margin:.6rem 0 0;text-align:center;color:var(--soft)}\
        .who{display:flex;gap:1rem;align-items:center;margin:1.25rem 0 0;padding:1rem 0 0;border-top:1px solid var(--line)}\
        .who img{width:5.5rem;height:5.5rem;object-fit:cover;border-radius:.75rem;background:var(--line)}\
        .who b{display:block;font-size:1.3rem;line-height:1.2;overflow-wrap:anywhere}\
        .who span,dt,footer{color:var(--soft);font-size:.9375rem}\
        dl{margin:1.25rem 0 0;border-top:1px solid var(--line)}\
        dl div{display:flex;justify-content:space-between;gap:1rem;padding:.55rem 0;border-bottom:1px solid var(--line)}\
        dd{margin:0;text-align:right;overflow-wrap:anywhere}\
        footer{max-width:27rem;margin:1rem auto 0;text-align:center}
        """
}
