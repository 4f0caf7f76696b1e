/// How a person is told what comes while no connection of theirs is there: by the push service of their browser (RFC 8030).
public enum PushCommand: CommandGroup {
    /// The same endpoint again takes the place of the one before.
    case subscribe(PushSubscription)
    case unsubscribe(endpoint: String)

    private static let people: [Role] = [.driver, .passenger, .busDriver]
    private static let endpoint = Field.required("endpoint", PushSubscription.address)

    static let kinds = [
        CommandKind<PushCommand>(
            "push.subscribe", people, .own, overHTTP: people, PushSubscription.fields,
            make: PushCommand.subscribe,
            take: { if case .subscribe(let subscription) = $0 { subscription } else { nil } }),
        CommandKind<PushCommand>(
            "push.unsubscribe", people, .own, overHTTP: people, endpoint,
            make: PushCommand.unsubscribe(endpoint:),
            take: { if case .unsubscribe(let endpoint) = $0 { endpoint } else { nil } }),
    ]
}

/// Where a browser is reached, as its `PushSubscription` says it.
public struct PushSubscription: Hashable, Sendable {
    /// Who knows this address can send there, so it is not for others.
    public var endpoint: String
    public var keys: PushKeys

    public init(endpoint: String, keys: PushKeys) {
        self.endpoint = endpoint
        self.keys = keys
    }

    static let address = TextKind(
        .visible, upTo: WireLimits.pushEndpointBytes,
        "the endpoint of a push subscription, an https URL of up to 1000 bytes",
        isSecret: true)

    static let fields = Fields(
        Field.required("endpoint", address),
        Field.required("keys", ObjectKind(expected: "an object with p256dh and auth", fields: PushKeys.fields)),
        make: { PushSubscription(endpoint: $0, keys: $1) }, take: { ($0.endpoint, $0.keys) })
}

/// By which only that browser reads what it is sent (RFC 8291), in Base64 for URLs.
public struct PushKeys: Hashable, Sendable {
    /// Its public key, a point of the curve P-256: 65 bytes.
    public var p256dh: String
    /// Its authentication secret: 16 bytes.
    public var auth: String

    public init(p256dh: String, auth: String) {
        self.p256dh = p256dh
        self.auth = auth
    }

    private static let key = TextKind(
        .visible, upTo: 128, "a key of the push subscription, in Base64 for URLs", isSecret: true)

    static let fields = Fields(
        Field.required("p256dh", key), Field.required("auth", key),
        make: { PushKeys(p256dh: $0, auth: $1) }, take: { ($0.p256dh, $0.auth) })
}
