import Futures
import Observation

/// A flag that any thread can raise.
final class Flag: Sendable {
    private let value = Lock(false)

    var isRaised: Bool { value.withLock { $0 } }

    func raise() { value.withLock { $0 = true } }
}

/// Whether an observer of what `read` accesses is notified during an action.
@MainActor
func notifies(
    _ read: @MainActor () -> Void, when action: @MainActor () async throws -> Void
) async rethrows -> Bool {
    let flag = Flag()
    withObservationTracking {
        read()
    } onChange: {
        flag.raise()
    }
    try await action()
    return flag.isRaised
}

/// Returns when an observable condition holds, or the task is cancelled, as it is when a test exceeds its time limit.
@MainActor
func until(_ condition: @MainActor () -> Bool) async {
    while !Task.isCancelled {
        let change = Promise<Void, any Error>()
        let isTrue = withObservationTracking {
            condition()
        } onChange: {
            change.resolve(())
        }
        if isTrue {
            change.resolve(())
            return
        }
        try? await change.future.value
    }
}
