import CoffeeTrackerModel
import Site

/// The page with all complications.
struct ComplicationsView: PageView {
    static let template = "complications"
    var pageTitle: String { CoffeeWords.complications }

    struct Family: Sendable {
        let name, title: String
        let drawing: HTML
        let svg, json: Link

        init(_ family: Complication.Family, _ entry: ComplicationEntry) {
            let path = "\(CoffeePages.complicationsPath)/\(family.rawValue)"
            name = family.rawValue
            title = name.asWords
            drawing = ComplicationSVG(complication: Complication(family, showing: entry)).html
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
