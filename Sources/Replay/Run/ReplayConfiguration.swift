public import RedisLink
public import WebSocketServer

/// What is to be played, against which hub.
public struct ReplayConfiguration: Sendable {
    public enum Output: Sendable {
        /// A line that is rewritten each second.
        case terminal
        /// A line every five seconds.
        case lines
        case silent
    }

    public var source: ScenarioSource
    /// `ws://127.0.0.1:8080/v1/connect`; several hubs of one city: clients are spread over them.
    public var urls: [String]
    /// Whose certificates are believed, for wss:// URLs.
    public var trust = ClientTrust.system
    /// Makes the token of a role (`driver` or `passenger`) and subject; asked at each connecting.
    public var token: @Sendable (_ role: String, _ subject: String) -> String
    /// That of a minibus' driver.
    public var minibusToken: @Sendable (_ subject: String, _ seats: Int) -> String = { _, _ in "" }
    /// The hub's Redis, for the check at the end; nil: only what the clients see is checked, and the table says so.
    public var redis: RedisEndpoint?
    /// The city's id, as in the keys `{city}:…`.
    public var city: String
    /// The zones beside each zone, by their ids: where a reservation that got no taxi could have had one.
    public var neighbours: [String: Set<String>] = [:]
    /// Hub seconds per real second; the hub's clock must run at the same scale.
    public var speed = 1.0
    public var behaviour = BehaviourModel()
    public var seed: UInt64 = 1
    public var output = Output.lines
    /// The table as JSON on standard output, instead of as text.
    public var isJSON = false
    /// Redis may lose what it had acknowledged (a machine that dies): gaps that the hub tells of are no violations.
    public var gapsAllowed = false
    /// Real seconds after the last request in which rides may end by themselves; then they are brought to an end.
    public var graceSeconds = 30.0
    /// Real seconds that all this may take before the check; what is open then counts as never told.
    public var settleSeconds = 90.0
    /// SIGINT ends the run early, with its check and table.
    public var endsOnInterrupt = true

    public init(
        source: ScenarioSource, urls: [String], city: String, redis: RedisEndpoint?,
        token: @escaping @Sendable (_ role: String, _ subject: String) -> String
    ) {
        self.source = source
        self.urls = urls
        self.city = city
        self.redis = redis
        self.token = token
    }
}
