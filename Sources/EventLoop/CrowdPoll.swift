internal import CLibuv
internal import Glibc

/// Watches a crowd of descriptors of which only so many are looked at in a turn, however many are ready: an epoll of its own, which
/// is one descriptor of the loop's. Those that the loop watches itself so never wait behind the crowd. A descriptor that was looked at
/// comes after those that were not.
///
/// Used on the loop's thread. A descriptor is to be closed after its watch.
public final class CrowdPoll {
    /// One descriptor of the crowd. It ends with `close`, or when it is released.
    public final class Watch {
        private let crowd: CrowdPoll
        fileprivate let descriptor: Int32
        /// Tells it from an earlier one of the same descriptor.
        fileprivate let number: UInt32
        private var isWatched = false
        fileprivate private(set) var body: ((LoopPoll.Events) -> Void)?

        fileprivate init(_ crowd: CrowdPoll, _ descriptor: Int32, _ number: UInt32) {
            self.crowd = crowd
            self.descriptor = descriptor
            self.number = number
        }

        deinit { close() }

        /// Calls `body` in a turn in which the descriptor is ready for one of `events`, again and again while it is.
        public func start(for events: LoopPoll.Events, _ body: @escaping (LoopPoll.Events) -> Void) {
            self.body = body
            change(to: events)
        }

        /// Watches for other events with the same body.
        public func change(to events: LoopPoll.Events) {
            kb_crowd_watch(crowd.epoll, descriptor, number, events.rawValue, isWatched ? 1 : 0)
            isWatched = true
        }

        /// No call comes any more, until it is started again.
        public func stop() {
            body = nil
            guard isWatched else { return }
            kb_crowd_forget(crowd.epoll, descriptor)
            isWatched = false
        }

        public func close() {
            stop()
            crowd.forget(self)
        }
    }

    fileprivate let epoll: Int32
    private let perTurn: Int
    private let poll: LoopPoll
    private let ready: UnsafeMutablePointer<kb_crowd_event>
    /// By descriptor.
    private var watches: [Int32: (number: UInt32, watch: Unmanaged<Watch>)] = [:]
    private var number: UInt32 = 0

    /// perTurn: descriptors that are looked at in one turn. Throws `LoopError`.
    public init(_ loop: EventLoop, perTurn: Int) throws {
        epoll = kb_crowd_make()
        guard epoll >= 0 else { throw LoopError("epoll_create1", -errno) }
        do { poll = try LoopPoll(loop, descriptor: epoll) } catch {
            Glibc.close(epoll)
            throw error
        }
        self.perTurn = perTurn
        ready = .allocate(capacity: perTurn)
        poll.start { [unowned self] in self.look() }
    }

    deinit {
        poll.close()
        Glibc.close(epoll)
        ready.deallocate()
    }

    /// The watch of a descriptor that has none.
    public func watch(_ descriptor: Int32) -> Watch {
        number &+= 1
        let watch = Watch(self, descriptor, number)
        watches[descriptor] = (number, Unmanaged.passUnretained(watch))
        return watch
    }

    private func forget(_ watch: Watch) {
        if watches[watch.descriptor]?.number == watch.number { watches[watch.descriptor] = nil }
    }

    private func look() {
        let count = kb_crowd_wait(epoll, ready, Int32(perTurn))
        for index in 0..<Int(max(0, count)) {
            let event = ready[index]
            // One that was looked at before it may have ended this one.
            guard let known = watches[event.descriptor], known.number == event.number else { continue }
            known.watch.takeUnretainedValue().body?(LoopPoll.Events(rawValue: event.events))
        }
    }
}
