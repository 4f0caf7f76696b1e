import RedisLink
import Settings

/// The numbers of the administrators' statistics that the functions read.
enum StatisticsRules {
    /// By the names of `FIGURE_RULES` in figures.lua.
    static func fields(_ statistics: Settings.Statistics) -> [RedisArgument] {
        [
            "figure_days", RedisArgument(statistics.days), "figure_early_s", RedisArgument(statistics.earlyS),
            "figure_late_s", RedisArgument(statistics.lateS),
        ]
    }
}
