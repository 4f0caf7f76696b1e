import Domain
import EventLoop
import Logging
import RedisLink
import Settings
import WebSocketServer
import Wire

/// A capability of the hub: rides, seats, topics… Its state is its own; it sees the services that it is handed (``WorkerServices``),
/// Domain and Wire, and is told what concerns it by these calls, each of which it may leave out.
///
/// Not Sendable: all calls come on the worker's loop, in the order in which the capabilities are registered (`Worker`).
protocol Capability: AnyObject {
    var services: WorkerServices { get }

    /// A command that its sender may send (`Permissions`). False: it is another capability's.
    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool
    /// A request over HTTP, GET or HEAD. False: the path is another capability's; otherwise `answer` is called once, now or later.
    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool

    /// Redis has said how things stand for a subject, after hello or a loss of the subscription, before it is sent anything.
    func caughtUp(_ session: Session, _ identity: Identity, _ reply: HelloReply)
    /// Whether what the subject missed leaves out something that only the snapshot tells.
    func needsSnapshot(_ identity: Identity, _ reply: HelloReply) -> Bool
    /// The channels besides its own that a greeting names, with the place where the client stands in those that have a history.
    func greeting(_ session: Session, _ identity: Identity) -> [GreetedChannel]
    /// Its greeting was sent.
    func greeted(_ session: Session, _ identity: Identity)
    /// It has everything that it missed, and is sent what comes.
    func wentLive(_ session: Session)
    /// Its hello could not be carried out, or its connection was closed meanwhile.
    func helloFailed(_ session: Session, _ identity: Identity)
    /// Its connection is closed.
    func closed(_ session: Session)

    /// Five times a tick, `number` counts them.
    func slice(_ number: Int)
    /// Each tick (`positions.tick_ms`).
    func tick()
    /// Each second of the machine's clock.
    func second()

    /// The connection to Redis for commands is there (again).
    func redisIsUp()
    /// The subscription is lost: pushes may be missing from now on.
    func subscriptionLost()
    /// It is back: what was pushed meanwhile is to be read.
    func subscriptionBack()
    /// The other workers took this one for dead, and gave its sessions up.
    func takenForDead()
    /// `services.settings` and `services.zones` are new.
    func settingsChanged()
    /// The worker ends in an orderly way: its connections are closed, and nothing comes after this.
    func ends()
}

/// A capability that has Redis channels of its own.
protocol MessageListener: Capability {
    /// A message of a Redis channel that the capability has subscribed itself. False: it is another capability's.
    func onMessage(_ channel: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Bool
}

/// A capability that hears what is pushed on hub channels.
protocol PushListener: Capability {
    /// A push, before it goes to the channel's readers. True: it is for this capability alone.
    func onPublish(_ push: Push) -> Bool
}

/// A capability that sees what readers of hub channels are sent.
protocol DeliveryListener: Capability {
    /// Whether a reader is to be sent a state, and on which channel.
    func delivery(of push: Push, to session: Session) -> Delivery?
    /// A push was sent to a reader of its channel: what it says may concern the capability.
    func delivered(_ push: Push, to session: Session)
}

extension DeliveryListener {
    func delivery(of push: Push, to session: Session) -> Delivery? { nil }
}

/// Where a state goes that is not for the channel's readers as it is.
enum Delivery {
    case no
    /// Under this channel's name.
    case on(String)
}

/// A channel as a greeting names it.
struct GreetedChannel {
    let name: String
    /// Nil: it has no history, or the place that the client named is none.
    var seq: String?
}

extension Capability {
    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool { false }
    func answer(_ request: HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Bool { false }
    func caughtUp(_ session: Session, _ identity: Identity, _ reply: HelloReply) {}
    func needsSnapshot(_ identity: Identity, _ reply: HelloReply) -> Bool { false }
    func greeting(_ session: Session, _ identity: Identity) -> [GreetedChannel] { [] }
    func greeted(_ session: Session, _ identity: Identity) {}
    func wentLive(_ session: Session) {}
    func helloFailed(_ session: Session, _ identity: Identity) {}
    func closed(_ session: Session) {}
    func slice(_ number: Int) {}
    func tick() {}
    func second() {}
    func redisIsUp() {}
    func subscriptionLost() {}
    func subscriptionBack() {}
    func takenForDead() {}
    func settingsChanged() {}
    func ends() {}
}

// Short names of the services.
extension Capability {
    var loop: EventLoop { services.loop }
    var settings: Settings { services.settings }
    var keys: Keys { services.keys }
    var log: Logger { services.log }
    var metrics: WorkerMetrics { services.metrics }
    var server: WebSocketServer { services.server }
    var commands: RedisConnection { services.commands }
    var subscriber: RedisSubscriber { services.subscriber }
    var functions: RedisFunctions { services.functions }
    var outbox: Outbox { services.outbox }
    var readers: ChannelReaders { services.readers }
    var sessions: SessionTable { services.sessions }
    var catalog: CityCatalog { services.catalog }
    var zones: ZoneLookup { services.zones }

    func now() -> Int64 { services.now() }
}
