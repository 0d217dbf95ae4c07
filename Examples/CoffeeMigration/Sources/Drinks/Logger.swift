/// Logs under a category, so that each line names the part of the app that wrote it.
public struct Logger: Sendable {
    private let category: String
    private let write: @Sendable (String) -> Void

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - category: The part of the app.
    ///   - write: Called with each line, on the thread that logs it.
    public init(category: String, write: @escaping @Sendable (String) -> Void) {
        self.category = category
        self.write = write
    }

    /// Logs a line: `[category] message`.
    ///
    /// - Parameter message: What happened.
    public func log(_ message: String) {
        write("[\(category)] \(message)")
    }
}
