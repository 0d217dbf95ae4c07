import CoffeeTrackerModel
import Markup
import Site

/// Draws the gauge of a level along any line, for the bar of the first page and the bars and arcs of the complications.
///
/// Every element strokes the same path, whose length counts as ``LevelScale/maximum``. `gauge.css` has the colours.
struct GaugeDrawing: Sendable, Equatable {
    let level: LevelState

    /// The elements of the gauge: its zones in pale colours, then the fill, with a gap at each mark.
    ///
    /// - Parameters:
    ///   - line: The path's commands, from the lower to the upper end of the gauge.
    ///   - width: The width of the stroke, in the drawing's units.
    ///   - gap: The width of a gap, in milligrams.
    /// - Returns: SVG elements.
    func elements(along line: String, width: Double, gap: Double) -> String {
        var elements = ""
        let filled = level.fraction * LevelScale.maximum
        func add(_ kind: String, _ colour: CaffeineColour, from start: Double, to end: Double) {
            guard end > start else { return }
            elements += "<path class=\"gauge-\(kind) \(colour.rawValue)\" d=\"\(Markup.xml(line))\""
            elements += " stroke-width=\"\(Self.number(width))\" pathLength=\"\(Self.number(LevelScale.maximum))\""
            elements += " stroke-dasharray=\"0 \(Self.number(start)) \(Self.number(end - start)) 1000\"/>"
        }
        let parts = level.scale.zones.map { colour, range in
            let start = range.lowerBound == 0 ? 0 : range.lowerBound + gap / 2
            let end = range.upperBound == LevelScale.maximum ? range.upperBound : range.upperBound - gap / 2
            return (colour: colour, start: start, end: end)
        }
        for part in parts { add("zone", part.colour, from: part.start, to: part.end) }
        for part in parts { add("fill", level.colour, from: part.start, to: min(part.end, filled)) }
        return elements
    }

    /// The gauge for a page: a bar that fills its container, with the amount and the word of each mark below it.
    var bar: HTML {
        let maximum = Self.number(LevelScale.maximum)
        var svg = "<svg class=\"gauge\" width=\"100%\" height=\"14\" role=\"img\" aria-label=\"\(Markup.html(label))\""
        svg += " viewBox=\"0 0 \(maximum) 14\" preserveAspectRatio=\"none\">"
        svg += elements(along: "M0 7H\(maximum)", width: 14, gap: 3)
        svg += "</svg><svg class=\"gauge-marks\" width=\"100%\" height=\"14\" aria-hidden=\"true\">"
        for mark in level.scale.marks {
            let x = Self.number(mark.fraction * 100)
            svg += "<text x=\"\(x)%\" y=\"11\">\(CoffeeFormatter.number(mark.milligrams)) \(mark.colour.word)</text>"
        }
        return HTML(markup: svg + "</svg>")
    }

    /// The gauge in words.
    var label: String {
        CoffeeWords.gauge(
            level.number, of: CoffeeFormatter.amount(LevelScale.maximum), word: level.word,
            scale: level.scale.sentence)
    }

    /// Formats a number for a drawing, with at most two decimals.
    static func number(_ value: Double) -> String {
        CoffeeFormatter.trimmed((value * 100).rounded() / 100)
    }
}

extension LevelScale {
    /// The marks in words: `moderate from 200 mg, high from 400 mg`.
    var sentence: String {
        marks.map { CoffeeWords.mark($0.colour.word, from: CoffeeFormatter.amount($0.milligrams)) }
            .joined(separator: ", ")
    }
}

extension CaffeineColour {
    /// The class of the site's badge with this colour.
    var badge: String {
        switch self {
        case .green: "good"
        case .yellow: "busy"
        case .red: "bad"
        }
    }
}
