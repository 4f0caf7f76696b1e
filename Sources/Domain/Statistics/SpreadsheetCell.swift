/// A text as a cell of a CSV file (RFC 4180) that people open in a spreadsheet.
public enum SpreadsheetCell {
    /// Some spreadsheets take the full-width forms for the signs themselves, as who writes Japanese types them.
    private static let formulas: [Unicode.Scalar] = [
        "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\t", "\r",
    ]
    private static let separators: [Unicode.Scalar] = [";", "\t", "\r", "\n"]
    private static let special: [Unicode.Scalar] = [",", "\"", "\r", "\n"]

    /// A spreadsheet would take what begins like a formula for one, and carry it out. By scalars, as a `Character` may be CR and LF together,
    /// or a sign with an accent on it. Where lists have semicolons, as in German, one begins a new cell, in quotes or not; so may a tab, and a line
    /// break ends the row. A quote that begins a cell may be taken off it.
    public static func text(_ written: String) -> String {
        var text = ""
        var begins = true
        for scalar in written.unicodeScalars {
            if begins, formulas.contains(scalar) { text += "'" }
            text.unicodeScalars.append(scalar)
            begins = separators.contains(scalar) || begins && (scalar == " " || scalar == "\"")
        }
        guard text.unicodeScalars.contains(where: special.contains) else { return text }
        var cell = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { cell.unicodeScalars.append(scalar) }
            cell.unicodeScalars.append(scalar)
        }
        cell.unicodeScalars.append("\"")
        return cell
    }
}
