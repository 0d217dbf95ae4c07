import CoffeeTrackerModel
import Foundation
import Markup
import Site

/// Draws a complication as SVG, in light and dark colours.
struct ComplicationSVG: Sendable, Equatable {
    let complication: Complication

    /// The layouts that the families share.
    private enum Layout {
        /// A number and its unit inside an open ring.
        case ring
        /// A ring with a line of text below it.
        case ringAndLine
        /// One line of text with a bar below it.
        case line
        /// A title and lines of text with a bar below them.
        case lines(size: Double)
        /// A text across a corner with an arc along it.
        case corner
    }

    /// The layout, and the size of the drawing in CSS pixels.
    private var layoutAndSize: (layout: Layout, width: Double, height: Double) {
        switch complication.family {
        case .modularSmall: (.ring, 64, 64)
        case .utilitarianSmall, .circularSmall: (.ring, 56, 56)
        case .extraLarge: (.ring, 180, 180)
        case .graphicExtraLarge: (.ring, 200, 200)
        case .graphicCircular: (.ring, 84, 84)
        case .graphicCorner: (.corner, 100, 100)
        case .graphicBezel: (.ringAndLine, 220, 136)
        case .utilitarianSmallFlat: (.line, 110, 34)
        case .utilitarianLarge: (.line, 220, 34)
        case .modularLarge: (.lines(size: 16), 220, 100)
        case .graphicRectangular: (.lines(size: 19), 220, 84)
        }
    }
}

extension ComplicationSVG {
    private static let fonts = "system-ui, 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', sans-serif"
    /// A cup with its handle, in a box of 20 by 20 units.
    private static let cup = "M2 5h13v6a5 5 0 0 1-5 5H7a5 5 0 0 1-5-5zM15 7h1.5a2.5 2.5 0 0 1 0 5H15"
    /// The average width of a digit or letter in these fonts, relative to the font size.
    private static let letterWidth = 0.66

    /// The document: an `<svg>` element with its own style sheet, because a page's style sheets don't apply inside an image.
    var document: String {
        markup(with: "<style>\(String(decoding: PackageResources.gauge_css, as: UTF8.self))</style>")
    }

    /// The drawing for a page that loads `gauge.css`, which has the colours.
    var html: HTML { HTML(markup: markup(with: "")) }

    private func markup(with styles: String) -> String {
        let (layout, width, height) = layoutAndSize
        let box: (width: Double, height: Double) =
            switch layout {
            case .ring, .corner: (100, 100)
            case .ringAndLine, .line, .lines: (width, height)
            }
        var svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(number(width))\" height=\"\(number(height))\""
        svg += " viewBox=\"0 0 \(number(box.width)) \(number(box.height))\" role=\"img\">"
        svg += "<title>\(Markup.xml(complication.label))</title>"
        svg += "\(styles)<g font-family=\"\(Self.fonts)\" font-weight=\"600\">"
        switch layout {
        case .ring: svg += ring(centre: (50, 52))
        case .ringAndLine:
            svg += ring(centre: (width / 2, 50))
            svg += line(.body, at: (width / 2, 124), size: 15, room: width - 8, anchor: "middle")
        case .line:
            svg += cup(at: (2, 1))
            svg += line(.body, at: (26, 18), size: 15, room: width - 28)
            svg += bar(y: 29, from: 2, to: width - 2, width: 6)
        case .lines(let size): svg += lines(size: size, width: width, height: height)
        case .corner: svg += corner()
        }
        return svg + "</g></svg>"
    }

    private func ring(centre: (x: Double, y: Double)) -> String {
        let number = line(.center, at: (centre.x, centre.y + 9), size: 30, room: 64, anchor: "middle")
        let unit = line(.bottom, at: (centre.x, centre.y + 39), size: 17, room: 40, anchor: "middle")
        return arc(centre: centre, radius: 42, from: 135, to: 405, width: 9, gap: 6) + number + unit
    }

    private func lines(size: Double, width: Double, height: Double) -> String {
        var svg = cup(at: (2, 2)) + line(.header, at: (26, 18), size: 15, room: width - 28)
        for (index, text) in complication.texts.filter({ $0.role == .body }).enumerated() {
            svg += element(of: text, at: (4, 24 + (size + 5) * Double(index + 1)), size: size, room: width - 8)
        }
        return svg + bar(y: height - 8, from: 2, to: width - 2, width: 9)
    }

    /// A gauge and texts for the upper left corner of a watch's screen; the gauge's centre is at the lower right.
    private func corner() -> String {
        arc(centre: (104, 104), radius: 72, from: 192, to: 258, width: 9, gap: 12)
            + line(.outer, at: (38, 38), size: 17, room: 66, anchor: "middle", turn: -45)
            + line(.leading, at: (43, 95), size: 12, room: 30)
            + line(.trailing, at: (99, 54), size: 12, room: 30, anchor: "end")
    }
}

// MARK: - Elements

extension ComplicationSVG {
    private func bar(y: Double, from start: Double, to end: Double, width: Double) -> String {
        GaugeDrawing(level: complication.level).elements(
            along: "M\(number(start)) \(number(y))H\(number(end))", width: width,
            gap: 2 * LevelScale.maximum / (end - start))
    }

    /// A gauge along an arc, clockwise between two angles in degrees; 0 is to the right.
    private func arc(
        centre: (x: Double, y: Double), radius: Double, from start: Double, to end: Double, width: Double, gap: Double
    ) -> String {
        func point(_ degrees: Double) -> String {
            let angle = degrees * .pi / 180
            return "\(number(centre.x + radius * cos(angle))) \(number(centre.y + radius * sin(angle)))"
        }
        let largeArcFlag = end - start > 180 ? 1 : 0
        let line = "M\(point(start))A\(number(radius)) \(number(radius)) 0 \(largeArcFlag) 1 \(point(end))"
        return GaugeDrawing(level: complication.level).elements(along: line, width: width, gap: gap)
    }

    private func cup(at place: (x: Double, y: Double)) -> String {
        "<path class=\"gauge-cup\" d=\"\(Self.cup)\" transform=\"translate(\(number(place.x)) \(number(place.y)))\"/>"
    }

    /// The first text with a role; empty if the complication has none.
    private func line(
        _ role: Complication.Text.Role, at place: (x: Double, y: Double), size: Double, room: Double,
        anchor: String = "start", turn: Double? = nil
    ) -> String {
        complication.texts.first { $0.role == role }.map {
            element(of: $0, at: place, size: size, room: room, anchor: anchor, turn: turn)
        } ?? ""
    }

    /// A text, or its shorter form if it is too wide; the font shrinks if that is too wide as well.
    private func element(
        of text: Complication.Text, at place: (x: Double, y: Double), size: Double, room: Double,
        anchor: String = "start", turn: Double? = nil
    ) -> String {
        func width(_ text: String) -> Double { Double(text.count) * size * Self.letterWidth }
        let shown = width(text.text) > room ? text.short ?? text.text : text.text
        let size = width(shown) > room ? size * room / width(shown) : size
        let colour = text.colour.map { " \($0.rawValue)" } ?? ""
        var svg = "<text class=\"gauge-text\(colour)\" x=\"\(number(place.x))\" y=\"\(number(place.y))\""
        svg += " font-size=\"\(number(size))\" text-anchor=\"\(anchor)\""
        if let turn { svg += " transform=\"rotate(\(number(turn)) \(number(place.x)) \(number(place.y)))\"" }
        return svg + ">\(Markup.xml(shown))</text>"
    }

    private func number(_ value: Double) -> String { GaugeDrawing.number(value) }
}
