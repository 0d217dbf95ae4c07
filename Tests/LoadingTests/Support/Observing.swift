import Futures
import Observation

/// A flag that any thread can raise.
final class Flag: Sendable {
    private let value = Lock(false)

    var isRaised: Bool { value.withLock { $0 } }

    func raise() { value.withLock { $0 = true } }
}

/// Waits until an observable condition is true, or the task is cancelled, as it is when a test exceeds its time limit.
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
