import BrowserDriver
import CoffeeTrackerModel
import Foundation
import ModelJSON
import SeededChance
import Testing

@testable import CoffeeTrackerWeb

/// Tests the app in a real browser whose server has been stopped.
@Suite(.timeLimit(.minutes(20))) struct OfflineBrowserTests {
    private static let drinks = "document.querySelectorAll('#drinks .item').length"
    private static let status = "document.querySelector('#state')?.dataset.kind"
    private static let waiting =
        "Object.keys(localStorage).filter((key) => key.startsWith('meanwhile.coffee.outbox/')).length"

    /// Opens the first page, and waits until the browser could open it without the server.
    private static func prepare(_ tab: BrowserTab, for server: CoffeeServer) async throws {
        try await tab.open(server.url("/coffee/"))
        let script = "navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller !== null)"
        _ = try await tab.evaluate(script, as: Bool.self)
        try await tab.wait(until: "navigator.serviceWorker.controller")
    }

    @Test func stoppedServersAppShowsTheLevelAndSendsADrinkOnce() async throws {
        try await CoffeeServer.runRestartable { server, restart in
            try await server.drink("espresso", hoursAgo: 1)
            try await BrowserTab.run { tab in
                try await Self.prepare(tab, for: server)
                try await server.stop()
                try await tab.open(server.url("/coffee/"))
                try await tab.wait(until: "Number(document.querySelector('#now .level strong')?.innerText) > 0")
                try await tab.wait(until: "document.querySelectorAll('#now .gauge, #chart .line').length === 2")
                try await tab.wait(until: "document.querySelectorAll('#answer-list li').length === 3")
                try await tab.wait(until: "document.querySelectorAll('#latest li').length > 0 && \(Self.drinks) === 1")
                let before = try await tab.text("#now")
                try await tab.click("#log .drink")
                try await tab.wait(until: "\(Self.drinks) === 2 && \(Self.status) === 'offline'")
                let after = try await tab.text("#now")
                #expect(after != before)
                // The browser ends the page, and opens the app again at another of its pages.
                try await tab.open(server.url("/coffee/history"))
                try await tab.wait(until: "\(Self.drinks) === 2 && \(Self.waiting) === 1")
                let next = try await restart()
                try await tab.wait(until: "\(Self.status) === 'saved' && \(Self.waiting) === 0")
                let stored = try await next.use { $0.drinks.count }
                #expect(stored == 2)
                try await tab.wait(until: "document.querySelector('#state a')")
                try await tab.click("#state a")
                try await tab.wait(until: "document.querySelector('#quick-form') && \(Self.drinks) === 2")
                try await next.stop()
            }
        }
    }

    @Test func firstPageSendsDrinksThatWaited() async throws {
        try await CoffeeServer.runRestartable { server, restart in
            try await BrowserTab.run { tab in
                try await Self.prepare(tab, for: server)
                try await server.stop()
                try await tab.open(server.url("/coffee/"))
                try await tab.click("#log .drink")
                try await tab.wait(until: "\(Self.drinks) === 1 && \(Self.waiting) === 1")
                // The user deletes this drink before it is sent, and logs another one.
                try await tab.click("#drinks .item-actions > button")
                try await tab.wait(until: "document.querySelectorAll('#drinks .badge').length === 0")
                try await tab.click("#log .drink")
                try await tab.wait(until: "document.querySelectorAll('#drinks .badge').length === 1")
                try await tab.open(try #require(URL(string: "about:blank")))
                let next = try await restart()
                try await tab.open(next.url("/coffee/"))
                try await tab.wait(until: "document.querySelector('#quick-form') && \(Self.drinks) === 1")
                try await tab.wait(until: "\(Self.waiting) === 0 && document.querySelector('#waiting').hidden")
                let stored = try await next.use { $0.drinks.count }
                #expect(stored == 1)
                try await next.stop()
            }
        }
    }

    @Test func drinkWhoseAnswerIsLostIsSentAgainAndStoredOnce() async throws {
        try await CoffeeServer.runNow { server in
            try await BrowserTab.run { tab in
                // The server receives the first request; its answer doesn't arrive.
                try await tab.runBeforePages(
                    """
                    const real = window.fetch;
                    window.posts = 0;
                    window.fetch = async (address, options) => {
                        const response = await real(address, options);
                        if (options?.method !== "POST") return response;
                        window.posts += 1;
                        if (window.posts === 1) throw new TypeError("lost");
                        return response;
                    };
                    """)
                try await tab.open(server.url("/coffee/offline"))
                // The server's clock stands still, and it accepts no drink of the future.
                try await tab.wait(until: "document.querySelector('#minutes-ago')")
                let script = "document.querySelector('#minutes-ago').value = '60'; true"
                _ = try await tab.evaluate(script, as: Bool.self)
                try await tab.click("#log .drink")
                try await tab.wait(until: "window.posts === 2 && \(Self.status) === 'saved' && \(Self.waiting) === 0")
                let stored = try await server.use { $0.drinks.count }
                #expect(stored == 1)
            }
        }
    }

    @Test func changedAmountIsStored() async throws {
        try await CoffeeServer.runNow { server in
            try await server.drink("espresso", hoursAgo: 1)
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/offline"))
                try await tab.wait(until: "\(Self.drinks) === 1")
                let field = "document.querySelector('#drinks input')"
                _ = try await tab.evaluate("\(field).value = '5000'; true", as: Bool.self)
                try await tab.click("#drinks form button")
                try await tab.wait(until: "document.querySelector('#state').innerText.includes('0 to 2000 mg')")
                _ = try await tab.evaluate("\(field).value = '55'; true", as: Bool.self)
                try await tab.click("#drinks form button")
                try await tab.wait(until: "document.querySelector('#drinks').innerText.includes('55 mg')")
                try await tab.wait(until: "\(Self.status) === 'saved' && \(Self.waiting) === 0")
                let stored = try await server.use { $0.drinks.map(\.milligrams) }
                #expect(stored == [55])
            }
        }
    }

    // MARK: - The same results as in the native module

    /// An input for the module: the settings and the drinks, and the time to calculate for.
    private struct Vector {
        var settings: JSON
        var drinks: JSON
        var time: Double
    }

    /// Random settings and drinks before a time.
    private static func vector(_ chance: inout SeededChance) -> Vector {
        let time = 1_795_354_500 + Double.random(in: -1e7...1e7, using: &chance).rounded()
        let drinks = (0..<Int.random(in: 0...8, using: &chance)).map { number in
            LoggedDrink(
                id: "00000000-0000-4000-8000-00000000000\(number)", name: "Coffee", emoji: "☕️",
                milligrams: Double.random(in: 0...400, using: &chance),
                start: time - Double.random(in: -3_600...90_000, using: &chance),
                sipping: Bool.random(using: &chance) ? Double.random(in: 0...7_200, using: &chance) : 0,
                timeZone: "Europe/Vienna"
            ).json
        }
        let settings = JSON.object([
            JSON.Member("halfLife", .number(Double.random(in: 1...24, using: &chance))),
            JSON.Member("usesSimpleDecay", .bool(Bool.random(using: &chance))),
            JSON.Member("threshold", .number(Double.random(in: 1...100, using: &chance))),
            JSON.Member("group", .object([JSON.Member("name", .string("adult"))])),
            JSON.Member("dayStart", .number(Double(Int.random(in: 0..<1440, using: &chance)))),
            JSON.Member("bedtime", .number(Double(Int.random(in: 0..<1440, using: &chance)))),
            JSON.Member("clock", .array([.array([.number(0), .number(3_600)])])),
        ])
        return Vector(settings: settings, drinks: .array(drinks), time: time)
    }

    @Test func browserComputesTheSameBitsAsTheNativeModule() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/offline"))
                _ = try await tab.evaluate(
                    """
                    (async () => {
                        const script = document.querySelector("script[src$='/coffee/offline.js']");
                        const files = script.src.split("/coffee/")[0];
                        const { instantiate } = await import(`${files}/site/bridge.js`);
                        window.vectorModel = await instantiate(`${files}/coffee/caffeine.wasm`);
                        return true;
                    })()
                    """, as: Bool.self)
                var chance = SeededChance(seed: 24)
                for number in 0..<200 {
                    let vector = Self.vector(&chance)
                    let revision = JSON.number(Double(number))
                    let arguments = JSON.array([vector.settings, vector.drinks, revision, .number(vector.time)])
                    let values = String(decoding: arguments.bytes, as: UTF8.self)
                    let text = try await tab.evaluate(
                        """
                        (() => {
                            const model = window.vectorModel;
                            const [settings, drinks, revision, time] = \(values);
                            model.open(settings, drinks, revision);
                            const answers = model.answers(time).value;
                            const latest = model.latestTimes([30, 90, 200], time).value;
                            const numbers = Array.from(model.curve(time - 86400, 900, 193).numbers);
                            return JSON.stringify([answers, latest, numbers]);
                        })()
                        """, as: String.self)
                    var module = CaffeineModule()
                    let time = JSON.number(vector.time)
                    _ = try module.call(.open, .array([vector.settings, vector.drinks, revision]))
                    let answers = try module.call(.answers, .array([time]))["value"]
                    let amounts = JSON.array([.number(30), .number(90), .number(200)])
                    let latest = try module.call(.latestTimes, .array([amounts, time]))["value"]
                    let start = JSON.number(vector.time - 86_400)
                    _ = try module.call(.curve, .array([start, .number(900), .number(193)]))
                    let numbers = module.numbers.map { JSON.number($0) }
                    let shown = try JSON(Array(text.utf8)).array ?? []
                    #expect(shown.count == 3)
                    #expect(shown.first == answers)
                    #expect(shown.dropFirst().first == latest)
                    #expect(shown.last == .array(numbers))
                }
            }
        }
    }
}
