/// Times of day as feeds and people write them.
enum TimeOfDay {
    /// The latest that is taken: a week, for ferries and night lines that a feed counts on from their first day.
    private static let most = 7 * 86_400

    /// `H:MM` (only if `allowsMinutes`) or `H:MM:SS`, with one to three digits of hours.
    static func seconds(_ text: Span<UInt8>, allowsMinutes: Bool = false) -> Int? {
        var (seconds, value, digits, part) = (0, 0, 0, 0)
        /// Whether the part before is one; it is added then.
        func take() -> Bool {
            guard digits == 2 || part == 0 && (1...3).contains(digits), part == 0 || value < 60 else { return false }
            seconds = seconds * 60 + value
            return true
        }
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: ":") {
                guard take(), part < 2 else { return nil }
                (value, digits, part) = (0, 0, part + 1)
            } else {
                guard (48...57).contains(byte), digits < 3 else { return nil }
                value = value * 10 + Int(byte - 48)
                digits += 1
            }
        }
        guard take(), part == 2 || allowsMinutes && part == 1 else { return nil }
        if part == 1 { seconds *= 60 }
        return seconds <= most ? seconds : nil
    }

    /// `8:05`, or `8:05:30` where there are seconds.
    static func text(_ seconds: Int) -> String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let minutes = "\(seconds / 3600):\(two(seconds / 60 % 60))"
        return seconds % 60 == 0 ? minutes : "\(minutes):\(two(seconds % 60))"
    }
}
