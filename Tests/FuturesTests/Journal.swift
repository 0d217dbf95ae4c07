import Futures

/// What happened, in order, told from any thread.
final class Journal: Sendable {
    private let lines = Lock<[String]>([])

    var entries: [String] { lines.withLock { $0 } }

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}
