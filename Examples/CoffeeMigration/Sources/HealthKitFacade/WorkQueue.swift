public import Dispatch

/// Where blocks run: a dispatch queue in an app; in an exploration, whatever makes their turn a choice.
public struct WorkQueue: Sendable {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates a queue.
    ///
    /// - Parameter enqueue: Runs the block once, later.
    public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.enqueue = enqueue
    }

    /// Runs a block later, and does not wait for it.
    ///
    /// - Parameter work: The block.
    public func async(_ work: @escaping @Sendable () -> Void) {
        enqueue(work)
    }
}

extension WorkQueue {
    /// A dispatch queue.
    ///
    /// - Parameter queue: The queue.
    /// - Returns: The same.
    public static func dispatch(_ queue: DispatchQueue) -> WorkQueue {
        WorkQueue { queue.async(execute: $0) }
    }

    /// The queue of what is shown.
    public static let main = WorkQueue.dispatch(.main)
}

/// The queues that an app divides its work between, and has to remember which is for what.
public struct AppQueues: Sendable {
    /// For what is shown, and the model of it.
    public let main: WorkQueue
    /// For what takes its time: one block after another.
    public let background: WorkQueue

    /// Names the queues.
    ///
    /// - Parameters:
    ///   - main: For what is shown.
    ///   - background: For what takes its time: one block after another.
    public init(main: WorkQueue, background: WorkQueue) {
        self.main = main
        self.background = background
    }
}
