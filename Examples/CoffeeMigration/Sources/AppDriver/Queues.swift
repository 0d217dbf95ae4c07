import Dispatch
import HealthKitFacade
import Synchronization

/// Where the blocks of an app run: on dispatch queues, or where an exploration chooses whose turn it is.
struct Queues: Sendable {
    let answers: WorkQueue
    let main: WorkQueue
    let background: WorkQueue

    /// As in a real app: answers come on any thread.
    static var real: Queues {
        Queues(
            answers: .dispatch(Place.callbackQueue), main: .main, background: .dispatch(Place.backgroundQueue))
    }

    /// Each block is a task, and so a choice.
    static var explored: Queues {
        let background = SerialTasks()
        return Queues(
            answers: WorkQueue { work in Task { work() } },
            main: WorkQueue { work in Task { @MainActor in work() } },
            background: WorkQueue { background.async($0) })
    }
}

/// A queue that runs one block after another, each as a step of its own.
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

/// Where code runs, as it finds out by itself.
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

/// Knows the main queue when it runs on it.
enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

    /// Whether the main queue runs a block within so many seconds.
    ///
    /// Use ``isBlocked`` where the answer should be no.
    static func isFree(within seconds: Double) -> Bool {
        let hasRun = DispatchSemaphore(value: 0)
        DispatchQueue.main.async { hasRun.signal() }
        return hasRun.wait(timeout: .now() + seconds) == .success
    }

    /// Whether the main queue runs nothing until another queue has run many blocks, each after the one before.
    ///
    /// A queue that the caller blocks runs nothing, however long the caller takes, so this measures no time.
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
