/// Which file an address means.
public enum PagePath: Equatable, Sendable {
    case file(String)
    /// It is a page's, but its files lie below another address.
    case moved(to: String)

    /// No address of a file is longer.
    private static let longest = 200

    /// Nil: nothing of the pages. `exists`: whether there is a file at an address.
    ///
    /// A folder with an `index.html` is a page. Each stop has a board, at an address of its own.
    public init?(_ path: String, exists: (String) -> Bool) {
        guard path.utf8.count <= Self.longest, path.utf8.first == UInt8(ascii: "/") else { return nil }
        if path == "/" {
            guard exists("/line/index.html") else { return nil }
            self = .moved(to: "/line/")
        } else if path.utf8.last == UInt8(ascii: "/"), exists(path + "index.html") {
            self = .file(path + "index.html")
        } else if exists(path) {
            self = .file(path)
        } else if exists(path + "/index.html") {
            self = .moved(to: path + "/")
        } else if Self.isBoard(path), exists("/board/index.html") {
            self = .file("/board/index.html")
        } else {
            return nil
        }
    }

    private static func isBoard(_ path: String) -> Bool {
        let board = "/board/"
        guard path.utf8.starts(with: board.utf8) else { return false }
        let stop = path.utf8.dropFirst(board.utf8.count)
        return !stop.isEmpty && !stop.contains(UInt8(ascii: "/"))
    }

    /// Whether it names a file below a directory and none elsewhere: plain names, none of which begins with a dot.
    static func isPlain(_ path: String) -> Bool {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].isEmpty else { return false }
        return parts.dropFirst().allSatisfy { part in
            guard let first = part.first, first != UInt8(ascii: ".") else { return false }
            return part.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
        }
    }

    static func contentType(_ path: String) -> String {
        let suffix = path.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(path[$0...].dropFirst()) } ?? ""
        return types[suffix] ?? "application/octet-stream"
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "json": "application/json", "webmanifest": "application/manifest+json", "svg": "image/svg+xml",
        "png": "image/png", "ico": "image/x-icon", "txt": "text/plain; charset=utf-8", "woff2": "font/woff2",
    ]
}
