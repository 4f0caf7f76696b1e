/// Tries forecasts for taxis on recorded ways: learned from some, judged on others, from every place of theirs to the end.
public struct TravelTimesTrial: Sendable {
    /// Forecasts of what took 3 minutes and more, 10 minutes and more, and those at the first place of a way.
    public struct Scores: Sendable {
        public var fromThree = ForecastScore()
        public var fromTen = ForecastScore()
        public var first = ForecastScore()
        /// By what it took: 3 to 6, 6 to 10, 10 to 15, 15 minutes and more.
        public var buckets = [ForecastScore](repeating: ForecastScore(), count: 4)

        mutating func add(
            _ forecast: Double, _ bounds: (early: Double, late: Double), took: Double, isFirst: Bool
        ) {
            guard took >= 180 else { return }
            fromThree.add(forecast, bounds, took: took)
            if took >= 600 { fromTen.add(forecast, bounds, took: took) }
            if isFirst { first.add(forecast, bounds, took: took) }
            buckets[took < 360 ? 0 : took < 600 ? 1 : took < 900 ? 2 : 3].add(forecast, bounds, took: took)
        }
    }

    /// With what was learned, and by the distance alone.
    public private(set) var learned = Scores()
    public private(set) var untaught = Scores()

    /// `hour`: of the week, 0…167, of a Unix ms. The ways to learn from come in the order in which they ended.
    public init(learn ways: [TravelledWay], judge others: [TravelledWay], hour: (Int64) -> Int) {
        var times = TravelTimes()
        let none = TravelTimes()
        for way in ways { times.learn(way, hour: hour) }
        for way in others {
            guard let end = way.places.last else { continue }
            var pace = RecentPace()
            for (index, place) in way.places.dropLast().enumerated() {
                if index > 0 {
                    let before = way.places[index - 1]
                    pace.moved(
                        metres: before.point.distance(to: place.point), seconds: Double(place.at - before.at) / 1000)
                }
                let took = Double(end.at - place.at) / 1000
                let at = hour(place.at)
                let forecast = times.seconds(from: place.point, to: end.point, hour: at, pace: pace)
                learned.add(forecast, times.bounds(forecast), took: took, isFirst: index == 0)
                let plain = none.seconds(from: place.point, to: end.point, hour: at)
                untaught.add(plain, none.bounds(plain), took: took, isFirst: index == 0)
            }
        }
    }
}
