import CoffeeTrackerModel
import Foundation
import Site

// The page that shows each complication.

extension CoffeeTemplates {
    /// The page of the complications.
    ///
    /// - Parameters:
    ///   - view: What it shows.
    ///   - notice: A message for every visitor.
    /// - Returns: The HTML.
    func complications(_ view: CoffeeView, notice: String?) -> HTML {
        let entry = view.complicationEntry
        var values = Self.head(.settings, notice: notice)
        values["version"] = view.version
        values["gauge"] = GaugeDrawing(level: entry.level).bar
        values["amount"] = entry.level.amount
        values["word"] = entry.level.word
        values["badge"] = entry.level.colour.badge
        values["scale"] = "The level is \(entry.level.scale.sentence)."
        values["expires"] = view.words.when(entry.expires)
        values["families"] = Complication.Family.allCases.map { family -> [String: Any] in
            let path = "\(CoffeePages.complicationsPath)/\(family.rawValue)"
            let complication = Complication(family, showing: entry)
            let drawing = ComplicationSVG(complication: complication)
            let version = EntityTag(of: Array(drawing.text.utf8)).digits
            return [
                "name": family.rawValue, "title": family.title, "label": complication.label,
                "picture": Link("\(path).svg?v=\(version)"), "svg": Link("\(path).svg"), "json": Link("\(path).json"),
                "width": GaugeDrawing.number(drawing.size.width), "height": GaugeDrawing.number(drawing.size.height),
            ]
        }
        return render("complications", values)
    }
}

extension Complication.Family {
    /// The name as words: `Graphic circular`.
    fileprivate var title: String {
        let words = rawValue.reduce(into: "") { words, character in
            words += character.isUppercase ? " \(character.lowercased())" : "\(character)"
        }
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
