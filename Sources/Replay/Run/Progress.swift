import EventLoop

/// Tells people how a run is going: a line that is rewritten each second on a terminal, else a line every five seconds.
///
/// Used on the loop's thread.
final class Progress {
    private let output: ReplayConfiguration.Output
    private let play: Play
    private let timer: LoopTimer
    private var seconds = 0
    var phase = Phase.connecting

    init(loop: EventLoop, output: ReplayConfiguration.Output, play: Play) {
        self.output = output
        self.play = play
        timer = LoopTimer(loop)
        timer.start(afterMs: 1000, repeatMs: 1000) { [unowned self] in second() }
    }

    func say(_ text: String) {
        if output != .silent { Console.write(text + "\n", to: Console.people) }
    }

    private func second() {
        seconds += 1
        switch output {
        case .silent: break
        // A line that wraps could not be rewritten.
        case .terminal:
            let fitting = line().prefix(Console.width(Console.people) - 1)
            Console.write("\r\u{1B}[2K" + fitting, to: Console.people)
        case .lines: if seconds % 5 == 0, phase != .connecting { Console.write(line() + "\n", to: Console.people) }
        }
    }

    /// The last line stays.
    func end() {
        timer.close()
        switch output {
        case .silent: break
        case .terminal: Console.write("\r\u{1B}[2K" + line() + "\n", to: Console.people)
        case .lines: Console.write(line() + "\n", to: Console.people)
        }
    }

    private func line() -> String {
        let tally = play.fleet.tally
        var (drivers, queued, riding, passengers) = (0, 0, 0, 0)
        for seat in play.fleet.seats where seat.isLive {
            guard let driver = seat.driver else {
                passengers += 1
                continue
            }
            drivers += 1
            if driver.trip != nil { riding += 1 } else if driver.isQueued { queued += 1 }
        }
        let failed = tally.outcomes.reduce(0) { sum, entry in
            switch entry.key {
            case .failed, .refused, .lost: sum + entry.value
            default: sum
            }
        }
        return [
            "\(phase.rawValue) \(Self.clock(play.offsetMs ?? 0))",
            "drivers \(drivers) (\(queued) waiting, \(riding) on rides)", "passengers \(passengers)",
            "requests \(tally.requests)", "offers \(tally.offers)", "accepted \(tally.acceptancesTold)",
            "ended \(tally.ended)", "failed \(failed)", "alerts \(tally.alerts500)+\(tally.alerts20)",
            "offer \(tally.timeToOffer.text(99))",
        ].joined(separator: " · ")
    }

    /// Hub time since the beginning: `1:05:09`.
    private static func clock(_ ms: Int64) -> String {
        let text = TimeText.clock(ofMs: ms, offsetMinutes: 0)
        return text.hasPrefix("00:") ? String(text.dropFirst(3)) : text
    }
}
