import EmojiArtModel
import Foundation
import Testing

@testable import EmojiArtWeb

/// Those who look at a board.
@Suite struct PresenceTests {
    private static func tab(_ number: Int) -> String { String(repeating: "0", count: 31) + "\(number)" }

    private static func report(
        _ tab: Int, at cursor: Presence.Cursor? = nil, name: String? = nil
    ) -> PresenceReport {
        PresenceReport(tab: Self.tab(tab), cursor: cursor, name: name)
    }

    @Test func tabsOfAPersonShareANumberUntilTheLastOneLeaves() throws {
        var presence = Presence()
        let firstJoin = presence.join(tab: Self.tab(1), person: "a", name: .known("anna"))
        let first = try #require(firstJoin)
        let secondJoin = presence.join(tab: Self.tab(2), person: "a", name: .known("anna"))
        let second = try #require(secondJoin)
        let guestJoin = presence.join(tab: Self.tab(3), person: "g", name: .guest)
        let guest = try #require(guestJoin)
        #expect(presence.entries.map(\.person) == [1, 1, 2])
        #expect(presence.entries.map(\.name) == ["anna", "anna", "Guest 2"])
        #expect(presence.entries.map(\.isGuest) == [false, false, true])
        presence.leave(tab: Self.tab(1), stream: first)
        #expect(presence.entries.map(\.person) == [1, 2])
        presence.leave(tab: Self.tab(2), stream: second)
        presence.leave(tab: Self.tab(3), stream: guest)
        #expect(presence.count == 0)
    }

    @Test func endOfAnEarlierStreamDoesNotRemoveAReconnectedTab() throws {
        var presence = Presence()
        let firstJoin = presence.join(tab: Self.tab(1), person: "a", name: .guest)
        let first = try #require(firstJoin)
        _ = presence.receive(Self.report(1, name: "Maria"), from: "a", at: .now)
        _ = presence.join(tab: Self.tab(1), person: "a", name: .guest)
        presence.leave(tab: Self.tab(1), stream: first)
        #expect(presence.entries.map(\.name) == ["Maria"])
    }

    @Test func anotherPersonCanNeitherMoveNorTakeOverATab() {
        var presence = Presence()
        _ = presence.join(tab: Self.tab(1), person: "a", name: .known("anna"))
        let taken = presence.join(tab: Self.tab(1), person: "g", name: .guest)
        #expect(taken == nil)
        let report = Self.report(1, at: Presence.Cursor(x: 1, y: 1), name: "anna")
        let moved = presence.receive(report, from: "g", at: .now)
        #expect(moved == .unknownTab)
        #expect(presence.entries.map(\.x) == [nil])
        // Nor can a person with an account choose another name.
        let renamed = presence.receive(Self.report(1, name: "bert"), from: "a", at: .now)
        #expect(renamed == .unchanged)
        #expect(presence.entries.map(\.name) == ["anna"])
    }

    @Test func tabsAndReportsAreLimited() {
        var presence = Presence()
        for number in 0..<Presence.maximumCount {
            _ = presence.join(tab: "tab \(number)", person: "g \(number)", name: .guest)
        }
        #expect(presence.count == Presence.maximumCount)
        let refused = presence.join(tab: "one more", person: "h", name: .guest)
        #expect(refused == nil)
        let time = ContinuousClock.now
        func outcome(_ count: Int, at time: ContinuousClock.Instant) -> [Presence.Outcome] {
            (0..<count).map { index in
                let cursor = Presence.Cursor(x: Double(index), y: 0)
                return presence.receive(
                    PresenceReport(tab: "tab 0", cursor: cursor, name: nil), from: "g 0", at: time)
            }
        }
        let (first, second) = (outcome(20, at: time), outcome(5, at: time))
        #expect(first.allSatisfy { $0 == .shown } && second.allSatisfy { $0 == .tooMany })
        let third = outcome(3, at: time + .milliseconds(120))
        #expect(third == [.shown, .shown, .tooMany])
        // A clock that goes back allows nothing more.
        let fourth = outcome(1, at: time - .seconds(60))
        #expect(fourth == [.tooMany])
    }

    @Test(
        arguments: [
            ("Maria", "Maria"), ("  a\n\tb  ", "a b"), ("\u{202E}gnirts\u{200B}", "gnirts"), ("\u{0}\u{7}", nil),
            ("", nil),
            ("<b>x</b>", "<b>x</b>"), (String(repeating: "n", count: 500), String(repeating: "n", count: 30)),
            ("e" + String(repeating: "\u{301}", count: 5_000), nil),
        ] as [(String, String?)])
    func namesBecomePlainTextOnOneLine(text: String, name: String?) {
        #expect(PresenceReport.name(text) == name)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"tab":"x"}"#, #"{"tab":1}"#, #"{"tab":"00000000000000000000000000000000","x":"1"}"#,
        #"{"tab":"00000000000000000000000000000000","x":1e999,"y":1}"#,
    ])
    func invalidReportsAreRefused(json: String) {
        #expect(PresenceReport(json: Data(json.utf8)) == nil)
    }

    @Test func cursorsFarAwayAreLeftOut() throws {
        let json = #"{"tab":"00000000000000000000000000000000","x":1e8,"y":0,"name":" Bo "}"#
        let report = try #require(PresenceReport(json: Data(json.utf8)))
        #expect(report.cursor == nil && report.name == "Bo")
    }
}
