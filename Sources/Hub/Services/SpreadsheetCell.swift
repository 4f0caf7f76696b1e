/// A text as a cell of a CSV file (RFC 4180) that people open in a spreadsheet.
public enum SpreadsheetCell {
    /// A spreadsheet would take what begins like a formula for one, and carry it out.
    public static func text(_ written: String) -> String {
        let text = written.first.map { "=+-@\t\r".contains($0) } == true ? "'" + written : written
        guard text.contains(where: { ",\"\r\n".contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
