/// Ids of what people open: rides, bookings, requests, tours.
enum RandomID {
    private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// `prefix` says of what. Not to be guessed: 95 random bits follow.
    static func make(_ prefix: String) -> String {
        prefix + String((0..<16).map { _ in letters.randomElement()! })
    }
}
