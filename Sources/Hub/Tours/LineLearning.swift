import Domain
import RedisLink

/// Lines learn travel times from finished tours. Redis keeps each line's last tours; a worker reads them when one of its
/// buses takes up a tour on the line, and adds those that end here.
final class LineLearning: Capability {
    let services: WorkerServices
    /// What finished tours taught, by line; read when a bus here takes up a tour on it.
    private var known: [String: LineKnowledge] = [:]
    private var linesBeingRead: Set<String> = []
    /// By line the newest of the tours that were read, as Redis has it.
    private var newest: [String: [UInt8]] = [:]
    /// Tours that are read at once: each takes this worker some 0.2 ms, and the loop turns in between.
    private static let toursAtOnce = 10

    init(_ services: WorkerServices) { self.services = services }

    func knowledge(of line: String) -> LineKnowledge { known[line] ?? LineKnowledge() }

    /// Reads what is known of a line, unless that is under way or nothing has come since; until then forecasts go by what was
    /// known before.
    func read(_ line: String, then: @escaping () -> Void) {
        guard commands.isUp, linesBeingRead.insert(line).inserted else { return }
        commands.send(["LINDEX", RedisArgument(keys.finishedTours(line)), -1]) { result in
            guard case .success(let reply) = result, let newest = reply.bytes, newest != self.newest[line] else {
                self.linesBeingRead.remove(line)
                return
            }
            self.readTours(of: line, from: 0, LineKnowledge()) {
                self.newest[line] = newest
                then()
            }
        }
    }

    private func readTours(of line: String, from first: Int, _ read: LineKnowledge, _ done: @escaping () -> Void) {
        let last = first + Self.toursAtOnce - 1
        let key = RedisArgument(keys.finishedTours(line))
        commands.send(["LRANGE", key, RedisArgument(first), RedisArgument(last)]) { result in
            guard case .success(let reply) = result, let tours = reply.array else {
                self.linesBeingRead.remove(line)
                return
            }
            var knowledge = read
            for tour in tours {
                guard let bytes = tour.bytes, let tour = FinishedTour(json: bytes) else { continue }
                self.learn(tour, into: &knowledge)
            }
            guard tours.count < Self.toursAtOnce else {
                return self.readTours(of: line, from: last + 1, knowledge, done)
            }
            self.linesBeingRead.remove(line)
            self.known[line] = knowledge
            done()
        }
    }

    /// A tour whose way was followed here is over. What another worker saw of it before is lost; the rest counts.
    func learn(from run: TourRun) {
        guard let tour = run.progress?.finished else { return }
        let finished = FinishedTour(stops: tour.stops, passages: tour.passages, schedule: tour.schedule)
        guard finished.passages.arrivals.contains(where: { $0 != nil }) else { return }
        learn(finished, into: &known[run.line, default: LineKnowledge()])
        let key = RedisArgument(keys.finishedTours(run.line))
        commands.send(["RPUSH", key, RedisArgument(finished.json)]) { _ in }
        commands.send(["LTRIM", key, RedisArgument(-FinishedTour.kept), -1]) { _ in }
    }

    private func learn(_ tour: FinishedTour, into knowledge: inout LineKnowledge) {
        knowledge.learn(stops: tour.stops, passages: tour.passages, schedule: tour.schedule, hour: catalog.localHour)
    }
}
