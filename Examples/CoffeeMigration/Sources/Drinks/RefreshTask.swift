/// A background refresh that the system hands to the app.
///
/// The system stops the app once it calls `setCompleted(snapshot:)`; unfinished work is lost.
public struct RefreshTask: Sendable {
    private let completion: @Sendable (_ snapshot: Bool) -> Void

    /// Creates a task.
    ///
    /// - Parameter completion: Stops the app.
    public init(_ completion: @escaping @Sendable (_ snapshot: Bool) -> Void) {
        self.completion = completion
    }

    /// Reports that all work is done.
    ///
    /// - Parameter snapshot: Whether the screen looks different from before.
    public func setCompleted(snapshot: Bool) {
        completion(snapshot)
    }
}
