import BrowserDriver
import EmojiArtModel
import Foundation
import Testing

@testable import EmojiArtWeb

/// Tests that the list's times are in the reader's time zone, which the browser tells the server.
@Suite(.timeLimit(.minutes(20))) struct ReaderZoneTests {
    /// Whether the board's time has the German format, and is in the browser's time zone.
    private static let isLocal = """
        (() => {
            const time = document.querySelector('#board-b time');
            const clock = { hour: '2-digit', minute: '2-digit' };
            return time.textContent.endsWith(new Date(time.dateTime).toLocaleTimeString('de-DE', clock));
        })()
        """

    @Test func timesAreInTheZoneOfTheBrowserAlsoAfterAnUpdate() async throws {
        try await PagesServer.run(usesRealTime: true) { server in
            let board = try await server.createBoard("b", named: "Beach", emojis: 2)
            try await BrowserTab.run { tab in
                try await tab.prefer(language: "de-DE", zone: "Asia/Tokyo")
                try await tab.open(try server.url("/art/"))
                // Only the first page of a browser was made before the server knew the zone.
                try await tab.wait(until: Self.isLocal)
                try await server.addEmoji(to: board.id)
                try await tab.wait(
                    until: "document.querySelector('#board-b').innerText.includes('3 emoji') && \(Self.isLocal)")
                try await tab.open(try server.url("/art/"))
                let zone = try await tab.evaluate("document.documentElement.dataset.zone", as: String.self)
                #expect(zone == "Asia/Tokyo")
                let isLocal = try await tab.evaluate(Self.isLocal, as: Bool.self)
                #expect(isLocal)
                let complaints = await tab.takeComplaints()
                #expect(complaints == [])
            }
        }
    }

    @Test func timesHaveTheReadersFormatWithoutScripts() async throws {
        try await PagesServer.run { server in
            try await server.createBoard("b", named: "Beach")
            try await BrowserTab.run { tab in
                try await tab.setRunsScripts(false)
                try await tab.prefer(language: "de-DE", zone: "Asia/Tokyo")
                try await tab.open(try server.url("/art/"))
                let time = try await tab.text("#board-b time")
                let isGerman = time.wholeMatch(of: /[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}, [0-9]{2}:[0-9]{2}/) != nil
                #expect(isGerman, "\(time)")
            }
        }
    }
}
