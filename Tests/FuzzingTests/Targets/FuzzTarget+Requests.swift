import CoffeeTrackerModel
import Foundation
import FoundationXML
import Markup
import ModelJSON
import NIOHTTP1
import Site

@testable import CoffeeTrackerWeb
@testable import Egress
@testable import EmojiArtWeb

extension FuzzTarget {
    /// Forms and queries, `application/x-www-form-urlencoded`, and the use of their fields.
    static let forms = FuzzTarget(
        "forms",
        dictionary: [
            "kind=", "name=", "emoji=", "milligrams=", "millilitres=", "date=2026-03-14", "time=08:30", "sip=", "from=",
            "zone=Europe%2FBerlin", "dayStart=", "bedtime=", "threshold=", "halfLife=", "group=child", "weight=",
            "dailyLimit=", "size=large", "unit=oz", "clockFormat=12", "volumeUnit=oz", "decay=",
            "catalogue=", "shown[zone]=", "[", "]", "%5B", "%5D", "&", "+", "to=", "index=", "store=", "palette=", "q=",
            "1e308", "nan", "inf", "0x1p9", "999999999999",
        ]
    ) { data in
        let text = String(decoding: data, as: UTF8.self)
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let settings = CoffeeSettings()
        if let form = try? FormDecoder.form(DrinkForm.self, from: text) {
            for shown in [nil, now] { _ = try? form.start(shown: shown, now: now, settings: settings) }
            _ = try? form.sipping
            for shown in [nil, 60.0] { _ = try? form.volume(shown: shown) }
            _ = try? FormNumber.read(form.milligrams, "", field: "milligrams")
            _ = form.fields
        }
        if let form = try? FormDecoder.form(SettingsForm.self, from: text) {
            _ = try? form.applied(to: settings)
        }
        if let form = try? FormDecoder.form(PaletteForm.self, from: text),
            let place = try? PaletteForm.parseIndex(form.to)
        {
            try require((-1_000_000...1_000_000).contains(place), "\(place) is out of range for a position")
        }
        let query = PaletteQuery(text)
        try require(PaletteQuery(query.text) == query, "“\(query.text)” is not read back as it was written")
    }

    /// Changes of drinks from a page's outbox, as JSON.
    static let drinkChanges = FuzzTarget(
        "drink-changes", maximumLength: 4_096,
        dictionary: [
            "\"drink\":", "\"id\":", "\"name\":", "\"emoji\":", "\"milligrams\":", "\"millilitres\":", "\"start\":",
            "\"sipping\":", "\"timeZone\":", "\"isDeleted\":true", "\"replaced\":[", "1e308", "-1e12", "\\u2028",
            "00000000-0000-4000-8000-000000000001",
        ]
    ) { data in
        guard let json = try? JSON(Array(data)), let change = try? DrinkOutbox.Request(json) else { return }
        let read = try? DrinkOutbox.Request(change.json)
        try require(read == change, "\(change) is not read back as it was written")
        guard let drink = try? change.drink.checked(now: 1_790_000_000) else { return }
        let isPossible = (0...2_000).contains(drink.milligrams) && (0...43_200).contains(drink.sipping)
        try require(isPossible && drink.start >= 0 && drink.start <= 1_790_000_120, "\(drink) is accepted")
    }

    /// The proxy's parsing of a request head: a line with method and target, then header fields.
    static let proxyRequests = FuzzTarget(
        "proxy-requests", maximumLength: 2_048,
        dictionary: [
            "CONNECT ", "GET http://", "OPTIONS http://", "[::1]", ":80", "@", "%2e", "0x7f.1", "\u{ff11}", "/", "?",
            "#",
            "Host: ", "Content-Length: ", "Transfer-Encoding: chunked", "Connection: ", "Expect: 100-continue", "TE: ",
            "keep-alive, host", "10.0.0.0/8", "fd00::/8", "\\",
        ]
    ) { data in
        var input = InputReader(data)
        let first = input.line().split(separator: " ", maxSplits: 1).map(String.init)
        var headers = HTTPHeaders()
        for line in input.lines() {
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            // NIO never delivers a name that isn't ASCII, and traps if one is added.
            guard parts.count == 2, parts[0].utf8.allSatisfy({ $0 < 0x80 }) else { continue }
            headers.add(name: parts[0], value: parts[1].trimmingCharacters(in: .whitespaces))
        }
        let (method, target) = (first.first ?? "GET", first.last ?? "")
        for text in [method, target] { try checkAddresses(text) }
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: method), uri: target, headers: headers)
        guard let request = try? ProxyRequest(head) else { return }
        try require((1...65_535).contains(request.port), "the port is \(request.port)")
        let wrong: Set<Character> = ["/", "@", "?", "#", " ", "\\"]
        try require(!request.host.isEmpty, "the host is empty")
        // The proxy rejects any other host when it resolves the address.
        if let host = EgressHost(request.host) {
            try require(!"\(host)".contains(where: wrong.contains), "the host is \(request.host)")
        }
        guard case .forward(let forwarded) = request.kind else { return }
        try require(forwarded.uri == "*" || forwarded.uri.hasPrefix("/"), "\(forwarded.uri) is forwarded")
        try require(forwarded.headers["host"].count == 1, "several hosts are forwarded")
        for name in ["connection", "proxy-authorization", "te", "upgrade", "expect"] {
            try require(!forwarded.headers.contains(name: name), "\(name) is forwarded")
        }
        let encodings = forwarded.headers["transfer-encoding"]
        try require(encodings.isEmpty || encodings == ["chunked"], "\(encodings) are forwarded")
        try require(
            encodings.isEmpty || forwarded.headers["content-length"].isEmpty, "the end of the request is ambiguous")
    }

    /// Checks that hosts, rules and blocks survive a round trip.
    private static func checkAddresses(_ text: String) throws {
        if let host = EgressHost(text) {
            try require(EgressHost("\(host)") == host, "\(host) is not read back as it was written")
        }
        if let rules = try? AllowRule.list(text) {
            for rule in rules {
                try require((try? AllowRule("\(rule)")) == rule, "\(rule) is not read back as it was written")
            }
        }
        if let block = AddressBlock(text) {
            try require(
                block.contains(block.first) && block.contains(block.last),
                "\(block) does not contain its first and last address")
            try require(AddressBlock("\(block)") == block, "\(block) is not read back as it was written")
        }
    }

    /// Escapes text for HTML, XML and JSON in a script, and checks that parsers read the same text back.
    static let markup = FuzzTarget(
        "markup", maximumLength: 1_024,
        dictionary: ["<", ">", "&", "\"", "'", "</script", "<!--", "]]>", "\u{600}", "\u{301}", "\r\n", "\u{0}"]
    ) { data in
        let text = String(decoding: data, as: UTF8.self)
        let special = Set("<>\"'".utf8)
        let (html, xml) = (Markup.html(text), Markup.xml(text))
        for escaped in [html, xml] {
            try require(!escaped.utf8.contains(where: special.contains), "“\(escaped)” contains markup")
        }
        let reader = TextReader()
        let parser = XMLParser(data: Data("<a b=\"\(xml)\">\(xml)</a>".utf8))
        parser.delegate = reader
        try require(parser.parse(), "“\(xml)” is not XML")
        let expected = Array(text.unicodeScalars.filter(isXML))
        try require(Array(reader.text.unicodeScalars) == expected, "an element's text is read as “\(reader.text)”")
        try require(Array(reader.attribute.unicodeScalars) == expected, "an attribute is read as “\(reader.attribute)”")
        let json = try JSONEncoder().encode([text])
        let script = Markup.json(json)
        try require(!script.utf8.contains(where: Set("<>&".utf8).contains), "“\(script)” contains markup")
        let read = try JSONDecoder().decode([String].self, from: Data(script.utf8))
        try require(read.first.map { Array($0.utf8) } == Array(text.utf8), "“\(script)” is read as another text")
    }

    private static func isXML(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...: true
        default: false
        }
    }
}

/// Collects the text of an element and its attribute `b`.
private final class TextReader: NSObject, XMLParserDelegate {
    private(set) var text = ""
    private(set) var attribute = ""

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        attribute = attributes["b"] ?? ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        text += string
    }
}
