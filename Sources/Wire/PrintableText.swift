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
        case 0..<0xA0, 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
        // Marks of annotations, and tags, of which a terminal shows nothing.
        case 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
        default: false
        }
    }
}
