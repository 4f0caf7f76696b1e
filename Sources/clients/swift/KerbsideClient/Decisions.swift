// What is decided by figures alone: how long to wait, whether to come back, what a refusal means. No state, no effects.
// Rules in brackets are those of ../../behaviour.md.

import Foundation

/// All times in ms.
enum Limits {
    /// The longest first wait after a lost link, and the longest of all [B1].
    static let firstWait = 250
    static let longestWait = 30_000
    /// A link that was live for so long has worked: the next wait is a first one [B2].
    static let stable = 10_000
    /// From the opening of a socket to the reply to hello [S3].
    static let opening = 10_000
    /// A hub that names no spread, and the longest that is believed [C2].
    static let restartSpread = 5_000
    static let longestSpread = 60_000
    static let overloadSpread = 30_000
    static let floodWait = 10_000
    /// A reply that has not come: the command is sent again [O5].
    static let noReply = 4_000
    /// First wait after a refusal that may be tried again, and the longest wait that is not left to people [O6].
    static let refusalWait = 500
    static let longestRefusalWait = 30_000
    /// Commands that wait, and how long one may [O8]. The hub knows a key for 24 h.
    static let outbox = 100
    static let outboxAge = 23 * 3_600_000
    static let questionAge = 30_000
    static let seenAge = 10_000
    /// Silence beyond the hub's own heartbeat, and how long an answer to a ping may take [P1].
    static let quietMargin = 5_000
    static let pong = 10_000
    /// A token is renewed so long before its end, or at a fifth of its life if that is shorter [T2].
    static let renewBefore = 60_000
    /// Channels in one hello [R3].
    static let resumed = 16
    /// Places of a channel that are known, so that none is applied twice [R2].
    static let recent = 256
}

/// 0 ≤ x < 1.
public typealias Chance = @Sendable () -> Double

/// The longest of the waits after so many attempts without success, in ms [B1].
func longestWait(_ failures: Int) -> Int {
    min(Limits.longestWait, Limits.firstWait << min(failures, 20))
}

/// What a close code asks for [C1].
enum Advice: Equatable {
    /// Not by itself.
    case stop
    /// With a new token.
    case token
    /// By the back-off alone.
    case now
    /// At a random moment within so many ms.
    case spread(Int)
    /// So many ms later.
    case after(Int)
}

private let advices: [Int: Advice] = [
    1000: .stop,
    1002: .stop,
    1003: .stop,
    1007: .stop,
    1008: .stop,
    1009: .stop,
    1012: .spread(Limits.restartSpread),
    1013: .spread(Limits.overloadSpread),
    4401: .token,
    4403: .stop,
    4408: .now,
    4409: .stop,
    4410: .token,
    4420: .now,
    4429: .after(Limits.floodWait),
]

/// `code`: 1006 if there was none.
func adviceOf(code: Int, reason: String) -> Advice {
    if code == 1012, let mark = reason.range(of: "retry_ms=", options: .backwards) {
        let digits = reason[mark.upperBound...]
        let isNumber = (1...9).contains(digits.utf8.count) && digits.utf8.allSatisfy { (48...57).contains($0) }
        if isNumber, let said = Int(digits), said <= Limits.longestSpread { return .spread(said) }
    }
    return advices[code] ?? .now
}

/// ms until the next attempt, after so many attempts since a link was stable [B1, B3].
func waitOf(_ advice: Advice, failures: Int, random: Chance) -> Int {
    switch advice {
    case .spread(let ms):
        let spread = random() * Double(ms)
        return Int(spread + (failures > 0 ? random() * Double(longestWait(failures)) : 0))
    case .after(let ms): return ms + Int(random() * Double(longestWait(failures)))
    case .stop, .token, .now: return Int(random() * Double(longestWait(failures)))
    }
}

private let triedAgain: Set<String> = ["unavailable", "internal", "zones_unknown", "rate_limited"]

/// ms after which a refused command is sent again with its key; nil if the refusal is the end of it [O6].
/// `tries`: refusals of it before.
func retryOf(_ error: HubError, tries: Int, random: Chance) -> Int? {
    guard triedAgain.contains(error.code) else { return nil }
    if let said = error.retryAfterMs { return said <= Limits.longestRefusalWait ? said : nil }
    let most = min(Limits.longestRefusalWait, Limits.refusalWait << min(tries, 20))
    return Int(Double(most) * (0.5 + random() / 2))
}

/// The claims of a token, as far as it can be read; the hub alone says whether it is valid.
struct Claims {
    var subject: String?
    var role: String?
    /// Unix s.
    var end: Double?

    init(_ token: String?) {
        let parts = (token ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return }
        var text = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        guard let data = Data(base64Encoded: text),
            let claims = try? JSON(parsing: String(decoding: data, as: UTF8.self))
        else { return }
        subject = claims["sub"]?.string
        role = claims["role"]?.string
        end = claims["exp"]?.double
    }

    /// Whether its end is past, by the hub's clock in ms.
    func isOver(at now: Int) -> Bool {
        end.map { $0 * 1000 <= Double(now) } ?? false
    }
}

/// `role:subject` of whom a token is for, as far as it can be read; empty if not.
func ownOf(_ token: String?) -> String {
    let claims = Claims(token)
    guard let role = claims.role, let subject = claims.subject, !role.isEmpty, !subject.isEmpty else { return "" }
    return "\(role):\(subject)"
}

/// The moment at which a token is renewed, by the hub's clock; nil for one whose end is not known [T2].
/// `now`: when it was got.
func renewalOf(_ token: String, now: Int) -> Int? {
    guard let seconds = Claims(token).end, abs(seconds) < 1e12 else { return nil }
    let end = seconds * 1000
    return Int(end - min(Double(Limits.renewBefore), max(0, end - Double(now)) / 5))
}

private let officeQuestions: Set<String> = ["office.queue", "office.driver", "office.ride", "office.audit"]
private let questionWords: Set<String> = ["get", "list", "eta", "of", "estimate"]

/// Whether a command changes nothing: asked anew after a lost link, never kept, without a key [O1].
package func isQuestion(_ command: String) -> Bool {
    let words = command.split(separator: ".", omittingEmptySubsequences: false)
    let isNamedSo = words.count > 1 && questionWords.contains(String(words[words.count - 1]))
    return isNamedSo || officeQuestions.contains(command)
}

/// Commands that belong to one connection: the client sends them by itself [O1].
package let ofConnection: Set<String> = [
    "hello", "subscribe", "unsubscribe", "watch", "unwatch", "position", "offer.seen",
]
