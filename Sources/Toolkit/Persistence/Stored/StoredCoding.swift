import FuturesFoundation

/// How a stored value is encoded and decoded, and which part of that runs on the main actor.
@MainActor
struct StoredCoding<Value> {
    /// Encodes a value that ``capture`` has captured.
    typealias Encoding = @Sendable () throws(StoreError) -> StoredContent

    /// Captures the part of a value that is encoded.
    let capture: @MainActor (Value) throws(StoreError) -> Encoding
    /// Decodes a value.
    let decode: @MainActor (StoredContent) async throws(StoreError) -> Value
    /// Whether replacing one value by the other changes nothing.
    let isEqual: @MainActor (Value, Value) -> Bool
    /// Whether values can change without being set; if so, the properties that ``capture`` reads are observed.
    let isObserved: Bool
}

extension StoredCoding {
    /// Values, which are encoded and decoded off the main actor.
    static func values(_ format: StoredFormat<Value>) -> StoredCoding where Value: Sendable & Equatable {
        StoredCoding(
            capture: { (value: Value) throws(StoreError) in
                { () throws(StoreError) in try format.content(of: value) }
            },
            decode: { (content: StoredContent) async throws(StoreError) in
                try await runCoding(of: content.payload.count) { () throws(StoreError) in
                    try format.value(of: content)
                }
            },
            isEqual: { $0 == $1 }, isObserved: false)
    }

    /// Models that are encoded directly, on the main actor, because only it may access them.
    static func models(_ format: StoredFormat<Value>) -> StoredCoding {
        StoredCoding(
            capture: { (value: Value) throws(StoreError) in
                let content = try format.content(of: value)
                return { () throws(StoreError) in content }
            },
            decode: { (content: StoredContent) async throws(StoreError) in try format.value(of: content) },
            isEqual: { _, _ in false }, isObserved: true)
    }

    /// Models with snapshots: only the snapshots are encoded and decoded, off the main actor.
    static func models<Snapshot: Sendable>(
        _ format: StoredFormat<Snapshot>, snapshot: @escaping @MainActor (Value) -> Snapshot,
        restore: @escaping @MainActor (Snapshot) -> Value
    ) -> StoredCoding {
        StoredCoding(
            capture: { (value: Value) throws(StoreError) in
                let snapshot = snapshot(value)
                return { () throws(StoreError) in try format.content(of: snapshot) }
            },
            decode: { (content: StoredContent) async throws(StoreError) in
                restore(
                    try await runCoding(of: content.payload.count) { () throws(StoreError) in
                        try format.value(of: content)
                    })
            },
            isEqual: { _, _ in false }, isObserved: true)
    }
}

/// Encodes or decodes off the main actor; for large contents, on ``WorkerThreads/computing``.
func runCoding<Outcome: Sendable>(
    of byteCount: Int, _ work: @escaping @Sendable () throws(StoreError) -> Outcome
) async throws(StoreError) -> Outcome {
    // Coding this many bytes takes about a millisecond; for fewer, switching to another thread and back isn't worth it.
    guard byteCount > 32_000 else { return try await offMainActor(work) }
    return try await WorkerThreads.computing.runUncancellable { _ in
        Result { () throws(StoreError) in try work() }
    }.get()
}

/// Runs work, such as a call of a store, off the main actor.
@concurrent
func offMainActor<Outcome: Sendable>(
    _ work: @Sendable () async throws(StoreError) -> Outcome
) async throws(StoreError) -> Outcome {
    try await work()
}
