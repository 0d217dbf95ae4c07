import Dispatch
import HealthKitFacade
import Synchronization

/// The queues that an app's blocks run on: dispatch queues, or tasks that an exploration schedules.
struct Queues: Sendable {
    let callbacks: WorkQueue
    let main: WorkQueue
    let background: WorkQueue

    /// Dispatch queues, as in a real app: completion handlers run on any thread.
    static var real: Queues {
        Queues(
            callbacks: .dispatch(Place.callbackQueue), main: .main, background: .dispatch(Place.backgroundQueue))
    }

    /// Queues whose blocks are tasks, so that an exploration chooses their order.
    static var explored: Queues {
        let background = SerialTasks()
        return Queues(
            callbacks: WorkQueue { work in Task { work() } },
            main: WorkQueue { work in Task { @MainActor in work() } },
            background: WorkQueue { background.async($0) })
    }
}

/// A serial queue that runs each block as a scheduling step of its own.
private final class SerialTasks: Sendable {
    private struct State {
        var blocks: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    func async(_ block: @escaping @Sendable () -> Void) {
        let mustStart = state.withLock { state in
            state.blocks.append(block)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { Task { await run() } }
    }

    private func run() async {
        while let block = next() {
            block()
            await Task.yield()
        }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            if state.blocks.isEmpty {
                state.isRunning = false
                return nil
            }
            return state.blocks.removeFirst()
        }
    }
}

/// The kind of queue that code runs on.
enum Place: String, Sendable {
    case main = "the main queue"
    case background = "the background queue"
    case callback = "a callback queue"
    case task = "a task off the main queue"

    private static let key = DispatchSpecificKey<Place>()
    static let callbackQueue = marked("coffee-tracker.callbacks", .callback, attributes: .concurrent)
    static let backgroundQueue = marked("coffee-tracker.background", .background)

    /// The place of the calling code.
    static var current: Place {
        MainQueue.isCurrent ? .main : DispatchQueue.getSpecific(key: key) ?? .task
    }

    private static func marked(
        _ label: String, _ place: Place, attributes: DispatchQueue.Attributes = []
    ) -> DispatchQueue {
        let queue = DispatchQueue(label: label, attributes: attributes)
        queue.setSpecific(key: key, value: place)
        return queue
    }
}

/// Detects whether code runs on the main queue, and whether that queue is blocked.
enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

    /// Returns whether the main queue runs a block within the given number of seconds.
    ///
    /// Use ``isBlocked`` where the expected answer is no.
    static func isFree(within seconds: Double) -> Bool {
        let hasRun = DispatchSemaphore(value: 0)
        DispatchQueue.main.async { hasRun.signal() }
        return hasRun.wait(timeout: .now() + seconds) == .success
    }

    /// Whether the main queue runs no block while another queue runs 2,000 of them, one after another.
    ///
    /// This measures no time: a queue that the caller blocks runs nothing, however slow the caller is.
    static var isBlocked: Bool {
        let hasRun = Flag()
        DispatchQueue.main.async { hasRun.isSet.store(true, ordering: .relaxed) }
        let other = DispatchQueue(label: "coffee-tracker.rounds")
        for _ in 0..<2_000 {
            if hasRun.isSet.load(ordering: .relaxed) { return false }
            let round = DispatchSemaphore(value: 0)
            other.async { round.signal() }
            round.wait()
        }
        return true
    }

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }
}
