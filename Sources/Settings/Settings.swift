/// Everything that can be configured, in sections, with the defaults that stand when nothing is configured.
///
/// A value of this type is complete and checked: it comes from ``load(file:environment:flags:exampleDirectories:)``
/// (file, then `KERBSIDE_` environment, then flags), or from ``init(decoding:)`` in a worker process.
/// What each setting is for, its range and whether it changes at SIGHUP stands in ``table``; units are in
/// the names: `_ms` milliseconds, `_s` seconds, `_m` metres, `_bytes` bytes.
public struct Settings: Sendable, Equatable {
    /// Listening, TLS and the limits of connections.
    public var server = Server()
    /// The one city that this hub serves.
    public var city = City()
    /// The zones of the city.
    public var zones = Zones()
    /// The shared state.
    public var redis = Redis()
    /// Where what remains is kept.
    public var store = Store()
    /// What this hub keeps on disk.
    public var data = DataFiles()
    /// Queues, offers and rides.
    public var dispatch = Dispatch()
    /// The estimate of arrival.
    public var eta = ETA()
    /// Filtering and batching of positions.
    public var positions = Positions()
    /// What watchers are told, and how often.
    public var feeds = Feeds()
    /// What vehicles are.
    public var vehicles = Vehicles()
    /// Stops on request.
    public var stops = Stops()
    /// Taxis for a time ahead.
    public var reservations = Reservations()
    /// What taxis cost.
    public var fares = Fares()
    /// What remains of trips.
    public var trips = Trips()
    /// Where drivers should wait.
    public var advice = Advice()
    /// What follows from no-shows and rides given back.
    public var reliability = Reliability()
    /// Buses on lines.
    public var tours = Tours()
    /// The administrators' statistics.
    public var statistics = Statistics()
    /// Alarms and reports.
    public var safety = Safety()
    /// Records of drivers and vehicles.
    public var drivers = Drivers()
    /// Web pages.
    public var pages = Pages()
    /// Web Push.
    public var push = Push()
    /// Keys that sign and prove tokens.
    public var tokens = Tokens()
    /// Hub time.
    public var clock = Clock()
    /// Log lines.
    public var log = Log()

    /// The defaults.
    public init() {}

    public struct Server: Sendable, Equatable {
        /// Address or host name to listen on.
        public var host = "127.0.0.1"
        /// TCP port; 0 lets the system choose.
        public var port = 8080
        /// Worker processes; 0 is one per core.
        public var workers = 0
        /// Origins of browsers that may connect; empty refuses all that send one from another host.
        public var allowedOrigins: [String] = []
        /// Certificate and key; both empty is plain text.
        public var tls = TLS()
        /// Connections per worker; 0 takes what the limit of open files allows.
        public var maxConnections = 0
        /// Connections per remote address to all workers; 0 is no limit.
        public var maxConnectionsPerAddress = 200
        /// Header by which a proxy on this machine says for whom it asks; empty: none is believed.
        public var realIPHeader = ""
        /// Connections per subject, at all workers; 0 is no limit.
        public var maxConnectionsPerSubject = 8
        /// Connections of an operator or service to one worker; 0 is no limit.
        public var maxConnectionsPerService = 200
        /// Largest message taken from a client, bytes.
        public var maxMessageBytes = 65_536
        /// Most bytes waiting for one slow client.
        public var maxOutboundBytes = 1_048_576
        /// Most memory of one worker for all that waits for clients, bytes.
        public var maxWaitingBytes = 134_217_728
        /// From accept to the finished upgrade, TLS included, ms.
        public var handshakeTimeoutMs = 5_000
        /// From the upgrade to `hello`, ms.
        public var helloTimeoutMs = 10_000
        /// Between pings, ms.
        public var pingMs = 25_000
        /// Without a sign of life, ms.
        public var deadAfterMs = 75_000
        /// Between pings while an offer is open, ms.
        public var offerPingMs = 4_000
        /// Without a sign of life while an offer is open, ms.
        public var offerDeadAfterMs = 7_000
        /// Commands a second of one subject at a worker, lasting.
        public var commandsPerSecond = 20
        /// Commands at once of one subject at a worker.
        public var commandsBurst = 60
        /// Commands a second, and at once, of an operator or a service at a worker.
        public var serviceCommandsPerSecond = 1_000
        /// Time to send clients away at SIGTERM, ms.
        public var drainMs = 5_000
        /// Clients sent away are asked to come back within this time, at random, ms.
        public var reconnectSpreadMs = 5_000

        public struct TLS: Sendable, Equatable {
            /// PEM file with the chain; empty is plain text.
            public var certificate = ""
            /// PEM file with its private key.
            public var key = ""
            /// How long a session may be resumed, s; 0: never.
            public var resumeS = 43_200

            /// Whether TLS is spoken.
            public var isOn: Bool { !certificate.isEmpty }
        }
    }

    public struct City: Sendable, Equatable {
        /// Id of the city: in every token and every Redis key.
        public var id = "example"
    }

    public struct Zones: Sendable, Equatable {
        /// GeoJSON file; empty is the example city that comes with the hub.
        public var file = ""
        /// Property that holds a zone's id; empty takes the feature's `id`.
        public var idProperty = ""
        /// Whether broken rings and overlaps are repaired instead of refused.
        public var repair = false
        /// How far outside its border a zone still counts, metres.
        public var marginM = 0.0
    }

    public struct Redis: Sendable, Equatable {
        /// `redis://user:password@host:port/db` or `unix:///path?db=0`; empty starts a private one.
        public var url = ""
        /// Whether a Redis of another machine may be spoken to in clear text.
        public var allowPlain = false
        /// Program that the embedded Redis is started from.
        public var server = "redis-server"
        /// When the embedded Redis writes its file through.
        public var fsync = Fsync.everysec
        /// A command without an answer fails after this time, ms.
        public var commandTimeoutMs = 2_000
        /// Commands in flight per worker.
        public var maxPending = 10_000
        /// Events kept per channel for resuming.
        public var historyLength = 1_000
        /// A channel's history is kept this long after its last event, seconds.
        public var historyTtlS = 86_400
        /// Topics in whose histories one subject may have events.
        public var maxTopicsPerSubject = 1_000
        /// What one subject's events in them may take, MiB.
        public var maxTopicMbPerSubject = 64
        /// Events kept in the city's log.
        public var eventsLength = 1_000_000
        /// No event of the log or of a history is kept for longer, days.
        public var keptDays = 30
        /// Memory of the embedded Redis, MiB; 0 takes half of the machine's.
        public var maxMemoryMb = 0

        /// Whether the hub starts its own Redis.
        public var isEmbedded: Bool { url.isEmpty }

        public enum Fsync: String, CaseIterable, Sendable {
            /// Once a second: a power cut costs at most a second.
            case everysec
            /// Before each answer.
            case always
        }
    }

    public struct DataFiles: Sendable, Equatable {
        /// Directory of the embedded Redis, the token secret and sockets.
        public var dir = "data"
    }

    public struct Dispatch: Sendable, Equatable {
        /// From `offer.seen` to the end of an offer, ms.
        public var offerTimeoutMs = 10_000
        /// From sending an offer to `offer.seen`, ms.
        public var offerSeenTimeoutMs = 3_000
        /// An answer this late still counts, ms.
        public var acceptGraceMs = 500
        /// Times the whole queue is asked before a request fails.
        public var rounds = 2
        /// Between two rounds, ms.
        public var roundPauseMs = 12_000
        /// Passengers of one request.
        public var maxPassengers = 3
        /// Whole time of a search, ms.
        public var searchTimeoutMs = 300_000
        /// Rings of zones around its own that are looked through for a ride for which nobody is there.
        public var neighbours = 0
        /// A ride for which nobody is there looks around again after so long, ms.
        public var lookAgainMs = 10_000
        /// How long a passenger waits who asks for that, ms; 0: nobody can.
        public var waitMs = 600_000
        /// A driver whose connection is gone keeps the place this long, ms.
        public var awayGraceMs = 60_000
        /// A driver back within this time after that gets the old place, ms.
        public var recoveryMs = 1_800_000
        /// A driver on the way to a passenger is away for this time before the passenger is told, ms.
        public var driverLostMs = 120_000
        /// From the taxi's arrival to the first `ride.noshow` that is taken, ms.
        public var noshowWaitMs = 180_000
        /// Fixes outside that cost the place.
        public var zoneExitFixes = 3
        /// Time outside that costs the place, ms.
        public var zoneExitMs = 180_000
        /// A driver silent for this time gets no offers, ms.
        public var staleAfterMs = 150_000
        /// "Your taxi is near", metres.
        public var nearM = 500.0
        /// "Your taxi has arrived", metres.
        public var arrivedM = 20.0
        /// How far a passenger's pickup follows them, metres.
        public var walkM = 300.0
        /// How long a command's `key` is remembered, seconds.
        public var idempotencyTtlS = 86_400
        /// How many keys of a subject are remembered.
        public var idempotencyKeys = 1_000
        /// Requests that a person may take back within `cancelWindowMs` without waiting for the next (limits.lua has those of
        /// others that come to nothing).
        public var freeCancels = 3
        /// See `freeCancels`, ms.
        public var cancelWindowMs = 600_000
        /// The first wait, ms; doubled with each further request that comes to nothing.
        public var cancelPauseMs = 30_000
    }

    public struct ETA: Sendable, Equatable {
        /// Speed of vehicles, km/h.
        public var speedKmh = 25.0
        /// Road ÷ straight line up to `shortM`.
        public var detourShort = 1.5
        /// Road ÷ straight line midway between `shortM` and `longM`.
        public var detour = 1.35
        /// Road ÷ straight line from `longM` on.
        public var detourLong = 1.25
        /// Up to this straight distance `detourShort` holds, metres.
        public var shortM = 1_000.0
        /// From this straight distance on `detourLong` holds, metres.
        public var longM = 10_000.0
        /// An estimate that changed by more is sent, seconds.
        public var pushChangeS = 10
        /// An estimate is sent at least this often, seconds.
        public var pushMaxAgeS = 90
    }

    public struct Positions: Sendable, Equatable {
        /// Positions are written and published in batches this often, ms.
        public var tickMs = 250
        /// A jump faster than this is no fix, m/s.
        public var maxSpeedMps = 45.0
        /// A fix may be dated this far ahead, ms.
        public var futureMs = 60_000
        /// A fix may have been stored on the device for this time, ms.
        public var maxAgeMs = 300_000
        /// A fix less accurate than this moves no fence, metres.
        public var fenceAccuracyM = 50.0
        /// A fix less accurate than this is not shown, metres.
        public var mapAccuracyM = 100.0
    }

    public struct Feeds: Sendable, Equatable {
        /// Watchers of a circle are told this often, ms.
        public var nearMs = 250
        /// Watchers of a zone, ms.
        public var zoneMs = 250
        /// Watchers of one vehicle, ms.
        public var vehicleMs = 250
        /// Watchers of the whole city, ms.
        public var cityMs = 250
        /// A vehicle not heard for this time is stale, ms.
        public var staleAfterMs = 90_000
        /// A vehicle not heard for this time is not shown any more, ms.
        public var goneAfterMs = 600_000
        /// A circle that is watched moves once in so many ms.
        public var moveMs = 1_000
        /// Events of shared channels wait up to this long for company, ms.
        public var coalesceMs = 24
    }

    public struct Vehicles: Sendable, Equatable {
        /// Seats for passengers in a taxi.
        public var taxiSeats = 4
        /// Seats for passengers in a minibus whose token does not say.
        public var minibusSeats = 14
        /// A booking that got no answer for this time gives back its seats, ms.
        public var seatHoldMs = 60_000
        /// So far from an announced way passengers may get on and off, metres.
        public var wayM = 1_000.0
        /// Fares by distance, one line per route; see ``FareTable``.
        public var fares: [String] = []
        /// In which fares are.
        public var currency = "EUR"
    }

    public struct Tours: Sendable, Equatable {
        /// A change of the delay by so much is told, seconds.
        public var lateS = 120
        /// A tour of which nothing is heard for this time is ended, ms.
        public var lostMs = 7_200_000
        /// Further from its line's shape, metres, a bus is off its route.
        public var offRouteM = 60.0
        /// Fixes in a row that take a bus off its route.
        public var offRouteFixes = 2
    }

    public struct Tokens: Sendable, Equatable {
        /// File with the signing secrets; empty is `token.secret` in the data directory.
        public var secretFile = ""
        /// Keys of other issuers.
        public var publicKeys: [PublicKey] = []
        /// Clocks of issuers may differ by this, seconds.
        public var leewayS = 5
        /// From `iat` to `exp` at most, seconds.
        public var maxLifeS = 2_678_400
        /// File with revoked tokens; empty is none.
        public var revokedFile = ""
        /// Life of a token of a sign-in, seconds.
        public var signInLifeS = 3_600
        /// Life of a sign-in, seconds.
        public var signInS = 7_776_000
        /// Guests of one network an hour at a worker; 0: none.
        public var guestsPerHour = 60

        /// A PEM file with a public key, by the `kid` of its tokens, and what they may say.
        public struct PublicKey: Sendable, Equatable {
            public var kid: String
            public var file: String
            public var rules: IssuerRules

            public init(kid: String, file: String, rules: IssuerRules = IssuerRules()) {
                self.kid = kid
                self.file = file
                self.rules = rules
            }
        }
    }

    public struct Clock: Sendable, Equatable {
        /// Hub milliseconds per real millisecond.
        public var scale = 1.0
        /// What the clock shows when the hub starts for the first time, as `2026-02-16T15:58:00Z`; empty: the machine's time.
        public var start = ""

        /// `start` in Unix ms; nil when it is empty.
        public var startMs: Int64? { Instant(start)?.unixMs }
    }

    public struct Log: Sendable, Equatable {
        /// The least important lines that are written.
        public var level = Level.info
        /// How lines look.
        public var format = Format.auto

        /// The levels of swift-log, by their names there.
        public enum Level: String, CaseIterable, Sendable {
            case trace, debug, info, notice, warning, error, critical
        }

        public enum Format: String, CaseIterable, Sendable {
            /// Text on a terminal, JSON otherwise.
            case auto
            case text, json
        }
    }
}

extension Settings {
    /// The file with the signing secrets: `tokens.secret_file`, or `token.secret` in the data directory.
    public var tokenSecretFile: String {
        tokens.secretFile.isEmpty ? data.dir + "/token.secret" : tokens.secretFile
    }

    /// Whether the hub can be reached from this machine only.
    public var isLoopback: Bool { Host.isLoopback(server.host) }
}
