/// What the system hands to an app that it has woken in the background: once `setCompleted` was called the app is stopped,
/// and what it has not finished is lost.
public struct RefreshTask: Sendable {
    private let completion: @Sendable (_ snapshot: Bool) -> Void

    /// Creates a task.
    ///
    /// - Parameter completion: Stops the app.
    public init(_ completion: @escaping @Sendable (_ snapshot: Bool) -> Void) {
        self.completion = completion
    }

    /// Says that all work is done.
    ///
    /// - Parameter snapshot: Whether the screen looks different from before.
    public func setCompleted(snapshot: Bool) {
        completion(snapshot)
    }
}
