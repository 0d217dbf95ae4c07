import CoffeeTrackerModel
import Markup
import Site

/// Draws the gauge of a level along any line: the bar of the first page, and the bars and arcs of the complications.
///
/// Everything is a stroke of one path, in which the gauge's length counts as ``LevelScale/maximum``. `gauge.css` has the colours.
struct GaugeDrawing: Sendable, Equatable {
    let level: LevelState

    /// The elements of the gauge: its zones, each in a pale colour of its own, then the fill, with a gap at each mark.
    ///
    /// - Parameters:
    ///   - line: The path's commands, from the gauge's lower end to its upper one.
    ///   - width: How wide the stroke is, in the drawing's units.
    ///   - gap: How wide a gap is, in milligrams.
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

    /// The gauge as a page has it: a bar as wide as its place, with the amount of each mark below it.
    var bar: HTML {
        let maximum = Self.number(LevelScale.maximum)
        var svg = "<svg class=\"gauge\" width=\"100%\" height=\"14\" role=\"img\" aria-label=\"\(Markup.html(label))\""
        svg += " viewBox=\"0 0 \(maximum) 14\" preserveAspectRatio=\"none\">"
        svg += elements(along: "M0 7H\(maximum)", width: 14, gap: 3)
        svg += "</svg><svg class=\"gauge-marks\" width=\"100%\" height=\"14\" aria-hidden=\"true\">"
        for mark in level.scale.marks {
            let x = Self.number(mark.fraction * 100)
            svg += "<text x=\"\(x)%\" y=\"11\">\(CoffeeWords.number(mark.milligrams))</text>"
        }
        return HTML(markup: svg + "</svg>")
    }

    /// The gauge in words.
    var label: String {
        "\(level.number) of \(CoffeeWords.amount(LevelScale.maximum)), \(level.word); \(level.scale.sentence)"
    }

    /// A number of a drawing, with two digits after the point at most.
    static func number(_ value: Double) -> String {
        CoffeeWords.trimmed((value * 100).rounded() / 100)
    }
}

extension LevelScale {
    /// The marks in words: `moderate from 200 mg, high from 400 mg`.
    var sentence: String {
        marks.map { "\($0.colour.word) from \(CoffeeWords.amount($0.milligrams))" }.joined(separator: ", ")
    }
}

extension CaffeineColour {
    /// The class of the site's badges that has this colour.
    var badge: String {
        switch self {
        case .green: "good"
        case .yellow: "busy"
        case .red: "bad"
        }
    }
}
