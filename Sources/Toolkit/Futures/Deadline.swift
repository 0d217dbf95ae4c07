/// Runs an operation with a time limit.
///
/// After the limit the operation is cancelled, and this returns as soon as the operation has ended. If the calling task
/// is cancelled, so is the operation.
///
/// `late` makes the error that replaces the operation's error after the limit. It is called before the operation is
/// cancelled, so that it can report how far the operation got. A value that arrives after the limit is returned.
package func withDeadline<Value: Sendable, Failure: Error>(
    _ limit: Duration, clock: any Clock<Duration> = ContinuousClock(), late: @Sendable () async -> Failure,
    operation: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let stopwatch = Stopwatch(clock)
    let result = await withTaskGroup(of: DeadlineEvent<Value, Failure>.self) { group in
        group.addTask {
            do throws(Failure) {
                return .ended(.success(try await operation()))
            } catch {
                return .ended(.failure(error))
            }
        }
        group.addTask { (try? await stopwatch.sleep(until: limit)) == nil ? .timerCancelled : .late }
        var lateError: Failure?
        for await event in group {
            switch event {
            case .ended(let result):
                group.cancelAll()
                return result.mapError { lateError ?? $0 }
            case .late:
                lateError = await late()
                group.cancelAll()
            case .timerCancelled:
                break
            }
        }
        preconditionFailure("The operation's task always reports its end.")
    }
    return try result.get()
}

private enum DeadlineEvent<Value: Sendable, Failure: Error>: Sendable {
    case ended(Result<Value, Failure>)
    case late
    case timerCancelled
}
