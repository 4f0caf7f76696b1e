/// Times of lines.
public enum LineCommand: CommandGroup {
    /// When the line's buses come to a place. Line ids are 1–64 visible ASCII characters.
    case lineEta(line: String, place: StopRequest.Place)

    static let kinds = [
        CommandKind<LineCommand>(
            "line.eta", Role.allCases, .city, forGuests: true, Field.required("line", .catalogID),
            StopRequest.Place.fields,
            make: LineCommand.lineEta,
            take: { if case .lineEta(let line, let place) = $0 { (line, place) } else { nil } })
    ]
}
