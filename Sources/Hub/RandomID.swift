/// Ids of what people open: rides, bookings, requests, tours.
public enum RandomID {
    private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    /// How many texts of eight letters there are: 62 to the power of 8.
    private static let eightLetters: UInt64 = 218_340_105_584_896

    /// `prefix` says of what. Not to be guessed: 95 random bits follow.
    static func make(_ prefix: String) -> String {
        var letters = prefix
        // The system is asked twice, not for each letter.
        for _ in 0..<2 {
            var number = UInt64.random(in: 0..<eightLetters)
            for _ in 0..<8 {
                letters.append(Self.letters[Int(number % 62)])
                number /= 62
            }
        }
        return letters
    }

    /// The code of a vehicle's sign: whoever has it may look the vehicle up, so 130 random bits.
    public static func sign() -> String { random(22) }

    /// So many letters, each of 5.95 random bits.
    static func random(_ count: Int) -> String { String((0..<count).map { _ in letters.randomElement()! }) }

    /// Whether a text may be the code of a sign.
    static func isSign(_ text: Substring) -> Bool {
        text.utf8.count == 22 && text.utf8.allSatisfy(Set(letters.map { $0.asciiValue! }).contains)
    }
}
