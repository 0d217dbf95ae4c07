public import Dispatch

/// A queue of blocks: a dispatch queue in an app, or tasks whose order an exploration chooses.
public struct WorkQueue: Sendable {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates a queue.
    ///
    /// - Parameter enqueue: Runs a block once, later.
    public init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.enqueue = enqueue
    }

    /// Runs a block later, without waiting for it.
    ///
    /// - Parameter work: The block.
    public func async(_ work: @escaping @Sendable () -> Void) {
        enqueue(work)
    }
}

extension WorkQueue {
    /// Returns a queue that runs its blocks on a dispatch queue.
    ///
    /// - Parameter queue: The dispatch queue.
    /// - Returns: The queue.
    public static func dispatch(_ queue: DispatchQueue) -> WorkQueue {
        WorkQueue { queue.async(execute: $0) }
    }

    /// The main dispatch queue.
    public static let main = WorkQueue.dispatch(.main)
}

/// The queues that an app divides its work between.
public struct AppQueues: Sendable {
    /// The queue of the user interface and its model.
    public let main: WorkQueue
    /// The serial queue of slow work.
    public let background: WorkQueue

    /// Creates a pair of queues.
    ///
    /// - Parameters:
    ///   - main: The queue of the user interface and its model.
    ///   - background: The serial queue of slow work.
    public init(main: WorkQueue, background: WorkQueue) {
        self.main = main
        self.background = background
    }
}
