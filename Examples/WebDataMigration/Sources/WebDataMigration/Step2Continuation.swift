import Foundation

/// The article's async version: one web view, and one stored continuation.
@MainActor final class ContinuationWebDataManager: NavigationDelegate {
    // Unsafe, because a checked continuation would report the leak on standard error.
    private var continuation: UnsafeContinuation<Void, any Error>?
    let webView = WebView()

    init() {
        webView.navigationDelegate = self
    }

    /// Loads a page and makes its data.
    func createData(address: String, type: DataType) async throws -> Data {
        try await load(address)
        return try await withCheckedThrowingContinuation { continuation in
            webView.createData(type) { continuation.resume(with: $0) }
        }
    }

    private func load(_ address: String) async throws {
        try await withUnsafeThrowingContinuation { continuation in
            // A second call before the first one ends replaces this: the first task waits forever.
            self.continuation = continuation
            webView.load(address)
        }
    }

    func webViewDidFinish(_ webView: WebView) {
        continuation?.resume()
        continuation = nil
    }

    func webView(_ webView: WebView, didFail error: any Error) {
        continuation?.resume(throwing: error)
        continuation = nil
    }
}
