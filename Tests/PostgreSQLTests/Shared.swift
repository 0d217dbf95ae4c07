import Futures
import StoreTesting

/// A value that several tasks and threads change.
final class Shared<Value: Sendable>: Sendable {
    private let lock: Lock<Value>

    init(_ value: Value) { lock = Lock(value) }

    var now: Value { lock.withLock { $0 } }

    @discardableResult
    func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        lock.withLock { body(&$0) }
    }
}

extension Shared<Int> {
    /// Counts, and returns the new count.
    @discardableResult
    func next() -> Int {
        change { count in
            count += 1
            return count
        }
    }

    func reach(_ wanted: Int) async { await eventually { now >= wanted } }
}
