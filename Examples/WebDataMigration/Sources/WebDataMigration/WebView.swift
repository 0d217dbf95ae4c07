import Foundation

/// What a web view reports about its loads, as `WKNavigationDelegate` does.
@MainActor protocol NavigationDelegate: AnyObject {
    func webViewDidFinish(_ webView: WebView)
    func webView(_ webView: WebView, didFail error: any Error)
}

struct LoadError: Error, CustomStringConvertible {
    let address: String

    var description: String { "couldn't load \(address)" }
}

/// Stands in for `WKWebView`: loads a page after some turns of the main actor, and exports it with completion handlers.
@MainActor final class WebView {
    weak var navigationDelegate: (any NavigationDelegate)?
    private(set) var page = ""
    /// Owned by the view: `stopLoading(of:)` and the next `load(_:)` cancel it.
    private var loading: Task<Void, Never>?

    /// The addresses whose loads were stopped.
    static var stopped: [String] = []

    /// Begins to load a page, as `WKWebView.load(_:)` does: a load in progress is replaced.
    func load(_ address: String) {
        loading?.cancel()
        loading = Task {
            for _ in 0..<10 { await Task.yield() }
            if Task.isCancelled { return }
            if address.hasSuffix("/missing") {
                navigationDelegate?.webView(self, didFail: LoadError(address: address))
            } else {
                page = address
                navigationDelegate?.webViewDidFinish(self)
            }
        }
    }

    func stopLoading(of address: String) {
        loading?.cancel()
        Self.stopped.append(address)
    }

    /// Waits until the last load has ended and its callbacks have run.
    func waitUntilIdle() async {
        await loading?.value
        for _ in 0..<20 { await Task.yield() }
    }

    /// Exports the page as data, as `createPDF(configuration:completionHandler:)` does.
    func createData(_ type: DataType, completionHandler: @escaping @MainActor (Result<Data, any Error>) -> Void) {
        Task {
            await Task.yield()
            completionHandler(.success(Data("\(type.rawValue) of \(page)".utf8)))
        }
    }
}

enum DataType: String, CaseIterable {
    case snapshot = "Snapshot"
    case pdf = "PDF"
    case webArchive = "Web Archive"
}
