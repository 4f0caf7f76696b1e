/// A drawing (SVG) of panels side by side: both axes logarithmic, the vertical one the same in all.
struct GrowthPlot {
    struct Panel {
        var title: String
        /// What is drawn to the right.
        var x: String
        /// All above 0.
        var points: [(x: Double, y: Double)]
    }

    var title: String
    var subtitle: String
    var panels: [Panel]
    /// What is drawn upwards.
    var y: String

    private static let panelWidth = 340.0
    private static let panelHeight = 260.0
    private static let left = 70.0
    private static let top = 78.0
    private static let between = 40.0

    var svg: String {
        let width = Self.left + Double(panels.count) * (Self.panelWidth + Self.between)
        let height = Self.top + Self.panelHeight + 62
        var lines = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(number(width)) \#(number(height))" width="\#(number(width))" height="\#(number(height))" font-family="sans-serif" font-size="12">"#,
            // A ground of its own: readable on dark pages too.
            ##"<rect width="100%" height="100%" fill="#ffffff"/>"##,
            text(title, x: Self.left, y: 26, size: 16, weight: "bold"),
            text(subtitle, x: Self.left, y: 44, fill: "#555555"),
        ]
        let scale = LogAxis(values: panels.flatMap { $0.points.map(\.y) }, length: Self.panelHeight)
        for (index, panel) in panels.enumerated() {
            lines += draw(
                panel, scale, left: Self.left + Double(index) * (Self.panelWidth + Self.between), isFirst: index == 0)
        }
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func draw(_ panel: Panel, _ up: LogAxis, left: Double, isFirst: Bool) -> [String] {
        let bottom = Self.top + Self.panelHeight
        let right = left + Self.panelWidth
        let across = LogAxis(values: panel.points.map(\.x), length: Self.panelWidth)
        var lines = [text(panel.title, x: left, y: Self.top - 10, weight: "bold")]
        for tick in up.ticks {
            let y = bottom - up.place(tick.value)
            lines.append(line(left, y, right, y, tick.isDecade ? "#bbbbbb" : "#eeeeee"))
            if isFirst, tick.isLabelled { lines.append(text(label(tick.value), x: left - 8, y: y + 4, anchor: "end")) }
        }
        for tick in across.ticks {
            let x = left + across.place(tick.value)
            lines.append(line(x, Self.top, x, bottom, tick.isDecade ? "#bbbbbb" : "#eeeeee"))
            if tick.isLabelled { lines.append(text(label(tick.value), x: x, y: bottom + 18, anchor: "middle")) }
        }
        lines.append(text(panel.x, x: (left + right) / 2, y: bottom + 40, anchor: "middle"))
        if isFirst {
            let y = (Self.top + bottom) / 2
            lines.append(
                ##"<text x="18" y="\##(number(y))" text-anchor="middle" fill="#222222" transform="rotate(-90 18 \##(number(y)))">\##(escaped(self.y))</text>"##
            )
        }
        let places = panel.points.map { (x: left + across.place($0.x), y: bottom - up.place($0.y)) }
        let path = places.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        lines.append(##"<polyline points="\##(path)" fill="none" stroke="#1f5fa8" stroke-width="2"/>"##)
        for (place, point) in zip(places, panel.points) {
            lines.append(##"<circle cx="\##(number(place.x))" cy="\##(number(place.y))" r="3.5" fill="#1f5fa8"/>"##)
            // Kept inside the panel at its right edge.
            let anchor = place.x > right - 30 ? "end" : place.x < left + 10 ? "start" : "middle"
            lines.append(text(label(point.y), x: place.x, y: place.y - 9, size: 11, anchor: anchor))
        }
        return lines
    }

    private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ colour: String) -> String {
        #"<line x1="\#(number(x1))" y1="\#(number(y1))" x2="\#(number(x2))" y2="\#(number(y2))" stroke="\#(colour)"/>"#
    }

    private func text(
        _ content: String, x: Double, y: Double, size: Int = 12, weight: String? = nil, anchor: String = "start",
        fill: String = "#222222"
    ) -> String {
        let bold = weight.map { #" font-weight="\#($0)""# } ?? ""
        return
            #"<text x="\#(number(x))" y="\#(number(y))" font-size="\#(size)"\#(bold) text-anchor="\#(anchor)" fill="\#(fill)">\#(escaped(content))</text>"#
    }

    private func escaped(_ text: String) -> String {
        text.map { $0 == "&" ? "&amp;" : $0 == "<" ? "&lt;" : $0 == ">" ? "&gt;" : String($0) }.joined()
    }

    /// A coordinate, to a tenth.
    private func number(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    /// `0.25`, `3.1`, `400`, `16,000`.
    private func label(_ value: Double) -> String {
        if value >= 100 { return LoadResults.count(value) }
        let digits = value >= 10 ? 1.0 : value >= 1 ? 10.0 : value >= 0.1 ? 100.0 : 1000.0
        let rounded = (value * digits).rounded() / digits
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}
