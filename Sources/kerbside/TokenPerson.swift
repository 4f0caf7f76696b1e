import ArgumentParser
import EventLoop
import Foundation
import Settings
import Tokens
import Wire

/// Whom a token or an invitation is for, and what it allows.
struct TokenPerson: ParsableArguments {
    @Option(help: "driver, passenger, bus_driver, operator or service.")
    var role: String

    @Option(help: "Who it is for: a taxi's code like T345, a passenger's id.")
    var subject: String

    @Option(help: "The city that it is good for; the configured one unless given.")
    var city: String?

    @Option(help: "What a driver drives: taxi or minibus.")
    var kind = "taxi"

    @Option(help: "Seats for passengers of a minibus; as configured unless given.")
    var seats: Int?

    @Option(
        name: .customLong("scope"),
        help:
            "What it allows besides, as often as needed: \(TokenScope.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var scopes: [String] = []

    func check() throws {
        let known = try knownRole()
        guard Identifier.isSubject(subject) else {
            throw ValidationError("--subject \"\(subject)\": expected 1 to 64 of A-Z a-z 0-9 _ . -")
        }
        if let city, !Identifier.isValid(city) {
            throw ValidationError("--city \"\(city)\": expected 1 to 64 of A-Z a-z 0-9 _ . : -")
        }
        guard kind == "taxi" || (kind == "minibus" && known == .driver) else {
            throw ValidationError("--kind \(kind): expected taxi, or for a driver minibus")
        }
        guard seats == nil || (kind == "minibus" && (1...99).contains(seats ?? 0)) else {
            throw ValidationError("--seats \(seats ?? 0): expected 1 to 99, with --kind minibus")
        }
        if let unknown = scopes.first(where: { TokenScope(rawValue: $0) == nil }) {
            let known = TokenScope.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--scope \(unknown): expected \(known)")
        }
        guard scopes.isEmpty || known == .operator || known == .service else {
            throw ValidationError("--scope is for operators and services: a \(role) has its own channel")
        }
    }

    private func knownRole() throws -> Role {
        guard let known = Role(rawValue: role) else {
            throw ValidationError(
                "--role \(role): expected one of \(Role.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return known
    }

    static func check(duration: String) throws {
        guard Duration.milliseconds(duration) ?? 0 >= 1000 else {
            throw ValidationError(
                "--for \(duration): expected a number with s, m, h or d, such as 90s or 24h, up to 10000d")
        }
    }

    /// What is signed with the hub's secret. There has to be one, unless it is made.
    func claims(_ settings: Settings, for duration: String, makesSecret: Bool = false) throws -> TokenClaims {
        let seconds = (Duration.milliseconds(duration) ?? 0) / 1000
        guard seconds <= settings.tokens.maxLifeS else {
            throw CommandFailure(
                "--for \(duration): tokens live at most \(settings.tokens.maxLifeS) s here (tokens.max_life_s)")
        }
        guard makesSecret || access(settings.tokenSecretFile, F_OK) == 0 else {
            throw CommandFailure(
                """
                \(settings.tokenSecretFile) is not there, so no hub has been started with it, and a token of a new secret \
                would open no door. Name the data directory of the hub with --data, or its configuration with --config; or \
                make the secret here and now with `kerbside token --new-secret`, and start the hub with it
                """)
        }
        let now = EventLoop.wallClock() / 1000
        let claims = TokenClaims(
            subject: subject, role: try knownRole(), city: city ?? settings.city.id, issuedAt: now,
            expiresAt: now + seconds, scopes: Set(scopes.compactMap(TokenScope.init)))
        return kind == "minibus" ? claims.minibus(seats: seats) : claims
    }
}

/// Durations as people write them: `90s`, `15m`, `24h`, `7d`.
enum Duration {
    static func milliseconds(_ text: String) -> Int64? {
        let units: [Character: Double] = ["s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let last = text.last, let unit = units[last], let number = Double(text.dropLast()), number.isFinite,
            number >= 0, number * unit < 1e15
        else { return nil }
        return Int64(number * unit)
    }
}
