import CoffeeTrackerModel
import Foundation
import Testing

@testable import CoffeeTrackerWeb

/// Tests that the level's number, colour, word and marks agree wherever the app shows them, at each level and in both models.
@Suite(.timeLimit(.minutes(10))) struct LevelConsistencyTests {
    static let levels: [Double] = [0, 150, 199, 200, 250, 299, 300, 399, 400, 449, 450, 480]
    private static let colours = ["green", "yellow", "red"]
    private static let words = ["low", "moderate", "high"]
    private static let badges = ["good", "busy", "bad"]

    /// What a place must show, derived from the thresholds alone.
    private struct Expected {
        let level: Double
        let marks: [Double]
        var index: Int { marks.filter { $0 <= level }.count }
        var number: String { String(Int(level)) }
        var colour: String { colours[index] }
        var word: String { words[index] }

        func check(_ gauge: DrawnGauge, _ place: String) {
            let place = Comment(rawValue: "\(level) mg, \(place)")
            #expect(gauge.zones.map(\.colour) == colours, place)
            #expect(gauge.marks.count == 2, place)
            for (gap, mark) in zip(gauge.marks, marks) { #expect(gap.contains(mark), place) }
            #expect(gauge.fills.allSatisfy { $0.colour == colour }, place)
            #expect(gauge.fills.isEmpty == (level == 0), place)
            // If the level is at a mark, the fill ends where the mark's gap begins.
            let gap = gauge.marks.first { $0.contains(level) }
            #expect(gap.map { $0.lowerBound == gauge.filled } ?? (gauge.filled == level), place)
        }
    }

    private func run(
        isSimple: Bool, _ body: (CoffeeServer, Expected) async throws -> Void
    ) async throws {
        try await CoffeeServer.run { server in
            try await server.use { data in try await data.choose { $0.usesSimpleDecay = isSimple } }
            for level in Self.levels {
                let drink = try await server.drink(reachingLevel: level)
                try await body(server, Expected(level: level, marks: isSimple ? [300, 450] : [200, 400]))
                if let drink { try await server.use { try await $0.delete(drink) } }
            }
        }
    }

    @Test(arguments: [false, true]) func todayPageShowsTheExpectedLevel(isSimple: Bool) async throws {
        try await run(isSimple: isSimple) { server, expected in
            let page = try await server.get("/coffee/").text
            let place = Comment(rawValue: "\(expected.level) mg")
            #expect(page.contains("<p class=\"level \(expected.colour)\"><strong>\(expected.number)</strong>"), place)
            #expect(
                page.contains("<span class=\"badge \(Self.badges[expected.index])\">\(expected.word)</span>"), place)
            expected.check(DrawnGauge(in: page), "today")
            for (mark, word) in zip(expected.marks, Self.words.dropFirst()) {
                #expect(page.contains("<text x=\"\(Int(mark / 5))%\" y=\"11\">\(Int(mark)) \(word)</text>"), place)
            }
            let sentence = "moderate from \(Int(expected.marks[0])) mg, high from \(Int(expected.marks[1])) mg"
            #expect(page.contains("aria-label=\"\(expected.number) of 500 mg, \(expected.word); \(sentence)\""), place)
            // The chart.
            #expect(page.contains("class=\"here \(expected.colour)\""), place)
            #expect(page.contains(">\(expected.number) mg now, \(expected.word), at 14:35."), place)
            let ceiling = try #require(page.firstMatch(of: /data-ceiling="([0-9.]+)"/).flatMap { Double($0.output.1) })
            for (mark, colour) in zip(expected.marks, ["yellow", "red"]) {
                let word = mark == expected.marks[0] ? "Moderate" : "High"
                #expect(page.contains("<g class=\"stop \(colour)\"") == (mark <= ceiling), place)
                #expect(page.contains("<span>\(word) from \(Int(mark)) mg</span>") == (mark <= ceiling), place)
            }
        }
    }

    @Test(arguments: [false, true]) func pictureAndJSONOfEachFamilyShowTheExpectedLevel(isSimple: Bool) async throws {
        struct Report: Decodable {
            struct Level: Decodable { var milligrams: Double, text: String, colour: String, word: String }
            struct Stop: Decodable { var colour: String, milligrams: Double, fraction: Double }
            struct Gauge: Decodable { var fraction: Double, colour: String, maximum: Double, stops: [Stop] }
            struct Text: Decodable { var role: String, text: String, short: String?, colour: String? }
            var version: Int, family: String, label: String, level: Level, gauge: Gauge, texts: [Text], expires: Date
        }
        try await run(isSimple: isSimple) { server, expected in
            for family in Complication.Family.allCases {
                let place = Comment(rawValue: "\(expected.level) mg, \(family)")
                let path = "/coffee/complications/\(family.rawValue)"
                let json = try await server.get("\(path).json")
                #expect(json.headers["content-type"] == "application/json")
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .iso8601
                let report = try decoder.decode(Report.self, from: Data(json.text.utf8))
                #expect(report.version == 1 && report.family == family.rawValue)
                #expect(report.level.milligrams == expected.level, place)
                #expect(report.level.text == "\(expected.number) mg", place)
                #expect(report.level.colour == expected.colour && report.level.word == expected.word, place)
                #expect(report.gauge.colour == expected.colour && report.gauge.maximum == 500, place)
                #expect(report.gauge.fraction == expected.level / 500, place)
                #expect(report.gauge.stops.map(\.colour) == Self.colours, place)
                #expect(report.gauge.stops.map(\.milligrams) == [0] + expected.marks, place)
                #expect(report.gauge.stops.map(\.fraction) == ([0] + expected.marks).map { $0 / 500 }, place)
                #expect(report.expires == CoffeeServer.afternoon + 300)

                let svg = try await server.get("\(path).svg")
                #expect(svg.headers["content-type"] == "image/svg+xml")
                let elements = try #require(XMLElements.parse(svg.text), place)
                #expect(elements.first?.name == "svg")
                expected.check(DrawnGauge(in: svg.text), family.rawValue)
                #expect(elements.first { $0.name == "title" }?.text == report.label, place)
                #expect(report.label.contains("\(expected.number) mg, \(expected.word)."), place)
                let texts = elements.filter { $0.name == "text" }
                #expect(texts.contains { $0.text.split(separator: " ").first == expected.number[...] }, place)
                let ends = Set(report.texts.filter { ["leading", "trailing"].contains($0.role) }.map(\.text))
                for text in texts where !ends.contains(text.text) {
                    let tint = text.attributes["class"]?.split(separator: " ").dropFirst().first
                    #expect(tint == nil || tint == expected.colour[...], place)
                }
            }
        }
    }

    @Test(arguments: [false, true]) func timelineAndOtherPagesShowTheExpectedLevel(isSimple: Bool) async throws {
        try await run(isSimple: isSimple) { server, expected in
            let place = Comment(rawValue: "\(expected.level) mg")
            let timeline = try await server.get("/coffee/timeline.json").text
            #expect(timeline.firstMatch(of: /"entries":\[\{"colour":"(\w+)"/)?.output.1 == expected.colour[...], place)
            let stops = timeline.matches(of: /"colour":"\w+","fraction":[0-9.]+,"milligrams":([0-9.]+)\}/).map(
                \.output.1)
            #expect(stops.compactMap { Double($0) } == [0] + expected.marks, place)
            let page = try await server.get("/coffee/complications").text
            let drawings = page.components(separatedBy: "<p class=\"face\">")
            #expect(drawings.count == 1 + Complication.Family.allCases.count, place)
            for drawing in drawings { expected.check(DrawnGauge(in: drawing), "complications") }
            let badge = "<span class=\"badge \(Self.badges[expected.index])\">\(expected.word)</span>"
            #expect(page.contains("\(expected.number) mg \(badge)"), place)
            let alternatives = page.matches(of: /<title>Caffeine: ([0-9]+) mg, (\w+)\./)
            #expect(alternatives.count == Complication.Family.allCases.count, place)
            #expect(
                alternatives.allSatisfy { $0.output.1 == expected.number[...] && $0.output.2 == expected.word[...] },
                place)
            let settings = try await server.get("/coffee/settings").text
            #expect(settings.contains("moderate from 200 mg, high from 400 mg"))
            #expect(settings.contains("moderate from 300 mg, high from 450 mg"))
        }
    }

    @Test func thresholdsAreNotHardCodedInResources() {
        let files = [
            PackageResources.now_mustache, PackageResources.chart_mustache, PackageResources.settings_mustache,
            PackageResources.complications_mustache, PackageResources.coffee_js, PackageResources.gauge_css,
        ]
        for file in files {
            let text = String(decoding: file, as: UTF8.self)
            #expect(!text.contains(/\b(200|300|400|450|500)\b/), "\(text.prefix(60))")
        }
    }
}

extension CoffeeServer {
    /// Logs a drink from an hour ago, such that the current level is a given one.
    ///
    /// - Parameter level: The level, in milligrams.
    /// - Returns: The drink; `nil` for a level of zero.
    /// - Throws: The error of the owner's data.
    func drink(reachingLevel level: Double) async throws -> Drink? {
        guard level > 0 else { return nil }
        return try await use { data in
            let start = data.now - 3600
            let one = Drink(id: UUID(), name: "", emoji: "", milligrams: 1, start: start, timeZone: "UTC")
            let share = data.settings.level.milligrams(at: data.now, of: one)
            let kind = DrinkKind(id: "test", name: "Coffee", emoji: "☕️", milligrams: level / share, origin: .own)
            return try await data.add(kind, at: start)
        }
    }
}
