import Domain
import EventLoop
import Logging
import QRCode
import RedisLink
import Settings
import WebSocketServer
import Wire

/// What the code on a vehicle leads to: `/v/<code>`, a page for anybody who stands before it, or the same as JSON; and `/v/<code>.svg`, the
/// code as a picture. It says who this is and whether it is on duty; no trip, no place, no number to call.
///
/// Nobody has to say who asks, so what it costs is bounded: answers are kept for seconds, and what isn't there is looked up so often
/// a second and no more, of which one network gets a small part.
final class SignPages: Capability {
    let services: WorkerServices
    /// By code, of a kilobyte or two. A look-up takes Redis some 20 µs, a picture a worker 200.
    private let signs: SharedLookUps<Sign>

    private static let prefix = "/v/"

    init(_ services: WorkerServices) {
        self.services = services
        signs = SharedLookUps(services.loop, keptMs: 5_000, most: 2_000, .lookUps(capacity: 100, perSecond: 50))
    }

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        guard request.path.utf8.starts(with: Self.prefix.utf8) else { return false }
        let reader = SignReader(request)
        let isPicture = request.path.utf8.suffix(4).elementsEqual(".svg".utf8)
        let code = Substring(request.path.utf8.dropFirst(Self.prefix.utf8.count).dropLast(isPicture ? 4 : 0))
        guard RandomID.isSign(code) else {
            answer(reader.unknown(settings.city.id))
            return true
        }
        look(String(code), isPicture, for: request) { sign in
            guard let sign else { return answer(reader.busy) }
            guard let page = sign.page else { return answer(reader.unknown(self.settings.city.id)) }
            answer(isPicture ? self.picture(code, request) : reader.found(page))
        }
        return true
    }

    /// Nil: too many ask at once, or the store can't be reached. A picture is made anew each time.
    private func look(
        _ code: String, _ isPicture: Bool, for request: HTTPRequest, _ then: @escaping (Sign?) -> Void
    ) {
        signs.look(
            code, for: request.clientNetwork, canRead: commands.isUp, isPriced: isPicture,
            read: { done in
                functions.call("registry_verify", ["code": RedisArgument(code)]) { result in
                    if case .failure(.server(let text)) = result { self.log.error("registry_verify failed: \(text)") }
                    guard case .success(let reply) = result else { return done(nil) }
                    done(self.made(of: reply))
                }
            }, then: then)
    }

    private func made(of reply: RedisReply) -> Sign {
        guard let json = reply.bytes, !json.isEmpty, let vehicle = try? JSONValue(parsing: json) else {
            return Sign(page: nil)
        }
        let second = now() / 1000
        let time = catalog.isKnown ? "\(catalog.time.clock(at: second)) \(catalog.time.utcOffset(at: second))" : nil
        let page = SignPage(vehicle, city: settings.city.id, time: time)
        return Sign(page: (json, page.html, page.pictures))
    }

    private func picture(_ code: Substring, _ request: HTTPRequest) -> HTTPResponse {
        let address = SignAddress(settings, host: request.host, hasTLS: server.hasTLS).page(String(code))
        guard let address, let code = QRCode(address) else {
            return .problem(
                400, "Bad request", "Ask with a Host header, or set drivers.public_url: the code leads there.")
        }
        return HTTPResponse(
            status: 200, contentType: "image/svg+xml",
            headers: [("Cache-Control", "no-store"), ("Content-Security-Policy", "default-src 'none'")]
                + SignReader.guards,
            body: Array(code.svg(title: address).utf8))
    }
}

/// What there is of a code.
private struct Sign {
    /// JSON, HTML, and from where it may show a picture; nil: there is no such code.
    let page: (json: [UInt8], html: [UInt8], pictures: String?)?
}

/// How somebody wants to be answered.
private struct SignReader {
    private let wantsJSON: Bool

    static let guards: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("X-Robots-Tag", "noindex"),
    ]

    init(_ request: HTTPRequest) {
        let types = request.tokens("accept").map { String($0.utf8.prefix { $0 != 59 && $0 != 32 }) ?? "" }
        wantsJSON = types.contains("application/json") && !types.contains("text/html")
    }

    func found(_ page: (json: [UInt8], html: [UInt8], pictures: String?)) -> HTTPResponse {
        guard wantsJSON else { return html(200, page.html, pictures: page.pictures) }
        var response = HTTPResponse.json(page.json)
        response.headers += Self.guards + [("Vary", "Accept")]
        return response
    }

    func unknown(_ city: String) -> HTTPResponse {
        if wantsJSON {
            var response = HTTPResponse.problem(
                404, "Not found", "This code is no vehicle's: its sign may be forged, stolen or out of date.")
            response.headers.append(("Vary", "Accept"))
            return response
        }
        return html(404, SignPage.unknown(city: city))
    }

    var busy: HTTPResponse {
        let text = "Too many codes are looked up now; try again in a few seconds."
        var response =
            wantsJSON ? HTTPResponse.problem(503, "Service unavailable", text) : html(503, SignPage.busy(text))
        response.headers.append(("Retry-After", "5"))
        return response
    }

    private func html(_ status: Int, _ body: [UInt8], pictures: String? = nil) -> HTTPResponse {
        let images = pictures.map { "; img-src \($0)" } ?? ""
        let policy =
            "default-src 'none'; style-src '\(SignPage.styleDigest)'\(images); base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        return HTTPResponse(
            status: status, contentType: "text/html; charset=utf-8",
            headers: [("Cache-Control", "no-store"), ("Vary", "Accept"), ("Content-Security-Policy", policy)]
                + Self.guards,
            body: body)
    }
}

/// Where the public finds the page of a code.
public struct SignAddress: Sendable {
    /// Scheme and host; nil: nobody has said it.
    private let base: String?

    /// `host`: as a request names it; for whom there is no public address.
    init(_ settings: Settings, host: String?, hasTLS: Bool) {
        guard settings.drivers.publicURL.isEmpty else {
            base = settings.drivers.publicURL
            return
        }
        let isHost = host.map { $0.utf8.count <= 255 && $0.utf8.allSatisfy(Self.isHostByte) } ?? false
        base = isHost ? (hasTLS ? "https://" : "http://") + (host ?? "") : nil
    }

    /// For a sign that is made by hand; `publicURL` as the setting, which it takes the place of.
    public init?(publicURL: String) {
        guard publicURL.utf8.starts(with: "https://".utf8) || publicURL.utf8.starts(with: "http://".utf8) else {
            return nil
        }
        base = publicURL.utf8.last == UInt8(ascii: "/") ? String(publicURL.utf8.dropLast()) : publicURL
    }

    public func page(_ code: String) -> String? { base.map { "\($0)/v/\(code)" } }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
