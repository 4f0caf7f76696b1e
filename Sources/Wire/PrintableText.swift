extension String {
    /// For a terminal, which obeys some characters of what others wrote: controls, and what is not seen, ends a line or turns its direction, come
    /// out as `\u{1b}`. Line feeds and tabs stay.
    public var printable: String {
        guard unicodeScalars.contains(where: \.isObeyed) else { return self }
        var shown = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isObeyed {
                shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                shown.append(scalar)
            }
        }
        return String(shown)
    }
}

extension Unicode.Scalar {
    fileprivate var isObeyed: Bool {
        switch value {
        case 0x09, 0x0A, 0x20...0x7E: false
        // Of what joins letters, and of marks of direction, a terminal shows nothing.
        case 0..<0xA0, 0x200C...0x200F, 0x2028, 0x2029: true
        default: isHidden
        }
    }
}
