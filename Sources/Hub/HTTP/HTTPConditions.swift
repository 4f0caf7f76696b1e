import Domain
import WebSocketServer

/// What a client has already, of its conditional request (RFC 9110 13).
struct HTTPConditions {
    private let tags: [Substring]?
    private let since: Int?
    /// It has 29 bytes.
    private static let longestDate = 40

    init(_ request: HTTPRequest) {
        tags = request.ifNoneMatch == nil ? nil : request.tokens("if-none-match")
        // If-None-Match is the sharper one, and alone counts where both are given.
        since = tags == nil ? request.header("if-modified-since").flatMap(Self.seconds) : nil
    }

    /// Whether the client's copy is the present one; `changed` in Unix seconds.
    func has(etag: String, changed: Int) -> Bool {
        guard let tags else { return since.map { changed <= $0 } ?? false }
        return tags.contains { tag in
            let bare = tag.utf8.starts(with: "W/".utf8) ? tag.utf8.dropFirst(2) : tag.utf8
            return bare.elementsEqual("*".utf8) || bare.prefix { $0 != 32 && $0 != 9 }.elementsEqual(etag.utf8)
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`; other forms are obsolete and count as not given.
    private static func seconds(_ text: String) -> Int? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = text.utf8.count <= longestDate ? text.split(separator: " ") : []
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]),
            let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3]),
            let date = ServiceDate(year: year, month: month + 1, day: day)
        else { return nil }
        let time = parts[4].split(separator: ":").compactMap { Int($0) }
        guard time.count == 3, (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2]) else {
            return nil
        }
        return date.days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
    }
}

/// A segment of a path as it was meant.
enum PercentText {
    /// No id and no parameter has more bytes. Looking for a text takes, at worst, the square of its length.
    private static let longest = 256

    /// Nil when a `%` is not followed by two hexadecimal digits, or the result is no text or too long a one.
    /// `space`: a byte that stands for a space, as `+` does in a query. Looking for it before the length is known would cost a worker milliseconds.
    static func decoded(_ text: String, space: UInt8? = nil) -> String? {
        guard text.utf8.count <= 3 * longest else { return nil }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte == space ? UInt8(ascii: " ") : byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes.count <= longest ? String(validating: bytes, as: UTF8.self) : nil
    }

    /// As a segment of a path.
    static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
