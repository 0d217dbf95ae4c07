import BrowserDriver
import Foundation
import Testing

/// Tests clicking in live pages, whose controls move when updates arrive.
@Suite struct MovingControlTests {
    /// A page that moves its button down and puts another one in its place at the first press of the pointer.
    private static func page() throws -> URL {
        let markup = """
            <body style="margin: 0">
            <button id="other" style="display: none; height: 80px">Other</button>
            <button id="wanted" style="display: block; height: 80px">Wanted</button>
            <script>
            const clicked = [];
            for (const button of document.querySelectorAll("button")) button.onclick = () => clicked.push(button.id);
            addEventListener("pointerdown", () => other.style.display = "block");
            </script>
            """
        return try #require(URL(string: "data:text/html;base64," + Data(markup.utf8).base64EncodedString()))
    }

    @Test func clickReachesOnlyTheMovingControl() async throws {
        try await BrowserTab.run { tab in
            try await tab.open(Self.page())
            try await tab.click("#wanted")
            #expect(try await tab.evaluate("other.offsetHeight", as: Int.self) == 80)
            #expect(try await tab.evaluate("clicked.join()", as: String.self) == "wanted")
        }
    }

    @Test func disabledControlIgnoresClicks() async throws {
        try await BrowserTab.run { tab in
            try await tab.open(Self.page())
            _ = try await tab.evaluate("wanted.disabled = true", as: Bool.self)
            try await tab.click("#wanted")
            #expect(try await tab.evaluate("clicked.length", as: Int.self) == 0)
        }
    }
}
