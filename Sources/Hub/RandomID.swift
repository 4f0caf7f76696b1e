/// Ids of what people open: rides, bookings, requests, tours.
public enum RandomID {
    private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// `prefix` says of what. Not to be guessed: 95 random bits follow.
    static func make(_ prefix: String) -> String {
        prefix + String((0..<16).map { _ in letters.randomElement()! })
    }

    /// The code of a vehicle's sign: whoever has it may look the vehicle up, so 130 random bits.
    public static func sign() -> String { String((0..<22).map { _ in letters.randomElement()! }) }

    /// Whether a text may be the code of a sign.
    static func isSign(_ text: Substring) -> Bool {
        text.utf8.count == 22 && text.utf8.allSatisfy(Set(letters.map { $0.asciiValue! }).contains)
    }
}
