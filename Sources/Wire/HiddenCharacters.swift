extension Unicode.Scalar {
    /// Nobody sees it in a text, and it makes the text look like another one: spaces, fillers and operators without width, soft
    /// hyphens, embeddings, overrides and isolates of direction, marks of annotations, tags. What joins letters or chooses their
    /// form, and the marks of direction, are needed in names.
    ///
    /// Feeds are rid of it; a text that is written by hand is refused with it.
    public var isHidden: Bool {
        switch value {
        case 0..<0xAD: false
        case 0x200C...0x200F: false
        // Variation selectors.
        case 0x180B...0x180D, 0x180F, 0xFE00...0xFE0F, 0xE0100...0xE01EF: false
        case 0xFFF9...0xFFFB: true
        default: properties.isDefaultIgnorableCodePoint
        }
    }
}

extension String {
    /// As people see it.
    public var withoutHidden: String { String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isHidden })) }
}
