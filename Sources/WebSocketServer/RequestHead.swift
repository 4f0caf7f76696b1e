/// Request line and header fields (RFC 9112 3 and 5).
enum RequestHead {
    private static let tokenBytes = Set(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// Browsers send some twenty, proxies add a few.
    private static let maxLines = 100

    /// `bytes` ends with the empty line.
    static func parse(_ bytes: ArraySlice<UInt8>) -> Result<HTTPRequest, HTTPRefusal> {
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast()
        for index in lines.indices {
            guard lines[index].last == 13 else { return .failure(HTTPRefusal(400, "A line of the head lacks its CR.")) }
            lines[index] = lines[index].dropLast()
            // No control character but tab: among them CR and NUL, with which heads are smuggled.
            guard lines[index].allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else {
                return .failure(HTTPRefusal(400, "The head has a control character."))
            }
        }
        guard let first = lines.first else { return .failure(HTTPRefusal(400, "The head is empty.")) }
        let parts = first.split(separator: 32, omittingEmptySubsequences: false)
        guard parts.count == 3, isToken(parts[0]), !parts[1].isEmpty else {
            return .failure(HTTPRefusal(400, "The request line is not METHOD TARGET HTTP/1.1."))
        }
        let version = text(parts[2])
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            return .failure(HTTPRefusal(version.hasPrefix("HTTP/") ? 505 : 400, "HTTP/1.1 is spoken here."))
        }
        guard lines.count <= maxLines else { return .failure(HTTPRefusal(431, "The head has too many lines.")) }
        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst().dropLast() {
            guard let colon = line.firstIndex(of: 58), isToken(line[..<colon]) else {
                return .failure(HTTPRefusal(400, "A header is not NAME: VALUE."))
            }
            let value = text(line[(colon + 1)...])[...].trimmingSpaces()
            headers.append((text(line[..<colon]).lowercased(), String(value)))
        }
        let hosts = headers.lazy.filter { $0.name == "host" }.count
        guard hosts == 1 || hosts == 0 && version == "HTTP/1.0" else {
            return .failure(HTTPRefusal(400, "One Host header is required."))
        }
        let (path, query) = split(target: text(parts[1]))
        guard path.hasPrefix("/") || path == "*" else {
            return .failure(HTTPRefusal(400, "The target is not a path."))
        }
        return .success(
            HTTPRequest(
                method: text(parts[0]), path: path, query: query, headers: headers, body: [], remoteAddress: "",
                isHTTP10: version == "HTTP/1.0"))
    }

    /// Also takes the absolute form, `http://host/path`, which servers must accept.
    private static func split(target: String) -> (path: String, query: String?) {
        var target = target[...]
        if !target.hasPrefix("/"), let scheme = target.range(of: "://") {
            let rest = target[scheme.upperBound...]
            target = rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
        }
        guard let mark = target.firstIndex(of: "?") else { return (String(target), nil) }
        return (String(target[..<mark]), String(target[target.index(after: mark)...]))
    }

    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { tokenBytes.contains($0) }
    }

    /// Bytes that are not UTF-8 become replacement characters, which no rule of ours accepts.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension Substring {
    /// The first place where `text` occurs.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
