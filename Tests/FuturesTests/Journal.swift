import Futures

/// Records entries in order, from any thread.
final class Journal<Entry: Sendable>: Sendable {
    private let all = Lock<[Entry]>([])

    var entries: [Entry] { all.withLock(\.self) }

    func add(_ entry: Entry) {
        all.withLock { $0.append(entry) }
    }
}

extension Result {
    /// The error; `nil` if this is a success.
    var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
