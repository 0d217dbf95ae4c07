import Futures
public import Observation

/// A value that is kept under a name in a ``Store``, and is a property like any other.
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
/// It is read once and cached. Until then, and if nothing is kept, it is the default. What is set is written in the
/// background, soon, the newest alone; see ``Autosave``. Setting what is there already, or what `validating` refuses, does
/// nothing. What others write is taken over; if something was changed here at the same time, the merge decides, and who
/// loses is kept and reported.
///
/// ``value``, ``status`` and ``reports`` are observed each for itself, whatever class holds them. Read, change and observe
/// them on the main actor, which is not kept waiting: encoding, decoding and writing are done elsewhere, but for models that
/// are encoded themselves.
///
/// It listens to its store until it is released, and is not released before what was set is written.
@MainActor
@propertyWrapper
public final class Stored<Value> {
    /// The name.
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
    /// How long the content was that was read or written last, in bytes.
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
        // What waits to be written holds the whole of it, so that nothing is dropped with its last owner.
        self.autosave = Autosave(key.name, settings: settings) { (stored: Stored) throws(StoreError) in
            try await stored.synchronise()
        }
        self.current = makeDefault()
        observe()
        // Before it is read, so that nothing is missed.
        let changes = store.updates()
        listening = Task { [weak self] in
            for await keys in changes where keys.contains(key) {
                guard let self else { return }
                await noticed()
            }
        }
        autosave.saveAtOnce(self)
    }

    deinit {
        listening?.cancel()
    }

    // The compiler looks for these here, and in no extension.

    /// The same as ``value``, for the property that this wraps.
    public var wrappedValue: Value {
        get { value }
        set { value = newValue }
    }

    /// This, for what is beside the value: `$palettes.status`.
    public var projectedValue: Stored { self }
}

extension Stored {
    /// Keeps a value, which is encoded and decoded off the main actor.
    ///
    /// - Parameters:
    ///   - key: The name.
    ///   - formerly: Earlier names of the same value, the latest first. If nothing is stored under `key`, the value of the first
    ///     of these that has one is moved to `key`, in one commit.
    ///   - store: Where it is kept.
    ///   - format: How it becomes bytes, and how the bytes of every older version become a value.
    ///   - makeDefault: The value while nothing is kept, made anew each time; it is not written before it is set.
    ///   - settings: When it is written.
    ///   - validate: Makes the value to keep of one that is set or read; `nil` refuses it. What is read and refused is replaced
    ///     by the default, and written over when something is set.
    ///   - merge: Who wins, if others have written while something was changed here.
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

    /// Keeps models: `@Observable` classes, which may be in optionals, arrays, and each other.
    ///
    /// A change within them is noticed and written too. For that their `encode(to:)` must be written by hand, and read their
    /// properties: what the compiler makes for an `@Observable` class goes past the observation, and nothing would be
    /// noticed. They are encoded and decoded on the main actor, and must be changed nowhere else. The other parameters are
    /// those of a value.
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

    /// Keeps models over values: `@Observable` classes whose values are encoded and decoded off the main actor.
    ///
    /// A change within them is noticed and written too. `snapshot` reads all that is kept of the models, and what it reads is
    /// observed; `restore` makes models of it. The other parameters are those of a value.
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

// MARK: - What is read and set

extension Stored {
    /// The value, observed.
    ///
    /// Setting it returns at once, and is without effect if it is equal, if `validating` refuses it, or if what is kept is of a
    /// newer version than this program knows: see ``status``. What changes within models notifies those who read that.
    public var value: Value {
        get {
            registrar.access(self, keyPath: \.value)
            return current
        }
        set {
            guard let value = validate(newValue) else { return }
            let isEqual = coding.isEqual(current, value)
            let isAccepted = machine.withLock { machine in
                // Before it is known what is kept, the default may be what somebody wants, too.
                isEqual && machine.isLoaded ? false : machine.set()
            }
            guard isAccepted else { return }
            autosave.save(self)
            if !isEqual { show(value) }
            showStatus()
        }
    }

    /// How far what was set has come, observed.
    ///
    /// ``SaveStatus/saved`` is a promise: all that was set survives the end of the process. It is failed as well when what
    /// is kept is of a newer version than this program knows, or cannot be read now; nothing is written over it.
    public var status: SaveStatus {
        registrar.access(self, keyPath: \.status)
        return machine.withLock { $0.status }
    }

    /// What happened to what was kept, the oldest first, observed: what could not be read, and who lost.
    public var reports: [StoredReport] {
        registrar.access(self, keyPath: \.reports)
        return shownReports
    }

    /// Forgets the reports, which somebody has seen.
    public func dismissReports() {
        guard !shownReports.isEmpty else { return }
        registrar.withMutation(of: self, keyPath: \.reports) { shownReports = [] }
    }
}

extension Stored {
    /// Waits until it was tried to read what is kept.
    ///
    /// It ends as well when the attempt has failed, which is tried again, or when the task is cancelled: see ``status``.
    @discardableResult
    public func load() async -> Stored {
        if !machine.withLock({ $0.isLoaded }) { try? await autosave.flush() }
        return self
    }

    /// Writes what was set, and returns when it, or something newer, is kept, or has lost and is kept beside it.
    ///
    /// A cancellation, or the end of the time, ends the waiting; the write goes on.
    ///
    /// - Parameter limit: How long to wait; without it, for as long as it takes.
    /// - Throws: ``StoreError``: why it could not be written; `timedOut` or `cancelled`, if the waiting has ended.
    public func flush(within limit: Duration? = nil) async throws(StoreError) {
        try await autosave.flush(within: limit)
    }
}

extension Stored: Observable {}

// MARK: - What is shown

extension Stored {
    /// Makes this the value, and tells who reads it.
    func show(_ value: Value) {
        registrar.withMutation(of: self, keyPath: \.value) { current = value }
    }

    /// Tells who reads the status, if it is another one by now.
    func showStatus() {
        let status = machine.withLock { $0.status }
        guard !status.looksLike(shownStatus) else { return }
        registrar.withMutation(of: self, keyPath: \.status) { shownStatus = status }
    }

    /// Tells who reads the reports, once for each.
    func show(_ report: StoredReport) {
        guard !shownReports.contains(report) else { return }
        registrar.withMutation(of: self, keyPath: \.reports) { shownReports.append(report) }
    }
}

// MARK: - Models

extension Stored {
    /// Takes from the value what is to be encoded; of models, what is read for that is observed from now on.
    func take() throws(StoreError) -> StoredCoding<Value>.Encoding {
        guard coding.isObserved else { return try coding.take(current) }
        let observation = machine.withLock { $0.observe() }
        let taken = withObservationTracking {
            Result { () throws(StoreError) in try coding.take(current) }
        } onChange: { [weak self] in
            self?.changed(observation)
        }
        return try taken.get()
    }

    /// Observes models that nobody is about to write.
    func observe() {
        guard coding.isObserved else { return }
        // If they cannot be encoded, writing them will say so.
        _ = try? take()
    }

    /// Something within the value is about to change, perhaps on another thread.
    private nonisolated func changed(_ observation: Int) {
        guard machine.withLock({ $0.changed(observation) }) else { return }
        autosave.save(self)
        // It ends at once; nobody has to cancel it.
        Task { await self.showStatus() }
    }
}
