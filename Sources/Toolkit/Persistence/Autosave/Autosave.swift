/// Writes the newest of many values, one at a time, some time after the last one was given.
///
///     let saving = Autosave("drawing 7") { (drawing: Drawing) throws(StoreError) in
///         try await drawings.write(drawing)
///     }
///     saving.save(drawing)                 // as often as you like: returns at once
///     try await saving.flush()             // now it is written
///
/// At most one write is in flight; what is given meanwhile is written after it, the newest alone. A value that could not be
/// written is tried again, in growing pauses, until it is written or a newer one has been; ``status`` says so. It is
/// written even if nobody holds the `Autosave` any more.
///
/// Everything here may be called from any thread.
public final class Autosave<Value: Sendable>: Sendable {
    private let storage: AutosaveStorage<Value>

    /// Creates a writer that has nothing to write.
    ///
    /// - Parameters:
    ///   - name: What it is that is kept, for messages.
    ///   - settings: When it writes.
    ///   - onStatus: Called on any thread when ``status`` may have changed: read it there. It must be quick.
    ///   - write: Writes a value durably: when it returns, the value is kept. It is never called twice at a time, and never
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
    /// Gives a value, which is written soon, unless a newer one is given before.
    public func save(_ value: Value) {
        storage.save(value, isUrgent: false)
    }

    /// Gives a value, which is written as soon as no other is being written.
    func saveAtOnce(_ value: Value) {
        storage.save(value, isUrgent: true)
    }

    /// Writes what was given, and returns when it, or something newer, is kept.
    ///
    /// A cancellation, or the end of the time, ends the waiting; the write goes on. While attempts fail, this one is made at
    /// once.
    ///
    /// - Parameter limit: How long to wait; without it, for as long as it takes.
    /// - Throws: ``StoreError``: why the attempt failed, which is tried again all the same; `timedOut` or `cancelled`,
    ///   if the waiting has ended.
    public func flush(within limit: Duration? = nil) async throws(StoreError) {
        try await storage.flush(within: limit)
    }

    /// How far what was given has come: never ``SaveStatus/loading``.
    public var status: SaveStatus { storage.status }
}
