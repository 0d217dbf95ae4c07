import Testing

@Suite(.timeLimit(.minutes(10))) struct RefusalTests {
    /// The manager of step 2 as the article first writes it, with the given declaration of `load`.
    private func manager(load declaration: String) -> String {
        """
        @testable import WebDataMigration
        final class WebDataManager {
            private var continuation: CheckedContinuation<Void, any Error>?
            private let webView: WebView

            init(_ webView: WebView) { self.webView = webView }

            \(declaration) {
                try await withCheckedThrowingContinuation { continuation in
                    self.continuation = continuation
                    webView.load(address)
                }
            }
        }
        """
    }

    /// Step 2: the web view belongs to the main actor, and `load` calls it; the article adds `@MainActor` for that.
    @Test func loadOffTheMainActorIsRefused() throws {
        let refused = try Compiler.verdict(on: manager(load: "func load(_ address: String) async throws"))
        #expect(!refused.isAccepted)
        #expect(
            refused.output.contains(
                "call to main actor-isolated instance method 'load' in a synchronous nonisolated context"),
            "\(refused.output)")
        let accepted = try Compiler.verdict(on: manager(load: "@MainActor func load(_ address: String) async throws"))
        #expect(accepted.isAccepted, "\(accepted.output)")
    }
}
