import Logging
import RedisLink
import Settings
import Tokens
import WebPush
import WebSocketServer
import Wire

/// Subscriptions to pushes: where people are reached who have no connection. What is sent there, ``PushSender`` sends.
final class Pushes: Capability {
    let services: WorkerServices
    /// Nil: pushes are switched off.
    private let voucher: PushVoucher?

    init(_ services: WorkerServices) throws {
        self.services = services
        voucher = try PushKeyFile.read(services.settings)
    }

    private static let isOff =
        "Nobody is told by pushes here: whoever runs the hub switches them on by push.subject in the settings."

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .push(let command) = message.command else { return false }
        guard voucher != nil else {
            refuse(session, message.id, .notAvailable, Self.isOff)
            return true
        }
        switch command {
        case .subscribe(let subscription): subscribe(subscription, message, session, identity)
        case .unsubscribe(let endpoint):
            call(
                "push_unsubscribe",
                [
                    "channel": RedisArgument(identity.channel), "endpoint": RedisArgument(endpoint),
                    "key": RedisArgument(message.key ?? ""),
                ], message, session)
        }
        return true
    }

    private func subscribe(
        _ subscription: PushSubscription, _ message: ClientMessage, _ session: Session, _ identity: Identity
    ) {
        do throws(PushEndpoint.Mismatch) {
            _ = try PushEndpoint(subscription.endpoint, services: settings.push.services)
        } catch {
            return refuse(
                session, message.id, .badMessage, "field `endpoint`: expected \(error.expected)", field: "endpoint")
        }
        let keys = subscription.keys
        do throws(PushReceiver.Mismatch) {
            _ = try PushReceiver(p256dh: keys.p256dh, auth: keys.auth)
        } catch {
            let field = "keys.\(error.field)"
            return refuse(
                session, message.id, .badMessage, "field `\(field)`: expected \(error.expected)", field: field)
        }
        let standing = services.verifier.standing(of: identity.claims, sessionS: settings.tokens.signInS)
        guard let standing else {
            return refuse(session, message.id, .unauthenticated, "The key of this token counts no more.")
        }
        call(
            "push_subscribe",
            [
                "channel": RedisArgument(identity.channel), "endpoint": RedisArgument(subscription.endpoint),
                "p256dh": RedisArgument(keys.p256dh), "auth": RedisArgument(keys.auth),
                "standing": RedisArgument(standing.description),
                "key": RedisArgument(message.key ?? ""),
            ], message, session)
    }

    /// `GET /v1/push/key`: by which a page subscribes; null: pushes are switched off. It is no secret.
    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool {
        guard request.path == "/v1/push/key" else { return false }
        var json = JSONWriter()
        json.beginObject()
        json.key("key")
        if let voucher { json.string(voucher.publicKey) } else { json.null() }
        json.endObject()
        answer(.json(json.bytes))
        return true
    }
}
