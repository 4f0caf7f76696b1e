import Settings
public import Wire

/// The tokens of a subject that were issued before a time count no more.
public struct TokenRevocation: Sendable {
    public let role: Role
    public let subject: String
    /// Unix seconds.
    public let before: Int64
    /// Of tokens of other issuers only, by what these say themselves (`iat`).
    public let isOfOthers: Bool

    public init(role: Role, subject: String, before: Int64, isOfOthers: Bool = false) {
        self.role = role
        self.subject = subject
        self.before = before
        self.isOfOthers = isOfOthers
    }
}

/// Tokens that count no more although they have not expired, as a file has them: per role and subject, those issued before a time.
struct TokenRevocations: Sendable {
    /// Unix seconds by `<role> <subject>`.
    private var before: [String: Int64] = [:]

    /// Larger than any list that is needed while tokens end by themselves after weeks.
    private static let maxBytes = 4_194_304

    /// None.
    init() {}

    /// The list of a file: `role subject issued-before` per line, as `driver T345 2026-11-22T06:00:00Z`. The subject
    /// `*` is everybody of the role.
    static func load(_ path: String) throws(SettingsError) -> TokenRevocations {
        guard !path.isEmpty else { return TokenRevocations() }
        do {
            return try TokenRevocations(try TextFile.read(path, maxBytes: maxBytes), path: path)
        } catch let error as TextFile.Failure {
            throw SettingsError(problems: [.init(place: path, text: "can't be read: \(error.reason)")])
        } catch let error as SettingsError {
            throw error
        } catch {
            throw SettingsError(problems: [.init(place: path, text: "\(error)")])
        }
    }

    init(_ bytes: [UInt8], path: String) throws(SettingsError) {
        var problems: [SettingsProblem] = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let words = line.split { [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains($0) }
                .map { String(decoding: $0, as: UTF8.self) }
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            guard words.count == 3, let role = Role(rawValue: words[0]),
                words[1] == Self.everybody || Identifier.isSubject(words[1]), let time = Instant(words[2])
            else {
                problems.append(
                    .init(
                        place: "\(path):\(index + 1)",
                        text: "expected \"role subject issued-before\", such as \"driver T345 2026-11-22T06:00:00Z\""))
                continue
            }
            let key = Self.key(role, words[1])
            before[key] = max(before[key] ?? 0, time.unixMs / 1000)
        }
        guard problems.isEmpty else { throw SettingsError(problems: problems) }
    }

    private static let everybody = "*"

    static func key(_ role: Role, _ subject: String) -> String { "\(role.rawValue) \(subject)" }

    /// Whether a token of this subject counts no more. One that doesn't say when it was issued is taken for old. `issuedAt`: the earliest
    /// second of the hub's clock in which it may have been issued.
    func revokes(_ role: Role, _ subject: String, issuedAt: Int64) -> Bool {
        guard !before.isEmpty else { return false }
        return [subject, Self.everybody].contains { issuedAt < before[Self.key(role, $0)] ?? .min }
    }
}
