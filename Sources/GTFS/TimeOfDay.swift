/// Times of day as feeds and people write them.
enum TimeOfDay {
    /// The latest that is taken: a week, for ferries and night lines that a feed counts on from their first day.
    private static let most = 7 * 86_400

    /// `H:MM` (only if `allowsMinutes`) or `H:MM:SS`, with one to three digits of hours.
    static func seconds(_ text: some Collection<UInt8>, allowsMinutes: Bool = false) -> Int? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3 || allowsMinutes && parts.count == 2 else { return nil }
        var seconds = 0
        for (index, part) in parts.enumerated() {
            guard part.count == 2 || index == 0 && (1...3).contains(part.count) else { return nil }
            var value = 0
            for digit in part {
                guard (48...57).contains(digit) else { return nil }
                value = value * 10 + Int(digit - 48)
            }
            guard index == 0 || value < 60 else { return nil }
            seconds = seconds * 60 + value
        }
        if parts.count == 2 { seconds *= 60 }
        return seconds <= most ? seconds : nil
    }

    /// `8:05`, or `8:05:30` where there are seconds.
    static func text(_ seconds: Int) -> String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let minutes = "\(seconds / 3600):\(two(seconds / 60 % 60))"
        return seconds % 60 == 0 ? minutes : "\(minutes):\(two(seconds % 60))"
    }
}
