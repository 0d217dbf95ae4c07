import Futures

/// Runs an operation that must be done in time.
///
/// When time is up the operation is cancelled, and this returns as soon as it has ended.
///
/// - Throws: What the operation throws, or what `expired` makes if it was too late.
func withDeadline<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration>, expired: @Sendable () async -> CaptureError,
    operation: @escaping @Sendable () async throws(CaptureError) -> Value
) async throws(CaptureError) -> Value {
    let stopwatch = Stopwatch(clock)
    let result = await withTaskGroup(of: DeadlineEvent<Value>.self) { group -> Result<Value, CaptureError> in
        group.addTask {
            do throws(CaptureError) {
                return .done(.success(try await operation()))
            } catch {
                return .done(.failure(error))
            }
        }
        group.addTask {
            (try? await stopwatch.sleep(until: limit)) == nil ? .timerEnded : .expired
        }
        var tooLate: CaptureError?
        while let event = await group.next() {
            switch event {
            case .done(.success(let value)):
                group.cancelAll()
                return .success(value)
            case .done(.failure(let error)):
                group.cancelAll()
                return .failure(tooLate ?? error)
            case .expired:
                // Asked before the operation is cancelled, so that it can say how far it was.
                tooLate = await expired()
                group.cancelAll()
            case .timerEnded:
                break
            }
        }
        return .failure(tooLate ?? CaptureError(.cancelled, "The capture was cancelled."))
    }
    return try result.get()
}

private enum DeadlineEvent<Value: Sendable>: Sendable {
    case done(Result<Value, CaptureError>)
    case expired
    case timerEnded
}
