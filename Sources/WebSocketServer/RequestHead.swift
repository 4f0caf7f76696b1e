/// Request line and header fields (RFC 9112 3 and 5), read byte by byte: a text whose marks are in no canonical order costs the
/// square of its length when it is compared, and letters beyond ASCII have no business in a head.
enum RequestHead {
    /// For each byte whether it may stand in a token.
    private static let tokenBytes: [Bool] = {
        var known = [Bool](repeating: false, count: 256)
        let bytes = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8
        for byte in bytes { known[Int(byte)] = true }
        return known
    }()

    /// Browsers send some twenty, proxies add a few.
    private static let maxLines = 100

    private static let notASCII = "The head is not ASCII; in the target, write other letters as %XX."

    /// `bytes` ends with the empty line.
    static func parse(_ bytes: ArraySlice<UInt8>) -> Result<HTTPRequest, HTTPRefusal> {
        // As many lines as may be, and what is after them.
        var lines = bytes.split(separator: 10, maxSplits: maxLines, omittingEmptySubsequences: false)
        guard lines.popLast()?.isEmpty == true else {
            return .failure(HTTPRefusal(431, "The head has too many lines."))
        }
        for index in lines.indices {
            guard lines[index].last == 13 else { return .failure(HTTPRefusal(400, "A line of the head lacks its CR.")) }
            lines[index] = lines[index].dropLast()
            // No control character but tab: among them CR and NUL, with which heads are smuggled.
            if let other = lines[index].first(where: { $0 < 32 && $0 != 9 || $0 >= 127 }) {
                let isASCII = other < 128
                return .failure(HTTPRefusal(400, isASCII ? "The head has a control character." : notASCII))
            }
        }
        guard let first = lines.first else { return .failure(HTTPRefusal(400, "The head is empty.")) }
        let parts = first.split(separator: 32, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, isToken(parts[0]), !parts[1].isEmpty else {
            return .failure(HTTPRefusal(400, "The request line is not METHOD TARGET HTTP/1.1."))
        }
        let isHTTP10 = parts[2].elementsEqual("HTTP/1.0".utf8)
        guard isHTTP10 || parts[2].elementsEqual("HTTP/1.1".utf8) else {
            return .failure(HTTPRefusal(parts[2].starts(with: "HTTP/".utf8) ? 505 : 400, "HTTP/1.1 is spoken here."))
        }
        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst().dropLast() {
            guard let colon = line.firstIndex(of: 58), isToken(line[..<colon]) else {
                return .failure(HTTPRefusal(400, "A header is not NAME: VALUE."))
            }
            headers.append((text(line[..<colon]).lowercased(), text(trimmed(line[(colon + 1)...]))))
        }
        let hosts = headers.lazy.filter { $0.name == "host" }.count
        guard hosts == 1 || hosts == 0 && isHTTP10 else {
            return .failure(HTTPRefusal(400, "One Host header is required."))
        }
        guard let (host, path, query) = split(target: parts[1]) else {
            return .failure(HTTPRefusal(400, "The target is not a path."))
        }
        if let host {
            // It counts, and not what the header says (RFC 9112 3.2.2).
            headers.removeAll { $0.name == "host" }
            headers.append(("host", host))
        }
        return .success(
            HTTPRequest(
                method: text(parts[0]), path: path, query: query, headers: headers, body: [], remoteAddress: "",
                isHTTP10: isHTTP10))
    }

    /// Also takes the absolute form, `http://host/path`, which servers must accept.
    private static func split(target: ArraySlice<UInt8>) -> (host: String?, path: String, query: String?)? {
        let mark = target.firstIndex(of: 63)
        var path = target[..<(mark ?? target.endIndex)]
        let query = mark.map { text(target[($0 + 1)...]) }
        var host: String?
        if let rest = afterScheme(path) {
            let end = rest.firstIndex(of: 47) ?? rest.endIndex
            guard end > rest.startIndex else { return nil }
            host = text(rest[..<end])
            path = end < rest.endIndex ? rest[end...] : Array("/".utf8)[...]
        }
        guard path.first == 47 || path.elementsEqual("*".utf8) else { return nil }
        return (host, text(path), query)
    }

    /// Host and path of an absolute form.
    private static func afterScheme(_ target: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = ["http://", "https://"].first { text(target.prefix($0.utf8.count)).lowercased() == $0 }
        return scheme.map { target.dropFirst($0.utf8.count) }
    }

    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { tokenBytes[Int($0)] }
    }

    /// Without the spaces and tabs around it.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = bytes.firstIndex(where: { $0 != 32 && $0 != 9 }),
            let last = bytes.lastIndex(where: { $0 != 32 && $0 != 9 })
        else { return [] }
        return bytes[first...last]
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
