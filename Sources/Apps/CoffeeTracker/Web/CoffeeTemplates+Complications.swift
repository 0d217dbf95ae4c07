import CoffeeTrackerModel
import Site

/// The page with all complications.
struct ComplicationsView: PageView {
    static let template = "complications"
    var pageTitle: String { CoffeeWords.complications }

    struct Family: Sendable {
        let name, title, label, width, height: String
        let picture, svg, json: Link

        init(_ family: Complication.Family, _ entry: ComplicationEntry) {
            let path = "\(CoffeePages.complicationsPath)/\(family.rawValue)"
            let complication = Complication(family, showing: entry)
            let drawing = ComplicationSVG(complication: complication)
            name = family.rawValue
            title = name.asWords
            label = complication.label
            width = GaugeDrawing.number(drawing.size.width)
            height = GaugeDrawing.number(drawing.size.height)
            picture = Link("\(path).svg?v=\(EntityTag(of: Array(drawing.document.utf8)).digits)")
            svg = Link("\(path).svg")
            json = Link("\(path).json")
        }
    }

    let head: PageHead
    let version, amount, word, badge, scale, expires: String
    let gauge: HTML
    let families: [Family]

    init(_ view: CoffeeView, head: PageHead) {
        let entry = view.complicationEntry
        self.head = head
        version = view.version
        amount = entry.level.amount
        word = entry.level.word
        badge = entry.level.colour.badge
        scale = entry.level.scale.sentence
        expires = view.formatter.when(entry.expires)
        gauge = GaugeDrawing(level: entry.level).bar
        families = Complication.Family.allCases.map { Family($0, entry) }
    }
}
