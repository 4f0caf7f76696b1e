import Domain
import PageFiles
import WebSocketServer

/// A body that many ask for, as it is sent: kept once, packed once, and shared by all who are sent it, with an ETag for each form.
struct SharedPage {
    private let contentType: String
    private let plain: (etag: String, body: [UInt8])
    private let gzip: (etag: String, body: [UInt8])?

    init(_ file: PageFile) {
        let digest = CatalogPages.digest(file.bytes)
        contentType = file.contentType
        plain = ("\"\(digest)\"", file.bytes)
        gzip = file.gzipped().map { ("\"\(digest)-gzip\"", $0) }
    }

    /// 304 to who has it; packed for who can unpack it.
    func response(to request: HTTPRequest, headers common: [(name: String, value: String)]) -> HTTPResponse {
        let packed = Self.acceptsGzip(request.tokens("accept-encoding")) ? gzip : nil
        let form = packed ?? plain
        var headers = common + [("ETag", form.etag)]
        if gzip != nil { headers.append(("Vary", "Accept-Encoding")) }
        if request.ifNoneMatch != nil, HTTPConditions(request).has(etag: form.etag, changed: 0) {
            return HTTPResponse(status: 304, headers: headers)
        }
        if packed != nil { headers.append(("Content-Encoding", "gzip")) }
        return HTTPResponse(status: 200, contentType: contentType, headers: headers, body: form.body)
    }

    private static let mostOfEncoding = 32

    private static func plain(_ part: Substring.UTF8View) -> String {
        Substring(part).lowercased().filter { $0 != " " && $0 != "\t" }
    }

    /// `gzip` or `*`, unless with a quality of nothing (RFC 9110 12.5.3).
    static func acceptsGzip(_ encodings: [Substring]) -> Bool {
        encodings.contains { encoding in
            // Nobody writes more of one, and what is written costs the reader: the rest is not looked at.
            let parts = encoding.utf8.prefix(mostOfEncoding).split(separator: UInt8(ascii: ";"))
            guard let name = parts.first.map(Self.plain), name == "gzip" || name == "*" else { return false }
            return !parts.dropFirst().map(Self.plain).contains {
                $0.hasPrefix("q=") && (Double($0.dropFirst(2)) ?? 1) == 0
            }
        }
    }
}
