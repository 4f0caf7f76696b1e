import RedisLink
import Settings

/// The numbers of the administrators' figures that the functions read.
enum FigureRules {
    /// By the names of `FIGURE_RULES` in figures.lua.
    static func fields(_ figures: Settings.Figures) -> [RedisArgument] {
        [
            "figure_days", RedisArgument(figures.days), "figure_early_s", RedisArgument(figures.earlyS),
            "figure_late_s", RedisArgument(figures.lateS),
        ]
    }
}
