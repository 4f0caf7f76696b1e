/// How much may still be compared while zones are checked. It counts steps and measures no time, so that a file that is good on one
/// machine is good on all.
struct SurveyWork {
    /// Nothing is left.
    struct Spent: Error {}

    /// Steps for one file. A step takes a few nanoseconds, all of them a second or two.
    static let most = 500_000_000

    private var left: Int

    init(most: Int = SurveyWork.most) { left = most }

    /// Takes steps of what is left. Throws when that is not enough: the check is to end then.
    mutating func take(_ steps: Int) throws(Spent) {
        left -= steps
        guard left >= 0 else { throw Spent() }
    }
}
