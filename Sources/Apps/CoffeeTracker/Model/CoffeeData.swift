public import Foundation
import HealthSamples
public import Observation
public import Persistence

/// An owner's drinks for display; the name and the main actor follow the WWDC21 session.
///
/// The store is the source of truth. A change is shown immediately, before it is stored, and reverted if storing fails. Changes
/// from other tabs, processes and programs appear while ``run(every:clock:)`` is running.
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
    /// The drinks that still count and those of one more day, the newest first, including those still being stored.
    public private(set) var drinks: [Drink] = []
    /// The store's revision, which increases with each change, also of drinks that are too old to be shown.
    public private(set) var revision = -1
    /// The number of drinks not yet synced to the health store.
    public private(set) var untold = 0
    /// Whether the stored drinks have been read.
    public private(set) var isLoaded = false
    /// The number of changes being stored.
    public private(set) var savingCount = 0
    /// The last failure, for display; see ``dismissFailure()``.
    public internal(set) var failure: CoffeeError?
    /// The outcome of the last refresh; `nil` before the first.
    public internal(set) var refreshed: Result<HealthKitController.Report, CoffeeError>?
    /// The undoable actions, the latest at the end.
    var undos: [Undo] = []

    @ObservationIgnored let stored: Stored<CoffeeSettings>
    @ObservationIgnored let configuration: Configuration
    @ObservationIgnored private let store: any CoffeeStoring
    @ObservationIgnored private let health: HealthKitController?
    /// The last known state of the store.
    @ObservationIgnored private var kept = CoffeeSnapshot(revision: -1, drinks: [], untold: 0)
    /// The changes being stored, in order.
    @ObservationIgnored private var pending: [(number: Int, changes: [DrinkChange])] = []
    @ObservationIgnored private var lastNumber = 0
    @ObservationIgnored private var refreshing: Task<Void, Never>?
    @ObservationIgnored private var isRefreshWanted = false
    @ObservationIgnored private var isEnding = false

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
        self.stored = settings ?? CoffeeSettings.kept(in: MemoryStore())
        self.health = health
        self.configuration = configuration
    }
}

// MARK: - Reading

extension CoffeeData {
    /// Whether every change is stored.
    public var isSaved: Bool { savingCount == 0 && isLoaded }

    /// Loads the settings and the drinks; can be retried after a failure.
    public func open() async throws(CoffeeError) {
        await stored.load()
        try await reload()
    }

    /// Reloads the drinks; after a failure, the shown drinks remain.
    public func reload() async throws(CoffeeError) {
        do throws(CoffeeError) {
            let snapshot = try await store.snapshot(since: horizon)
            if snapshot.revision >= kept.revision { kept = snapshot }
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
    public func drinks(numbered prefix: String) async throws(CoffeeError) -> [Drink] {
        try await store.drinks(numbered: prefix.uppercased())
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
        configuration.now().addingTimeInterval(-max(settings.memory, 2 * 24 * 3600) - 24 * 3600)
    }
}

// MARK: - Changing

extension CoffeeData {
    /// Shows changes immediately and returns when they are stored; reverts them if storing fails.
    func perform(_ changes: [DrinkChange], undo: Undo?) async throws(CoffeeError) {
        // All changes to this point are made before the first suspension.
        lastNumber += 1
        let number = lastNumber
        pending.append((number, changes))
        show()
        do throws(CoffeeError) {
            let commit = try await store.apply(changes)
            await accept([commit])
            pending.removeAll { $0.number == number }
            show()
            if let undo { remember(undo) }
        } catch {
            pending.removeAll { $0.number == number }
            failure = error
            show()
            throw error
        }
        refreshSoon()
    }

    /// Shows the changes of commits, and reloads only if earlier commits are missing.
    private func accept(_ commits: some Collection<CoffeeCommit>) async {
        for commit in commits.sorted(by: { $0.revision < $1.revision }) {
            if isLoaded, kept.apply(commit, since: horizon) { continue }
            if (try? await reload()) == nil, let drinks = commit.drinks { kept.replace(drinks, since: horizon) }
        }
        show()
    }

    /// Shows the stored drinks with the pending changes applied.
    private func show() {
        var shown = kept.drinks
        for change in pending.flatMap(\.changes) {
            shown.removeAll { $0.id == change.id }
            if let drink = change.drink { shown.append(drink) }
        }
        if !pending.isEmpty { shown.sort(by: Drink.isNewer) }
        // Assigning a property notifies its observers even if the value is equal.
        if shown != drinks { drinks = shown }
        if pending.count != savingCount { savingCount = pending.count }
        if kept.untold != untold { untold = kept.untold }
        if kept.revision != revision { revision = kept.revision }
    }
}

// MARK: - The health store

extension CoffeeData {
    /// Syncs with the health store, and shows all new changes; ``refreshed`` also has the outcome.
    public func refresh() async throws(CoffeeError) {
        do throws(CoffeeError) {
            guard let health else { return try await reload() }
            let report = try await health.sync()
            refreshed = .success(report)
            await accept(report.commits)
            kept.drinks.removeAll { [horizon] in $0.start < horizon }
            if report.revision > kept.revision { try await reload() } else { show() }
        } catch {
            refreshed = .failure(error)
            throw error
        }
    }

    /// Schedules a refresh, and another one if a refresh is already running.
    private func refreshSoon() {
        guard health != nil, !isEnding else { return }
        isRefreshWanted = true
        guard refreshing == nil else { return }
        refreshing = Task {
            while isRefreshWanted, !isEnding {
                isRefreshWanted = false
                // A failure is shown, and the next refresh tries again.
                try? await refresh()
            }
            refreshing = nil
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
        if let progress = try? await store.progress(), progress.revision > kept.revision { try? await reload() }
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

    /// Starts no further work, and waits for all running work to end.
    public func end() async {
        isEnding = true
        refreshing?.cancel()
        await refreshing?.value
        // A failure is visible in the settings' status.
        try? await stored.flush(within: .seconds(1))
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
