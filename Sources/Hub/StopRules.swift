import Domain
import RedisLink
import Settings

/// The numbers of custom stops: those that the functions read, and those of the plan.
enum StopRules {
    /// By the names of `STOP_RULES` in stop.lua.
    static func fields(_ stops: Settings.Stops) -> [RedisArgument] {
        let values: [(String, RedisArgument)] = [
            ("stop_answer_ms", RedisArgument(stops.answerMs)),
            ("stop_remind_driver_ms", RedisArgument(stops.remindDriverMs)),
            ("stop_reminder_ms", RedisArgument(stops.reminderMs)),
            ("stop_ahead_m", RedisArgument(stops.aheadM)), ("stop_merge_m", RedisArgument(stops.mergeM)),
            ("stop_merge_ms", RedisArgument(stops.mergeMs)), ("stop_near_m", RedisArgument(stops.nearM)),
            ("stop_arrived_m", RedisArgument(stops.arrivedM)), ("stop_wait_ms", RedisArgument(stops.waitMs)),
            ("stop_early_ms", RedisArgument(stops.earlyMs)), ("stop_round_ms", RedisArgument(stops.roundMs)),
            ("stop_late_ms", RedisArgument(stops.lateMs)), ("stop_quiet_ms", RedisArgument(stops.quietMs)),
            ("stop_max_open", RedisArgument(stops.maxOpen)),
            ("stop_max_on_tour", RedisArgument(stops.maxOnTour)), ("stop_dwell_ms", RedisArgument(stops.dwellMs)),
        ]
        return values.flatMap { [RedisArgument($0.0), $0.1] }
    }

    static func plan(_ stops: Settings.Stops) -> StopRequestPlan.Rules {
        var rules = StopRequestPlan.Rules()
        rules.offRoute = stops.offRouteM
        rules.hours = stops.openHours
        rules.roundMs = Int64(stops.roundMs)
        rules.earlySeconds = Int64(stops.reminderMs / 1000)
        rules.laterMs = Int64(stops.earlyMs)
        rules.maxAheadMs = Int64(stops.maxAheadMs)
        return rules
    }
}
