/// A text as a cell of a CSV file (RFC 4180) that people open in a spreadsheet.
public enum SpreadsheetCell {
    private static let formulas: [Unicode.Scalar] = ["=", "+", "-", "@", "\t", "\r"]
    private static let special: [Unicode.Scalar] = [",", "\"", "\r", "\n"]

    /// A spreadsheet would take what begins like a formula for one, and carry it out. By scalars, as a `Character` may be CR and LF together,
    /// or a sign with an accent on it.
    public static func text(_ written: String) -> String {
        let isFormula = written.unicodeScalars.first.map(formulas.contains) == true
        let text = isFormula ? "'" + written : written
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
