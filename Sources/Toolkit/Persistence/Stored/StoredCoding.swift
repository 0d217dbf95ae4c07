import FuturesFoundation

/// How a kept value becomes content and is made of it again, and what of that is done on the main actor.
@MainActor
struct StoredCoding<Value> {
    /// Makes the content of what was taken from a value.
    typealias Encoding = @Sendable () throws(StoreError) -> StoredContent

    /// Takes from a value what its content is made of.
    let take: @MainActor (Value) throws(StoreError) -> Encoding
    /// Makes a value of content.
    let make: @MainActor (StoredContent) async throws(StoreError) -> Value
    /// Whether setting one in the place of the other changes nothing.
    let isEqual: @MainActor (Value, Value) -> Bool
    /// Whether values can change without being set: then what ``take`` reads is observed.
    let isObserved: Bool
}

extension StoredCoding {
    /// Of values: encoded and decoded elsewhere.
    static func values(_ format: StoredFormat<Value>) -> StoredCoding where Value: Sendable & Equatable {
        StoredCoding(
            take: { (value: Value) throws(StoreError) in
                { () throws(StoreError) in try format.content(of: value) }
            },
            make: { (content: StoredContent) async throws(StoreError) in
                try await runCoding(of: content.payload.count) { () throws(StoreError) in
                    try format.value(of: content)
                }
            },
            isEqual: { $0 == $1 }, isObserved: false)
    }

    /// Of models that are encoded themselves: on the main actor, which is the only one that may touch them.
    static func models(_ format: StoredFormat<Value>) -> StoredCoding {
        StoredCoding(
            take: { (value: Value) throws(StoreError) in
                let content = try format.content(of: value)
                return { () throws(StoreError) in content }
            },
            make: { (content: StoredContent) async throws(StoreError) in try format.value(of: content) },
            isEqual: { _, _ in false }, isObserved: true)
    }

    /// Of models over values: only the values are encoded and decoded, elsewhere.
    static func models<Snapshot: Sendable>(
        _ format: StoredFormat<Snapshot>, snapshot: @escaping @MainActor (Value) -> Snapshot,
        restore: @escaping @MainActor (Snapshot) -> Value
    ) -> StoredCoding {
        StoredCoding(
            take: { (value: Value) throws(StoreError) in
                let snapshot = snapshot(value)
                return { () throws(StoreError) in try format.content(of: snapshot) }
            },
            make: { (content: StoredContent) async throws(StoreError) in
                restore(
                    try await runCoding(of: content.payload.count) { () throws(StoreError) in
                        try format.value(of: content)
                    })
            },
            isEqual: { _, _ in false }, isObserved: true)
    }
}

/// Encodes or decodes off the main actor: what is large, on ``WorkerThreads/computing``.
func runCoding<Outcome: Sendable>(
    of byteCount: Int, _ work: @escaping @Sendable () throws(StoreError) -> Outcome
) async throws(StoreError) -> Outcome {
    // A millisecond's work. Going to another thread and back would take as long.
    guard byteCount > 32_000 else { return try await offMainActor(work) }
    return try await WorkerThreads.computing.runToEnd { _ in
        Result { () throws(StoreError) in try work() }
    }.get()
}

/// Asks a store on no actor, so that the main actor is free meanwhile.
@concurrent
func offMainActor<Outcome: Sendable>(
    _ work: @Sendable () async throws(StoreError) -> Outcome
) async throws(StoreError) -> Outcome {
    try await work()
}
