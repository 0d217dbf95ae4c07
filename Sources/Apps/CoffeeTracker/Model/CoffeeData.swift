public import Foundation
import HealthSamples
public import Observation
public import Persistence

/// An owner's drinks as a screen shows them: named as in the talk, and on the main actor as at its end.
///
/// It holds no truth that its store does not have. It shows a change at once, before anything is awaited, and takes it back if
/// it could not be stored. It shows other tabs', processes' and programs' changes while ``run(every:clock:)`` runs.
@MainActor @Observable
public final class CoffeeData {
    /// Where it gets the time and numbers.
    public struct Configuration: Sendable {
        /// The current time.
        public var now: @Sendable () -> Date = { Date() }
        /// Makes numbers of drinks and kinds.
        public var makeID: @Sendable () -> UUID = { UUID() }

        /// Creates the usual configuration.
        public init() {}
    }

    /// The owner.
    public let owner: OwnerID
    /// The drinks that still count, and a day more, the newest first; with those that are still being stored.
    public private(set) var drinks: [Drink] = []
    /// The store's revision: greater after each change, also of drinks that are too old to be shown here.
    public private(set) var revision = -1
    /// How many drinks the health store is still to be told of.
    public private(set) var untold = 0
    /// Whether the stored drinks have been read.
    public private(set) var isLoaded = false
    /// How many changes are being stored.
    public private(set) var savingCount = 0
    /// The last failure, for a person to see; see ``dismissFailure()``.
    public internal(set) var failure: CoffeeError?
    /// The outcome of the last refresh; `nil` before the first.
    public internal(set) var refreshed: Result<HealthKitController.Report, CoffeeError>?
    /// What can be undone, the last one last.
    var undos: [Undo] = []

    @ObservationIgnored let stored: Stored<CoffeeSettings>
    @ObservationIgnored let configuration: Configuration
    @ObservationIgnored private let store: any CoffeeStoring
    @ObservationIgnored private let health: HealthKitController?
    /// What the store has, as far as this knows.
    @ObservationIgnored private var kept = CoffeeSnapshot(revision: -1, drinks: [], untold: 0)
    /// The changes that are being stored, in their order.
    @ObservationIgnored private var pending: [(number: Int, changes: [DrinkChange])] = []
    @ObservationIgnored private var lastNumber = 0
    @ObservationIgnored private var refreshing: Task<Void, Never>?
    @ObservationIgnored private var isRefreshWanted = false
    @ObservationIgnored private var isEnding = false

    /// Creates the data of an owner, which ``open()`` reads.
    ///
    /// - Parameters:
    ///   - owner: The owner.
    ///   - store: The owner's drinks.
    ///   - settings: The owner's settings; without them, settings end with this object.
    ///   - health: Keeps the drinks in sync with the health store, if there is one.
    ///   - configuration: Where it gets the time and numbers.
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

    /// Reads the settings and the drinks; after a failure it can be called again.
    public func open() async throws(CoffeeError) {
        await stored.load()
        try await reload()
    }

    /// Reads the drinks again; if that fails, those that are shown stay.
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

    /// Forgets the last failure, which a person has seen.
    public func dismissFailure() {
        if failure != nil { failure = nil }
    }

    /// The stored drinks from a date on and before another, the newest first, also those that are too old to be shown.
    public func drinks(from start: Date, to end: Date) async throws(CoffeeError) -> [Drink] {
        try await store.drinks(from: start, to: end)
    }

    /// The stored drinks whose numbers begin with a prefix, the newest first, also those that are too old to be shown.
    public func drinks(numbered prefix: String) async throws(CoffeeError) -> [Drink] {
        try await store.drinks(numbered: prefix.uppercased())
    }

    /// What was drunk in the last days, weeks or months, with the present one.
    public func history(by span: DrinkHistory.Span, last count: Int) async throws(CoffeeError) -> DrinkHistory {
        let (days, now) = (settings.days, configuration.now())
        let start = DrinkHistory.start(days: days, by: span, last: count, at: now)
        let drinks = try await store.drinks(from: start, to: .distantFuture)
        return DrinkHistory(of: drinks, days: days, by: span, last: count, at: now)
    }

    /// The time from which on drinks are shown.
    private var horizon: Date {
        configuration.now().addingTimeInterval(-max(settings.memory, 2 * 24 * 3600) - 24 * 3600)
    }
}

// MARK: - Changing

extension CoffeeData {
    /// Shows changes at once, and returns when they are stored; shows them no more if that fails.
    func perform(_ changes: [DrinkChange], undo: Undo?) async throws(CoffeeError) {
        // Everything here changes before the first await.
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

    /// Shows what commits have changed; reads the store only if others came before them.
    private func accept(_ commits: some Collection<CoffeeCommit>) async {
        for commit in commits.sorted(by: { $0.revision < $1.revision }) {
            if isLoaded, kept.apply(commit, since: horizon) { continue }
            if (try? await reload()) == nil, let drinks = commit.drinks { kept.replace(drinks, since: horizon) }
        }
        show()
    }

    /// Shows what the store has, and what is being stored.
    private func show() {
        var shown = kept.drinks
        for change in pending.flatMap(\.changes) {
            shown.removeAll { $0.id == change.id }
            if let drink = change.drink { shown.append(drink) }
        }
        if !pending.isEmpty { shown.sort(by: Drink.isNewer) }
        // Setting a property wakes its observers, also to the same value.
        if shown != drinks { drinks = shown }
        if pending.count != savingCount { savingCount = pending.count }
        if kept.untold != untold { untold = kept.untold }
        if kept.revision != revision { revision = kept.revision }
    }
}

// MARK: - The health store

extension CoffeeData {
    /// Syncs with the health store, and shows what that and other processes have changed; ``refreshed`` has the outcome too.
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

    /// Refreshes soon, and once more after a refresh that has begun before.
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

    /// Follows other tabs, processes and the health store, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - interval: How long after one refresh the next begins, whatever happens.
    ///   - clock: What measures the interval.
    public func run(
        every interval: Duration = BackgroundRefresh.interval, clock: any Clock<Duration> = ContinuousClock()
    ) async {
        // Listening begins before reading, so that nothing is missed.
        let commits = store.updates()
        let updates = health?.updates()
        if let progress = try? await store.progress(), progress.revision > kept.revision { try? await reload() }
        await withTaskGroup { group in
            group.addTask { for await commits in commits { await self.accept(commits) } }
            if let updates {
                group.addTask {
                    // No update tells of changes from before.
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

    /// Begins nothing any more, and waits until everything that was begun has ended.
    public func end() async {
        isEnding = true
        refreshing?.cancel()
        await refreshing?.value
        // The settings' status tells of a failure.
        try? await stored.flush(within: .seconds(1))
    }
}
