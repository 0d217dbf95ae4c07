/// Writes the newest value after a delay, with one write at a time.
///
///     let saving = Autosave("drawing 7") { (drawing: Drawing) throws(StoreError) in
///         try await drawings.write(drawing)
///     }
///     saving.save(drawing)                 // returns at once; call it as often as you like
///     try await saving.flush()             // returns once the drawing is written
///
/// At most one write is in flight; of the values saved meanwhile, only the newest is written after it. A failed write is retried
/// with backoff until it succeeds or a newer value is written; ``status`` reports the failure. The value is written even if the
/// last reference to the `Autosave` is released.
///
/// All members may be called from any thread.
public final class Autosave<Value: Sendable>: Sendable {
    private let storage: AutosaveStorage<Value>

    /// Creates an autosave with nothing to write.
    ///
    /// - Parameters:
    ///   - name: The name that messages use for the value.
    ///   - settings: When to write.
    ///   - onStatus: Called on any thread when ``status`` may have changed; read the property there. It must return quickly.
    ///   - write: Writes a value; it must be durable when this returns. It is never called concurrently with itself, and never
    ///     cancelled.
    public init(
        _ name: String, settings: AutosaveSettings = AutosaveSettings(),
        onStatus: @escaping @Sendable () -> Void = {},
        write: @escaping @Sendable (Value) async throws(StoreError) -> Void
    ) {
        self.storage = AutosaveStorage(name: name, settings: settings, onStatus: onStatus, write: write)
        settings.group?.add(storage)
    }
}

extension Autosave {
    /// Enqueues a value, which is written after the delay unless a newer one replaces it.
    public func save(_ value: Value) {
        storage.save(value, isUrgent: false)
    }

    /// Enqueues a value, which is written as soon as no other write is in flight.
    func saveAtOnce(_ value: Value) {
        storage.save(value, isUrgent: true)
    }

    /// Writes the newest value, and waits until it, or a later one, is stored.
    ///
    /// Cancellation and the time limit end only the wait; the write continues. A pending retry is made at once.
    ///
    /// - Throws: ``StoreError``: the error of a failed attempt, which is still retried; `timedOut` or `cancelled` if the wait
    ///   ended early.
    public func flush(within limit: Duration? = nil) async throws(StoreError) {
        try await storage.flush(within: limit)
    }

    /// The state of the newest value; never ``SaveStatus/loading``.
    public var status: SaveStatus { storage.status }
}
