import Capture

/// A browser that the tests of a process share; it ends with the process.
package actor SharedBrowser {
    /// Chromium's headless shell: the same engine without browser windows, in which a tab takes a quarter of the time.
    package static let shell = SharedBrowser(executable: "/usr/lib/chromium/chromium-headless-shell")
    /// The full browser, which also displays PDFs.
    package static let whole = SharedBrowser(executable: nil)

    /// A browser for tests that read the clipboard, one at a time: all tabs of a browser share its clipboard.
    package static let clipboard = SharedBrowser(executable: "/usr/lib/chromium/chromium-headless-shell")

    private let executable: String?
    private var starting: Task<ChromiumProcess, any Error>?

    init(executable: String?) {
        self.executable = executable
    }

    func connection() async throws -> DevToolsConnection {
        let task =
            starting
            ?? Task { [executable] in
                var configuration = ChromiumProcess.Configuration()
                configuration.executable = executable
                configuration.startLimit = .seconds(300)
                return try await ChromiumProcess.launch(configuration)
            }
        starting = task
        do {
            return try await task.value.connection
        } catch {
            // The next test launches it again.
            if starting == task { starting = nil }
            throw error
        }
    }
}
