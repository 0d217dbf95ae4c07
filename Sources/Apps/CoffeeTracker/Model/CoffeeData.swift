public import Foundation
import HealthSamples
public import Observation
public import Persistence

/// An owner's drinks for display.
///
/// The class has the name and the `@MainActor` of the one in the WWDC21 session “Swift concurrency: Update a sample
/// app”.
///
/// The store is the source of truth. A change is shown immediately, before it is stored, and reverted if storing fails.
/// Changes from other tabs, processes and programs appear while ``run(every:clock:)`` is running.
@MainActor @Observable
public final class CoffeeData {
    /// The sources of the current time and of identifiers.
    public struct Configuration: Sendable {
        /// The current time.
        public var now: @Sendable () -> Date = { Date() }
        /// Creates identifiers of drinks and kinds.
        public var makeID: @Sendable () -> UUID = { UUID() }

        /// Creates the default configuration.
        public init() {}
    }

    /// The owner.
    public let owner: OwnerID
    /// The drinks of the last three days, or of a longer period if older drinks may still affect the level.
    ///
    /// The newest is first. Changes that are being stored are applied.
    public private(set) var drinks: [Drink] = []
    /// The store's revision, which increases with each change, even of a drink that is too old to be shown.
    public private(set) var revision = -1
    /// The number of drinks not yet synced to the health store.
    public private(set) var unsyncedCount = 0
    /// Whether the stored drinks have been read.
    public private(set) var isLoaded = false
    /// The number of changes being stored.
    public private(set) var savingCount = 0
    /// The last failure, for display; see ``dismissFailure()``.
    public internal(set) var failure: CoffeeError?
    /// The outcome of the last sync with the health store; `nil` before the first, or without a health store.
    public internal(set) var refreshed: Result<HealthKitController.Report, CoffeeError>?
    /// The undoable actions, the latest at the end.
    var undos: [Undo] = []

    @ObservationIgnored let storedSettings: Stored<CoffeeSettings>
    @ObservationIgnored let configuration: Configuration
    @ObservationIgnored private let store: any CoffeeStoring
    @ObservationIgnored private let health: HealthKitController?
    /// The last known state of the store.
    @ObservationIgnored private var storedSnapshot = CoffeeSnapshot(revision: -1, drinks: [], unsyncedCount: 0)
    /// The ``CoffeeSettings/contributionTime`` for which ``storedSnapshot`` was read.
    @ObservationIgnored private var contributionTime: TimeInterval = 0
    /// The changes being stored, in order.
    @ObservationIgnored private var pending: [(number: Int, changes: [DrinkChange])] = []
    @ObservationIgnored private var lastNumber = 0
    @ObservationIgnored var lastUndoNumber = 0
    @ObservationIgnored private var refreshing: Task<Void, Never>?
    @ObservationIgnored private var isRefreshWanted = false
    @ObservationIgnored private var isClosing = false

    /// Creates the data of an owner; call ``open()`` to load it.
    ///
    /// - Parameters:
    ///   - owner: The owner.
    ///   - store: The owner's drinks.
    ///   - settings: The owner's settings; without it, settings last only as long as this object.
    ///   - health: Syncs the drinks with the health store, if there is one.
    ///   - configuration: The sources of the current time and of identifiers.
    public init(
        owner: OwnerID, store: any CoffeeStoring, settings: Stored<CoffeeSettings>? = nil,
        health: HealthKitController? = nil, configuration: Configuration = Configuration()
    ) {
        self.owner = owner
        self.store = store
        self.storedSettings = settings ?? CoffeeSettings.stored(in: MemoryStore())
        self.health = health
        self.configuration = configuration
    }
}

// MARK: - Reading

extension CoffeeData {
    /// Whether the drinks are loaded, and no change is being stored.
    public var isSaved: Bool { savingCount == 0 && isLoaded }

    /// Loads the settings and the drinks; can be retried after a failure.
    public func open() async throws(CoffeeError) {
        await storedSettings.load()
        try await reload()
    }

    /// Reloads the drinks; after a failure, the shown drinks remain.
    public func reload() async throws(CoffeeError) {
        do throws(CoffeeError) {
            let time = settings.contributionTime
            let snapshot = try await store.snapshot(since: horizon)
            if snapshot.revision >= storedSnapshot.revision { (storedSnapshot, contributionTime) = (snapshot, time) }
            if !isLoaded { isLoaded = true }
            show()
        } catch {
            failure = error
            throw error
        }
    }

    /// Clears the last failure, after the user has seen it.
    public func dismissFailure() {
        if failure != nil { failure = nil }
    }

    /// The stored drinks that start at or after one date and before another, the newest first, however old.
    public func drinks(from start: Date, to end: Date) async throws(CoffeeError) -> [Drink] {
        try await store.drinks(from: start, to: end)
    }

    /// The stored drinks whose identifiers begin with a prefix, the newest first, however old.
    public func drinks(withIDPrefix prefix: String) async throws(CoffeeError) -> [Drink] {
        try await store.drinks(withIDPrefix: prefix.uppercased())
    }

    /// The totals of the last days, weeks or months, including the current one.
    public func history(by span: DrinkHistory.Span, last count: Int) async throws(CoffeeError) -> DrinkHistory {
        let (days, now) = (settings.days, configuration.now())
        let start = DrinkHistory.start(days: days, by: span, last: count, at: now)
        let drinks = try await store.drinks(from: start, to: .distantFuture)
        return DrinkHistory(of: drinks, days: days, by: span, last: count, at: now)
    }

    /// The start of the period whose drinks are shown.
    private var horizon: Date {
        configuration.now().addingTimeInterval(-max(settings.contributionTime, 2 * 24 * 3600) - 24 * 3600)
    }
}

// MARK: - Changing

extension CoffeeData {
    /// Shows changes immediately and returns when they are stored; reverts them if storing fails.
    ///
    /// The action can be undone as soon as it is shown: until it is stored, the action before it would be offered, whose
    /// changes no longer fit.
    func perform(_ changes: [DrinkChange], undo: Undo?) async throws(CoffeeError) {
        // Nothing suspends before `apply`, so concurrent calls append their changes in the order of the calls.
        lastNumber += 1
        let number = lastNumber
        pending.append((number, changes))
        let undo = undo.map(remember)
        show()
        do throws(CoffeeError) {
            let commit = try await store.apply(changes)
            await accept([commit])
            pending.removeAll { $0.number == number }
            show()
        } catch {
            pending.removeAll { $0.number == number }
            if let undo { forget(undo) }
            failure = error
            show()
            throw error
        }
        refreshSoon()
    }

    /// Shows the changes of commits, and reloads only if earlier commits are missing.
    private func accept(_ commits: some Collection<CoffeeCommit>) async {
        for commit in commits.sorted(by: { $0.revision < $1.revision }) {
            if isLoaded, storedSnapshot.apply(commit, since: horizon) { continue }
            if (try? await reload()) == nil, let drinks = commit.drinks {
                storedSnapshot.replace(drinks, since: horizon)
            }
        }
        show()
    }

    /// Shows the stored drinks with the pending changes applied.
    private func show() {
        var shown = storedSnapshot.drinks
        for change in pending.flatMap(\.changes) {
            shown.removeAll { $0.id == change.id }
            if let drink = change.drink { shown.append(drink) }
        }
        if !pending.isEmpty { shown.sort(by: Drink.isNewer) }
        // With some versions of Swift, an assignment notifies observers even if the value is equal.
        if shown != drinks { drinks = shown }
        if pending.count != savingCount { savingCount = pending.count }
        if storedSnapshot.unsyncedCount != unsyncedCount { unsyncedCount = storedSnapshot.unsyncedCount }
        if storedSnapshot.revision != revision { revision = storedSnapshot.revision }
    }
}

// MARK: - The health store

extension CoffeeData {
    /// Syncs with the health store, shows all new changes, and stores the outcome in ``refreshed``.
    ///
    /// Without a health store, only reloads the drinks.
    public func refresh() async throws(CoffeeError) {
        do throws(CoffeeError) {
            guard let health else { return try await reload() }
            let report = try await health.sync()
            refreshed = .success(report)
            await accept(report.commits)
            storedSnapshot.drinks.removeAll { [horizon] in $0.start < horizon }
            // Another process may have changed the half-life.
            let isStale = report.revision > storedSnapshot.revision || settings.contributionTime != contributionTime
            if isStale { try await reload() } else { show() }
        } catch {
            refreshed = .failure(error)
            throw error
        }
    }

    /// Starts a refresh; if one is already running, one more follows it.
    private func refreshSoon() {
        guard health != nil, !isClosing else { return }
        isRefreshWanted = true
        guard refreshing == nil else { return }
        // It works for later calls, too.
        refreshing = RequestID.$current.withValue(nil) {
            Task {
                while isRefreshWanted, !isClosing {
                    isRefreshWanted = false
                    // A failure is shown, and the next refresh tries again.
                    try? await refresh()
                }
                refreshing = nil
            }
        }
    }

    /// Follows other tabs, other processes and the health store, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - interval: The time between refreshes, also after failures.
    ///   - clock: The clock that measures the interval.
    public func run(
        every interval: Duration = BackgroundRefresh.interval, clock: any Clock<Duration> = ContinuousClock()
    ) async {
        // Subscribe before reading, so that no change is missed.
        let commits = store.updates()
        let updates = health?.updates()
        if let progress = try? await store.progress(), progress.revision > storedSnapshot.revision {
            try? await reload()
        }
        await withTaskGroup { group in
            group.addTask { for await commits in commits { await self.accept(commits) } }
            if let updates {
                group.addTask {
                    // Updates don't include changes made before the subscription.
                    try? await self.refresh()
                    for await _ in updates { try? await self.refresh() }
                }
            }
            group.addTask {
                await BackgroundRefresh(every: interval, clock: clock).run { () async throws(CoffeeError) in
                    try await self.refresh()
                }
            }
        }
    }

    /// Cancels the running refresh, starts no further one, and stores the settings within a second.
    public func close() async {
        isClosing = true
        refreshing?.cancel()
        await refreshing?.value
        // A failure is visible in the settings' status.
        try? await storedSettings.flush(within: .seconds(1))
    }
}

// MARK: - The level of the shown drinks

extension CoffeeData {
    /// The current time.
    public var now: Date { configuration.now() }

    /// The answers at the current time.
    public var answers: CaffeineAnswers { CaffeineAnswers(drinks: drinks, settings: settings, at: now) }

    /// Cups of 96 mg since the owner’s day began.
    public var totalCupsToday: Double { settings.cupsToday(drinks, at: now) }
}
