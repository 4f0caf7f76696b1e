internal import Wire

extension Catalog {
    /// A colour as `#rrggbb`, of six hexadecimal digits with or without the `#`; nil otherwise.
    public static func color(_ text: String) -> String? {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit) else { return nil }
        return "#" + digits.lowercased()
    }

    /// A name, plate or other text for people has so many bytes at most, as all clients are told all of them.
    public static let textBytes = 255

    /// Whether it can be a text for people: up to 255 bytes on one line, without control and hidden characters.
    public static func isText(_ text: String) -> Bool {
        text.utf8.count <= textBytes
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar.value {
                case 0x20...0x7E: true
                case 0..<0xA0, 0x2028, 0x2029: false
                default: !scalar.isHidden
                }
            }
    }

    /// Whether it can be the address of a picture: `https://…` or `http://…`, visible ASCII, up to 255 bytes.
    public static func isPhoto(_ text: String) -> Bool {
        ["https://", "http://"].contains { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }
            && text.utf8.count <= textBytes && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Whether it can be a line's or bus' id, and so a part of channel names: 1 to 64 of `A-Z a-z 0-9 _ . : -`.
    public static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
