import BrowserDriver
import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Persistence
import Testing

@testable import OfflineLibraryWeb

/// Tests that the list's times are in the reader's time zone and format.
@Suite(.timeLimit(.minutes(20))) struct ReaderZoneTests {
    @Test func timeOfANewPageHasTheReadersZoneAndFormat() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await BrowserTab.run { tab in
                try await tab.prefer(language: "en-US", zone: "Asia/Tokyo")
                try await tab.open(server.url("/library/"))
                _ = try await server.libraries.use(.local) {
                    try await $0.library.save("https://page.example/", formats: [.png])
                }
                // Before AM and PM, Intl writes a narrow no-break space, and the page an ordinary one.
                try await tab.wait(
                    until: """
                        (() => {
                            const time = document.querySelector('main time');
                            const clock = { hour: 'numeric', minute: '2-digit' };
                            const text = new Date(time.dateTime).toLocaleTimeString('en-US', clock);
                            return time.textContent.endsWith(text.replace(/\\s/g, ' '));
                        })()
                        """)
                let complaints = await tab.takeComplaints()
                #expect(complaints == [])
            }
        }
    }
}
