@testable import Replay

extension BehaviourModel {
    /// Everybody accepts, nobody cancels, no link is cut: only the way things go well.
    static var smooth: BehaviourModel {
        var behaviour = BehaviourModel()
        (
            behaviour.accept, behaviour.decline, behaviour.cancel, behaviour.noShow, behaviour.giveBack,
            behaviour.dropsPerMinute
        ) = (1, 0, 0, 0, 0, 0)
        (behaviour.stopNoShow, behaviour.handCount, behaviour.repeats) = (0, 0, 0)
        return behaviour
    }
}
