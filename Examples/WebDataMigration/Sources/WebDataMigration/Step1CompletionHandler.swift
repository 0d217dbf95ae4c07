import Foundation

/// The article's first version: the manager stores the type and completion handler of a call in properties.
@MainActor final class CallbackWebDataManager: NavigationDelegate {
    private var type = DataType.webArchive
    private var completionHandler: (@MainActor (Result<Data, any Error>) -> Void)?
    let webView = WebView()

    init() {
        webView.navigationDelegate = self
    }

    /// Loads a page and makes its data.
    func createData(
        address: String, type: DataType, completionHandler: @escaping @MainActor (Result<Data, any Error>) -> Void
    ) {
        // A second call before the first one ends replaces these: the first caller's handler is never called.
        self.type = type
        self.completionHandler = completionHandler
        webView.load(address)
    }

    func webViewDidFinish(_ webView: WebView) {
        webView.createData(type) { [weak self] result in self?.completionHandler?(result) }
    }

    func webView(_ webView: WebView, didFail error: any Error) {
        completionHandler?(.failure(error))
    }
}
