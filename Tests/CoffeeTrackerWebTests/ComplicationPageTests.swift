import BrowserDriver
import Foundation
import ServedSite
import Site
import StoreTesting
import Testing

@testable import CoffeeTrackerModel
@testable import CoffeeTrackerWeb

/// Tests how long clients may cache complications, what their page shows, and how they are escaped.
@Suite(.timeLimit(.minutes(10))) struct ComplicationPageTests {
    private static let paths = ["svg", "json"].map { "/coffee/complications/graphicCircular.\($0)" }

    @Test(arguments: paths) func cachedCopyExpiresAtTheNextTimelineEntry(path: String) async throws {
        try await CoffeeServer.run { server in
            for (seconds, age, expires) in [
                (0.0, 300, "13:40:00"), (1, 299, "13:40:00"), (299, 1, "13:40:00"), (299.5, 0, "13:40:00"),
                (300, 300, "13:45:00"),
            ] {
                server.time.set(CoffeeServer.afternoon + seconds)
                let answer = try await server.get(path)
                #expect(answer.headers["cache-control"] == "private, max-age=\(age), must-revalidate", "\(seconds) s")
                if path.hasSuffix("json") { #expect(answer.text.contains("\"expires\":\"2026-11-22T\(expires)Z\"")) }
            }
        }
    }

    @Test func cachedCopyExpiresWhenTheOwnersDayBegins() async throws {
        try await CoffeeServer.run { server in
            try await server.drink("espresso", hoursAgo: 1)
            try await server.use { data in try await data.choose { $0.dayStart = 14 * 60 + 37 } }
            let before = try await server.get("/coffee/complications/modularLarge.svg")
            #expect(before.headers["cache-control"] == "private, max-age=120, must-revalidate")
            #expect(before.text.contains(">0.8 cups<"))
            server.time.set(CoffeeServer.afternoon + 120)
            let after = try await server.get("/coffee/complications/modularLarge.svg")
            #expect(after.headers["cache-control"] == "private, max-age=180, must-revalidate")
            #expect(after.text.contains(">0 cups<"))
        }
    }

    @Test(arguments: paths) func unchangedComplicationReturnsNotModified(path: String) async throws {
        try await CoffeeServer.run { server in
            try await server.drink("espresso", hoursAgo: 1)
            let first = try await server.get(path)
            let tag = try #require(first.headers["etag"])
            let again = try await server.get(path, headers: ["If-None-Match": tag])
            #expect(again.status == 304 && again.text.isEmpty && again.headers["etag"] == tag)
            #expect(again.headers["cache-control"] == first.headers["cache-control"])
            // After a change, a client that revalidates gets the new picture at once.
            try await server.drink("espresso", hoursAgo: 1)
            let changed = try await server.get(path, headers: ["If-None-Match": tag])
            #expect(changed.status == 200 && changed.headers["etag"] != tag)
            let amount = try await server.use { $0.answers.level.number }
            #expect(changed.text.contains("\(amount) mg, low") && !first.text.contains("\(amount) mg, low"))
            // The same holds for another model of the same drinks.
            try await server.use { data in try await data.choose { $0.usesSimpleDecay = true } }
            let chosen = try await server.get(path, headers: ["If-None-Match": changed.headers["etag"] ?? ""])
            #expect(chosen.status == 200 && chosen.text != changed.text)
        }
    }

    @Test(arguments: ["modularsmall.svg", "graphicBezel2.json", "%2e%2e.svg", ".json", "graphicCircular.png", "x"])
    func anUnknownFamilyIsNotFound(name: String) async throws {
        try await CoffeeServer.run { server in
            let json = try await server.get(
                "/coffee/complications/\(name)", headers: ["Accept": "application/problem+json"])
            #expect(json.status == 404)
            #expect(json.headers["content-type"] == "application/problem+json")
            #expect(json.headers["cache-control"] == "no-store")
            let page = try await server.get("/coffee/complications/\(name)")
            #expect(page.status == 404 && page.text.contains("<h1"))
        }
        try await CoffeeServer.run { server in
            let problem = try await server.get("/coffee/complications/square.svg").text
            #expect(problem.contains("Unknown complication family") && problem.contains("graphicCircular"))
        }
    }

    @Test func hostileTextIsEscaped() throws {
        let hostile = HostileText.name + "]]>&amp;\u{0}\u{1}\u{FFFE}\r\n\t😀"
        // XML can't represent three of the scalars.
        let shown = HostileText.name + "]]>&amp;\r\n\t😀"
        let entry = ComplicationEntry(drinks: [], settings: CoffeeSettings(), at: CoffeeServer.afternoon)
        for family in Complication.Family.allCases {
            let texts = Complication(family, showing: entry).texts.map {
                Complication.Text($0.role, hostile, short: hostile, colour: $0.colour)
            }
            let complication = Complication(family: family, level: entry.level, texts: texts, label: hostile)
            let drawing = ComplicationSVG(complication: complication)
            let svg = drawing.document
            let elements = try #require(XMLElements.parse(svg), "\(family)")
            #expect(Set(elements.map(\.name)).isSubset(of: ["svg", "title", "style", "g", "path", "text"]))
            let drawn = elements.filter { $0.name == "text" || $0.name == "title" }
            #expect(drawn.count == texts.count + 1, "\(family)")
            #expect(drawn.allSatisfy { $0.text.unicodeScalars.elementsEqual(shown.unicodeScalars) }, "\(family)")
            #expect(HostileText.injections(in: svg).isEmpty)
            // A page has the same drawing, without the style sheet.
            let element = try #require(XMLElements.parse(drawing.html.markup), "\(family)")
            #expect(element == elements.filter { $0.name != "style" }, "\(family)")
            let json = try ComplicationDocument(complication, expires: entry.expires).json
            let read = try JSONSerialization.jsonObject(with: json) as? [String: Any]
            #expect((read?["label"] as? String)?.unicodeScalars.elementsEqual(hostile.unicodeScalars) == true)
        }
    }

    @Test(arguments: [Double.infinity, 1e308, 1e19, 123_456, .nan, -1])
    func impossibleLevelIsDrawnAsValidSVG(milligrams: Double) throws {
        let level = LevelState(milligrams: milligrams, scale: .simple)
        for family in Complication.Family.allCases {
            let texts = [Complication.Text(.center, level.number), .init(.body, level.amount)]
            let complication = Complication(family: family, level: level, texts: texts, label: level.amount)
            let svg = ComplicationSVG(complication: complication).document
            #expect(XMLElements.parse(svg) != nil)
            #expect(!svg.contains("nan") && !svg.contains("inf"))
            #expect(try !ComplicationDocument(complication, expires: .now).json.isEmpty)
        }
    }

    @Test(arguments: [360, 1280], BrowserTab.Colours.allCases)
    func complicationPageShowsEachFamilyWithoutScripts(width: Int, colours: BrowserTab.Colours) async throws {
        try await CoffeeServer.run { server in
            _ = try await server.drink(reachingLevel: 250)
            try await BrowserTab.run(width: width, height: 800, colours: colours) { tab in
                try await tab.setRunsScripts(false)
                try await tab.open(server.url("/coffee/settings"))
                try await tab.click("main a[href='/coffee/complications']")
                try await tab.wait(
                    until: "location.pathname === '/coffee/complications' && document.readyState === 'complete'")
                let names = try await tab.evaluate(
                    "[...document.querySelectorAll('.complications > li')].map(item => item.dataset.key)",
                    as: [String].self)
                #expect(names == Complication.Family.allCases.map(\.rawValue))
                // Each is an inline drawing in the colours of the scheme, not a picture to load.
                let drawn = try await tab.evaluate(
                    """
                    [...document.querySelectorAll('.complications .face > svg')].filter(svg =>
                        svg.getBoundingClientRect().width >= 50 && svg.querySelector('title').textContent
                        && !['rgb(0, 0, 0)', 'none'].includes(getComputedStyle(svg.querySelector('text')).fill)).length
                    """, as: Int.self)
                #expect(drawn == 12)
                #expect(try await tab.evaluate("document.images.length", as: Int.self) == 0)
                let links = try await tab.evaluate(
                    "[...document.querySelectorAll('.complications a')].map(a => a.getAttribute('href'))",
                    as: [String].self)
                #expect(
                    links == names.flatMap { ["/coffee/complications/\($0).svg", "/coffee/complications/\($0).json"] })
                for link in links { #expect(try await server.get(link).status == 200) }
                #expect(
                    try await tab.evaluate(
                        "document.documentElement.scrollWidth <= document.documentElement.clientWidth", as: Bool.self))
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test func complicationPageUpdatesAfterChanges() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/complications"))
                let titles = "[...document.querySelectorAll('.face title')].map(title => title.textContent)"
                let shows: (String) -> String = { text in
                    "\(titles).length === 12 && \(titles).every(title => title.startsWith('Caffeine: \(text)'))"
                }
                let first = "document.querySelector('.face').innerHTML"
                try await tab.wait(until: shows("0 mg, low"))
                let empty = try await tab.evaluate(first, as: String.self)
                let drink = try #require(try await server.drink(reachingLevel: 250))
                try await tab.wait(until: shows("250 mg, moderate"))
                #expect(try await tab.evaluate(first, as: String.self) != empty)
                try await server.use { try await $0.delete(drink) }
                try await tab.wait(until: shows("0 mg, low"))
                #expect(try await tab.evaluate(first, as: String.self) == empty)
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }
}
