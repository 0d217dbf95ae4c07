import Capture

/// The browser that the tests of one process share; it ends with the process.
actor SharedBrowser {
    static let shared = SharedBrowser()

    private var starting: Task<ChromiumProcess, any Error>?

    func connection() async throws -> DevToolsConnection {
        let task = starting ?? Task { try await ChromiumProcess.launch() }
        starting = task
        return try await task.value.connection
    }
}
