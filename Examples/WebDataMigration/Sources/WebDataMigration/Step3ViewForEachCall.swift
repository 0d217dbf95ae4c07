import Foundation

/// Uses a new web view for each call, whose load stops if the call's task is cancelled.
@MainActor final class WebDataManager {
    /// Loads a page and makes its data: one load for each call.
    ///
    /// - Throws: The error of the load, or `CancellationError` if the task is cancelled before the page has loaded.
    func createData(address: String, type: DataType) async throws -> Data {
        let webView = WebView()
        try await Load(webView, address: address).run()
        return try await withCheckedThrowingContinuation { continuation in
            webView.createData(type) { continuation.resume(with: $0) }
        }
    }
}

/// One load of one web view, which ends once: by the page, by an error or by cancellation.
@MainActor private final class Load: NavigationDelegate {
    private let webView: WebView
    private let address: String
    private var continuation: CheckedContinuation<Void, any Error>?

    init(_ webView: WebView, address: String) {
        self.webView = webView
        self.address = address
        webView.navigationDelegate = self
    }

    func run() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                self.continuation = continuation
                webView.load(address)
            }
        } onCancel: {
            Task { @MainActor in
                guard continuation != nil else { return }
                webView.stopLoading(of: address)
                end(.failure(CancellationError()))
            }
        }
    }

    private func end(_ result: Result<Void, any Error>) {
        continuation?.resume(with: result)
        continuation = nil
    }

    func webViewDidFinish(_ webView: WebView) { end(.success(())) }

    func webView(_ webView: WebView, didFail error: any Error) { end(.failure(error)) }
}
