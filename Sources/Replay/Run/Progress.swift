import ClientSupport
import EventLoop

/// Tells people how a run is going: a line that is rewritten each second on a terminal, else a line every five seconds.
///
/// Used on the loop's thread.
final class Progress {
    private let output: ReplayConfiguration.Output
    private let player: any ScenarioPlayer
    private let timer: LoopTimer
    private var seconds = 0
    var phase = RunPhase.connecting

    init(loop: EventLoop, output: ReplayConfiguration.Output, player: any ScenarioPlayer) {
        self.output = output
        self.player = player
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
            Console.rewrite(String(fitting), to: Console.people)
        case .lines: if seconds % 5 == 0, phase != .connecting { Console.write(line() + "\n", to: Console.people) }
        }
    }

    /// The last line stays.
    func end() {
        timer.close()
        switch output {
        case .silent: break
        case .terminal: Console.rewrite(line() + "\n", to: Console.people)
        case .lines: Console.write(line() + "\n", to: Console.people)
        }
    }

    private func line() -> String {
        (["\(phase.rawValue) \(Self.clock(player.offsetMs ?? 0))"] + player.progress).joined(separator: " · ")
    }

    /// Hub time since the beginning: `1:05:09`.
    private static func clock(_ ms: Int64) -> String {
        let text = TimeText.clock(ofMs: ms, offsetMinutes: 0)
        return text.hasPrefix("00:") ? String(text.dropFirst(3)) : text
    }
}
