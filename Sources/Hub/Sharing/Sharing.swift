import Domain
import EventLoop
import Logging
import RedisLink
import Settings
import Tokens
import WebSocketServer
import Wire

/// Friends follow a ride: its passenger makes a link (`ride.share`), and who has that sees the car and how long it takes, without an
/// account. `GET /v1/follow`, with the secret of the link as `Authorization: Bearer …`: an address stands in logs.
///
/// Who follows counts as a guest of its network: each reading as a message of that guest, and a link that this worker has not seen yet, and that
/// may be guessed, as one who becomes a guest.
final class Sharing: Capability {
    let services: WorkerServices
    private let learning: TravelLearning
    private var limits = NetworkLimits.guests(perHour: 0)
    /// Links that were good when they were read last.
    private var known: Set<String> = []

    private static let path = "/v1/follow"
    private static let mostKnown = 10_000

    init(_ services: WorkerServices, _ learning: TravelLearning) {
        self.services = services
        self.learning = learning
    }

    // MARK: the passenger

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .rides(let command) = message.command, identity.role == .passenger else { return false }
        let who = RedisArgument(identity.subject)
        let key = RedisArgument(message.key ?? "")
        switch command {
        case .rideShare(let ride):
            call(
                "ride_share",
                [
                    "passenger": who, "ride": RedisArgument(ride ?? ""), "key": key,
                    "secret": RedisArgument(newSecret()),
                ], message, session)
        case .rideUnshare(let ride):
            call(
                "ride_unshare", ["passenger": who, "ride": RedisArgument(ride ?? ""), "key": key], message, session)
        default: return false
        }
        return true
    }

    /// 83 random bits, and by which a worker knows without Redis that it is no guess.
    private func newSecret() -> String {
        let random = RandomID.random(Self.random)
        return random + mark(random)
    }

    private func mark(_ random: String) -> String { services.issuer.mark(of: "follow " + random) }

    /// Whether a hub with this secret of tokens has made it.
    private func isOurs(_ secret: String) -> Bool {
        secret.dropFirst(Self.random) == mark(String(secret.prefix(Self.random)))
    }

    private static let random = 14

    // MARK: friends

    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        guard request.path == Self.path else { return false }
        guard let secret = request.bearerToken else {
            answer(.unidentified(.unauthenticated, "Send the secret of the link as `Authorization: Bearer …`."))
            return true
        }
        guard RandomID.isSign(secret[...]) else {
            answer(Self.none)
            return true
        }
        if let refusal = pay(request, secret) {
            answer(.refusal(refusal))
            return true
        }
        functions.call("share_read", ["secret": RedisArgument(secret)]) { result in
            guard case .success(let reply) = result, let bytes = reply.bytes else {
                if case .failure(.server(let text)) = result { self.log.error("share_read failed: \(text)") }
                return answer(
                    .refusal(ErrorReply(code: .unavailable, detail: "The hub can't reach its store now; ask again.")))
            }
            guard !bytes.isEmpty, let told = try? JSONValue(parsing: bytes) else {
                self.known.remove(secret)
                return answer(Self.none)
            }
            if self.known.count >= Self.mostKnown { self.known = [] }
            self.known.insert(secret)
            answer(.json(self.seen(told)))
        }
        return true
    }

    /// Nil: it is paid.
    private func pay(_ request: HTTPRequest, _ secret: String) -> ErrorReply? {
        let network = request.clientNetwork
        limits.set(guestsPerHour: max(Self.leastPerHour, settings.tokens.guestsPerHour))
        // Whoever guesses would otherwise lock out the friends in the same network.
        if !known.contains(secret), !isOurs(secret), let wait = limits.take(network, at: Int64(loop.now)) {
            return ErrorReply(
                code: .rateLimited, detail: "Too many have opened links from here; ask again later.", retryAfterMs: wait
            )
        }
        let mark = services.issuer.mark(of: network ?? secret)
        return services.budgets.take(
            Self.price, ofReader: Budgets.key(ofFollower: CatalogPages.digest(Array(secret.utf8)), network: mark))
    }

    /// A reading of Redis.
    private static let price = CommandPrice.request + 1
    /// Also where nobody else may be a guest.
    private static let leastPerHour = 60

    /// What a friend sees: where the car is going is told as the time that it takes, and not as a place.
    private func seen(_ told: JSONValue) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        for name in ["state", "plate", "model", "colour", "position"] {
            guard let value = told[name], !value.isNull else { continue }
            json.key(escaping: name)
            json.value(value)
        }
        if let place = GeoPoint(told["position"]), let goal = GeoPoint(told["goal"]) {
            let at = told["position"]?["at"]?.integer ?? now()
            json.member("eta_s", Int64(learning.forecast(from: place, to: goal, measuredAt: at).seconds.rounded()))
        }
        json.member("time", now())
        json.endObject()
        return json.bytes
    }

    private static var none: HTTPResponse {
        .refusal(
            ErrorReply(
                code: .notFound,
                detail: "This link shows no ride: it is over for a while, or its passenger has taken the link back."))
    }
}
