import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The gauge of a page or picture, parsed from its paths.
struct DrawnGauge: Equatable {
    /// A part of a gauge, in milligrams.
    struct Part: Equatable {
        var colour: String
        var start: Double
        var end: Double
    }

    var zones: [Part] = []
    var fills: [Part] = []

    /// Reads all paths of a page or picture with one gauge.
    init(in markup: String) {
        let pattern = /<path class="gauge-(zone|fill) (\w+)" [^>]*dasharray="0 ([0-9.]+) ([0-9.]+) 1000"/
        for path in markup.matches(of: pattern) {
            let start = Double(path.output.3) ?? .nan
            let part = Part(
                colour: String(path.output.2), start: start, end: start + (Double(path.output.4) ?? .nan))
            if path.output.1 == "zone" { zones.append(part) } else { fills.append(part) }
        }
    }

    /// The gaps between zones, where the marks are.
    var marks: [ClosedRange<Double>] {
        zip(zones, zones.dropFirst()).compactMap { $0.end <= $1.start ? $0.end...$1.start : nil }
    }

    /// The end of the fill; zero if there is none.
    var filled: Double { fills.map(\.end).max() ?? 0 }
}

/// The elements of an XML document, in order.
final class XMLElements: NSObject, XMLParserDelegate {
    struct Element: Equatable {
        var name: String
        var attributes: [String: String]
        var text = ""
    }

    private(set) var elements: [Element] = []
    private var path: [Int] = []

    /// Parses a document; `nil` if it isn't well-formed.
    static func parse(_ text: String) -> [Element]? {
        let reader = XMLElements()
        let parser = XMLParser(data: Data(text.utf8))
        parser.delegate = reader
        return parser.parse() ? reader.elements : nil
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        path.append(elements.count)
        elements.append(Element(name: name, attributes: attributes))
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if let index = path.last { elements[index].text += text }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        path.removeLast()
    }
}
