import Futures
public import Observation

/// A property wrapper that persists a value under a key in a ``Store``.
///
///     @MainActor @Observable final class PaletteStore {
///         @ObservationIgnored @Stored var palettes: [Palette]
///
///         init(name: String, in store: any Store) {
///             _palettes = Stored(
///                 StoreKey("palettes"), in: store, format: StoredFormat("palettes"), default: Palette.builtins,
///                 validating: { $0.isEmpty ? nil : $0 })
///         }
///     }
///
/// The value is read once and cached. Until it is loaded, and if none is stored, it is the default. A change is written in the
/// background after a short delay, and only the newest value is written: see ``Autosave``. Setting an equal value, or one that
/// `validating` refuses, has no effect. Changes by other writers are loaded. If they conflict with an unsaved change, the merge
/// decides; the value that loses is stored as a conflict copy and reported.
///
/// ``value``, ``status`` and ``reports`` are observable independently of each other and of the enclosing class. Read, change and
/// observe them on the main actor. It is not blocked: encoding, decoding and writing run on other threads, except for models
/// that are encoded directly.
///
/// It observes its store until it is released. It isn't released before all changes are written, unless they can't be
/// written.
@MainActor
@propertyWrapper
public final class Stored<Value> {
    /// The key that the value is stored under.
    public let key: StoreKey

    let formerly: [StoreKey]
    let store: any Store
    let coding: StoredCoding<Value>
    let makeDefault: @MainActor () -> Value
    let validate: @MainActor (Value) -> Value?
    let merge: @MainActor (StoredConflict<Value>) -> StoredResolution<Value>
    let autosave: Autosave<Stored>
    let machine = Lock(StoredStateMachine())

    private let registrar = ObservationRegistrar()
    private(set) var current: Value
    /// The size in bytes of the content that was read or written last.
    var contentCount = 0
    private var shownStatus = SaveStatus.loading
    private var shownReports: [StoredReport] = []
    private var listening: Task<Void, Never>?

    init(
        _ key: StoreKey, formerly: [StoreKey], in store: any Store, coding: StoredCoding<Value>,
        default makeDefault: @escaping @MainActor () -> Value, settings: AutosaveSettings,
        validating validate: @escaping @MainActor (Value) -> Value?,
        merge: @escaping @MainActor (StoredConflict<Value>) -> StoredResolution<Value>
    ) {
        self.key = key
        self.formerly = formerly
        self.store = store
        self.coding = coding
        self.makeDefault = makeDefault
        self.validate = validate
        self.merge = merge
        // A pending write retains `self`, so that no change is lost when the last owner releases it.
        self.autosave = Autosave(key.name, settings: settings) { (stored: Stored) throws(StoreError) in
            try await stored.synchronise()
        }
        self.current = makeDefault()
        observe()
        // Subscribe before the first read, so that no change is missed.
        let changes = store.updates()
        listening = Task { [weak self] in
            for await keys in changes where keys.contains(key) {
                guard let self else { return }
                await handleStoreChange()
            }
        }
        autosave.saveImmediately(self)
    }

    deinit {
        listening?.cancel()
    }

    // The compiler requires these in the type itself, not in an extension.

    /// The same as ``value``, for the wrapped property.
    public var wrappedValue: Value {
        get { value }
        set { value = newValue }
    }

    /// This object, for access to its other members: `$palettes.status`.
    public var projectedValue: Stored { self }
}

extension Stored {
    /// Stores a value, which is encoded and decoded off the main actor.
    ///
    /// - Parameters:
    ///   - key: The key to store the value under.
    ///   - formerly: Earlier keys of the same value, latest first. If nothing is stored under `key`, the value of the first of
    ///     these that has one is moved to `key`, in one commit.
    ///   - store: The store.
    ///   - format: Encodes the value, and decodes the bytes of this and every older version.
    ///   - makeDefault: Creates the value to use while none is stored; it is not written before the value is set.
    ///   - settings: When to write.
    ///   - validate: Receives each value that is set or read. It returns the value to use, or `nil` to refuse it. If a
    ///     stored value is refused, the default is used instead, and the stored value is overwritten at the next
    ///     change.
    ///   - merge: Resolves a conflict between an unsaved change and the change of another writer.
    public convenience init(
        _ key: StoreKey, formerly: [StoreKey] = [], in store: any Store, format: StoredFormat<Value>,
        default makeDefault: @escaping @autoclosure @MainActor () -> Value,
        settings: AutosaveSettings = AutosaveSettings(),
        validating validate: @escaping @MainActor (Value) -> Value? = { $0 },
        merge: @escaping @MainActor (StoredConflict<Value>) -> StoredResolution<Value> = { _ in .local }
    ) where Value: Sendable & Equatable {
        self.init(
            key, formerly: formerly, in: store, coding: .values(format), default: makeDefault, settings: settings,
            validating: validate, merge: merge)
    }

    /// Stores models: `@Observable` classes, which may be nested in optionals, arrays and each other.
    ///
    /// Changes within the models are observed and written too. This requires a handwritten `encode(to:)` that reads their
    /// properties: the one that the compiler synthesises for an `@Observable` class bypasses the observation, so that no change
    /// would be detected. The models are encoded and decoded on the main actor, and must not be changed elsewhere. The other
    /// parameters are those of ``init(_:formerly:in:format:default:settings:validating:merge:)``.
    public convenience init(
        _ key: StoreKey, formerly: [StoreKey] = [], in store: any Store, models format: StoredFormat<Value>,
        default makeDefault: @escaping @autoclosure @MainActor () -> Value,
        settings: AutosaveSettings = AutosaveSettings(),
        validating validate: @escaping @MainActor (Value) -> Value? = { $0 },
        merge: @escaping @MainActor (StoredConflict<Value>) -> StoredResolution<Value> = { _ in .local }
    ) {
        self.init(
            key, formerly: formerly, in: store, coding: .models(format), default: makeDefault, settings: settings,
            validating: validate, merge: merge)
    }

    /// Stores models by snapshots: only the snapshots are encoded and decoded, off the main actor.
    ///
    /// Changes within the models are observed and written too. `snapshot` reads everything to be stored, and what it reads is
    /// observed; `restore` creates models from a snapshot. The other parameters are those of
    /// ``init(_:formerly:in:format:default:settings:validating:merge:)``.
    public convenience init<Snapshot: Sendable>(
        _ key: StoreKey, formerly: [StoreKey] = [], in store: any Store, models format: StoredFormat<Snapshot>,
        snapshot: @escaping @MainActor (Value) -> Snapshot, restore: @escaping @MainActor (Snapshot) -> Value,
        default makeDefault: @escaping @autoclosure @MainActor () -> Value,
        settings: AutosaveSettings = AutosaveSettings(),
        validating validate: @escaping @MainActor (Value) -> Value? = { $0 },
        merge: @escaping @MainActor (StoredConflict<Value>) -> StoredResolution<Value> = { _ in .local }
    ) {
        self.init(
            key, formerly: formerly, in: store, coding: .models(format, snapshot: snapshot, restore: restore),
            default: makeDefault,
            settings: settings, validating: validate, merge: merge)
    }
}

// MARK: - Value, status and reports

extension Stored {
    /// The current value, observable.
    ///
    /// The setter returns immediately. It has no effect if the value is equal to the current one, if `validating` refuses it,
    /// or if the stored value has a version newer than this program's: see ``status``. A change within models notifies only
    /// the observers of the properties that changed.
    public var value: Value {
        get {
            registrar.access(self, keyPath: \.value)
            return current
        }
        set {
            guard let value = validate(newValue) else { return }
            let isEqual = coding.isEqual(current, value)
            let isAccepted = machine.withLock { machine in
                // Until the stored value is loaded, setting the default explicitly is a change.
                isEqual && machine.isLoaded ? false : machine.set()
            }
            guard isAccepted else { return }
            autosave.save(self)
            if !isEqual { show(value) }
            showStatus()
        }
    }

    /// Whether all changes are written, observable.
    ///
    /// ``SaveStatus/saved`` guarantees that all changes survive the end of the process. The status is failed, too, if the stored
    /// value has a version newer than this program's, or can't be read at present; it is not overwritten then.
    public var status: SaveStatus {
        registrar.access(self, keyPath: \.status)
        return machine.withLock { $0.status }
    }

    /// What happened to stored values that could not be read or lost a conflict, oldest first, observable.
    public var reports: [StoredReport] {
        registrar.access(self, keyPath: \.reports)
        return shownReports
    }

    /// Removes all reports, after a person has seen them.
    public func dismissReports() {
        guard !shownReports.isEmpty else { return }
        registrar.withMutation(of: self, keyPath: \.reports) { shownReports = [] }
    }
}

extension Stored {
    /// Waits until the first attempt to read the stored value has ended.
    ///
    /// It also returns if the attempt fails, which is then retried, or if the task is cancelled: see ``status``.
    @discardableResult
    public func load() async -> Stored {
        if !machine.withLock({ $0.isLoaded }) { try? await autosave.flush() }
        return self
    }

    /// Writes all changes, and waits until these or newer ones are stored.
    ///
    /// A change that loses a conflict is stored as a copy.
    ///
    /// Cancellation and the time limit end only the wait; the write continues.
    ///
    /// - Throws: ``StoreError``: the reason why the write failed; `timedOut` or `cancelled` if the wait ended early.
    public func flush(within limit: Duration? = nil) async throws(StoreError) {
        try await autosave.flush(within: limit)
    }
}

extension Stored: Observable {}

// MARK: - Notifying observers

extension Stored {
    /// Sets the current value, and notifies its observers.
    func show(_ value: Value) {
        registrar.withMutation(of: self, keyPath: \.value) { current = value }
    }

    /// Notifies the observers of the status if it has changed.
    func showStatus() {
        let status = machine.withLock { $0.status }
        guard !status.isEquivalent(to: shownStatus) else { return }
        registrar.withMutation(of: self, keyPath: \.status) { shownStatus = status }
    }

    /// Adds a report that isn't listed yet, and notifies the observers.
    func show(_ report: StoredReport) {
        guard !shownReports.contains(report) else { return }
        registrar.withMutation(of: self, keyPath: \.reports) { shownReports.append(report) }
    }
}

// MARK: - Models

extension Stored {
    /// Captures what to encode of the value.
    ///
    /// If the value consists of models, the properties that this reads are observed from now on.
    func captureEncoding() throws(StoreError) -> StoredCoding<Value>.Encoding {
        guard coding.isObserved else { return try coding.capture(current) }
        let observation = machine.withLock { $0.observe() }
        let captured = withObservationTracking {
            Result { () throws(StoreError) in try coding.capture(current) }
        } onChange: { [weak self] in
            self?.changed(observation)
        }
        return try captured.get()
    }

    /// Observes models that have no pending write.
    func observe() {
        guard coding.isObserved else { return }
        // If the models can't be encoded, the next write reports the error.
        _ = try? captureEncoding()
    }

    /// Handles a change within the value that is about to happen, perhaps on another thread.
    private nonisolated func changed(_ observation: Int) {
        guard machine.withLock({ $0.changed(observation) }) else { return }
        autosave.save(self)
        // The task ends at once, so it needs no cancellation.
        Task { await self.showStatus() }
    }
}
