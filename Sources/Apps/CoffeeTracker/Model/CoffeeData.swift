public import Foundation
import HealthSamples
public import Observation
public import Persistence

/// What somebody drank, as a screen shows it: named as in the talk, and on the main actor as at its end.
///
/// It holds no truth that its store does not have. What is changed is shown at once, before anything is awaited, and taken
/// back if it could not be kept; what others change meanwhile, also in other processes, comes in while ``run(every:clock:)``
/// runs.
@MainActor @Observable
public final class CoffeeData {
    /// Where it gets the time and numbers.
    public struct Configuration: Sendable {
        /// What time it is.
        public var now: @Sendable () -> Date = { Date() }
        /// Makes numbers of drinks and kinds.
        public var makeID: @Sendable () -> UUID = { UUID() }

        /// Creates the usual configuration.
        public init() {}
    }

    /// Whose it is.
    public let owner: String
    /// The drinks that still count, and a day more, the newest first; with what is not saved yet.
    public private(set) var drinks: [Drink] = []
    /// Greater after each change of what is kept, also of drinks that are too old to be shown here.
    public private(set) var revision = -1
    /// How many drinks the health store is still to be told of.
    public private(set) var untold = 0
    /// Whether what is kept has been read.
    public private(set) var isLoaded = false
    /// How many changes are on their way to where they are kept.
    public private(set) var savingCount = 0
    /// What went wrong the last time, for a person to see; see ``dismissFailure()``.
    public internal(set) var failure: CoffeeError?
    /// What became of the last refresh; `nil` before the first.
    public internal(set) var refreshed: Result<HealthKitController.Report, CoffeeError>?
    /// What can be undone, the last one last.
    var undos: [Undo] = []

    @ObservationIgnored let stored: Stored<CoffeeSettings>
    @ObservationIgnored let configuration: Configuration
    @ObservationIgnored let store: any CoffeeStoring
    @ObservationIgnored let health: HealthKitController?
    /// What is kept, as far as it was heard.
    @ObservationIgnored private var kept = CoffeeSnapshot(revision: -1, drinks: [], untold: 0)
    /// What is on its way there, in its order.
    @ObservationIgnored private var pending: [(number: Int, changes: [DrinkChange])] = []
    @ObservationIgnored private var lastNumber = 0
    @ObservationIgnored private var refreshing: Task<Void, Never>?
    @ObservationIgnored private var isRefreshWanted = false
    @ObservationIgnored private var isEnding = false

    /// Creates the data of somebody; see ``open()``.
    ///
    /// - Parameters:
    ///   - owner: Whose it is.
    ///   - store: Where their drinks are kept.
    ///   - settings: What they have chosen; without it, that is forgotten with this.
    ///   - health: What stands between this and the health store; without it, there is none.
    ///   - configuration: Where it gets the time and numbers.
    public init(
        owner: String, store: any CoffeeStoring, settings: Stored<CoffeeSettings>? = nil,
        health: HealthKitController? = nil, configuration: Configuration = Configuration()
    ) {
        self.owner = owner
        self.store = store
        self.stored = settings ?? CoffeeSettings.kept(in: MemoryStore())
        self.health = health
        self.configuration = configuration
    }
}

// MARK: - What is kept

extension CoffeeData {
    /// Whether all that was changed is kept.
    public var isSaved: Bool { savingCount == 0 && isLoaded }

    /// Reads what is kept.
    ///
    /// - Throws: ``CoffeeError``, if it cannot be read; it can be tried again.
    public func open() async throws(CoffeeError) {
        await stored.load()
        try await reload()
    }

    /// Reads once more what is kept: others may have changed it.
    ///
    /// - Throws: ``CoffeeError``, if it cannot be read; what is shown stays.
    public func reload() async throws(CoffeeError) {
        do throws(CoffeeError) {
            accept(try await store.snapshot(since: horizon))
        } catch {
            failure = error
            throw error
        }
    }

    /// Forgets what went wrong, which somebody has seen.
    public func dismissFailure() {
        if failure != nil { failure = nil }
    }

    /// The drinks of a time, the newest first; older than those that are shown, too.
    ///
    /// - Parameters:
    ///   - start: From when on.
    ///   - end: Until when, without that moment.
    /// - Returns: The drinks, as they are kept.
    /// - Throws: ``CoffeeError``.
    public func drinks(from start: Date, to end: Date) async throws(CoffeeError) -> [Drink] {
        try await store.drinks(from: start, to: end)
    }

    /// The drinks whose numbers begin so, the newest first; older than those that are shown, too.
    ///
    /// - Parameter prefix: How their numbers begin; a whole number finds one drink at the most.
    /// - Returns: The drinks, as they are kept.
    /// - Throws: ``CoffeeError``.
    public func drinks(numbered prefix: String) async throws(CoffeeError) -> [Drink] {
        try await store.drinks(numbered: prefix.uppercased())
    }

    /// What was drunk by day, week or month.
    ///
    /// - Parameters:
    ///   - span: What is added up.
    ///   - count: How many periods, with the present one.
    /// - Returns: The history.
    /// - Throws: ``CoffeeError``.
    public func history(by span: DrinkHistory.Span, last count: Int) async throws(CoffeeError) -> DrinkHistory {
        let (days, now) = (settings.days, configuration.now())
        let start = DrinkHistory.start(days: days, by: span, last: count, at: now)
        let drinks = try await store.drinks(from: start, to: .distantFuture)
        return DrinkHistory(of: drinks, days: days, by: span, last: count, at: now)
    }

    /// From when on drinks are shown.
    private var horizon: Date {
        configuration.now().addingTimeInterval(-max(settings.memory, 2 * 24 * 3600) - 24 * 3600)
    }
}

extension CoffeeData {
    /// Shows changes at once, and returns when they are kept.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - undo: How they are undone; `nil` if they are not.
    /// - Throws: ``CoffeeError``; they are no longer shown then.
    func perform(_ changes: [DrinkChange], undo: Undo?) async throws(CoffeeError) {
        // All that is changed here is changed before the first await.
        lastNumber += 1
        let number = lastNumber
        pending.append((number, changes))
        show()
        do throws(CoffeeError) {
            let snapshot = try await store.apply(changes, since: horizon)
            pending.removeAll { $0.number == number }
            accept(snapshot)
            if let undo { remember(undo) }
        } catch {
            pending.removeAll { $0.number == number }
            failure = error
            show()
            throw error
        }
        refreshSoon()
    }

    /// Takes over what is kept, unless something newer is known.
    private func accept(_ snapshot: CoffeeSnapshot) {
        if snapshot.revision >= kept.revision { kept = snapshot }
        if !isLoaded { isLoaded = true }
        show()
    }

    /// What is kept, and what is on its way there.
    private func show() {
        var shown = kept.drinks
        for change in pending.flatMap(\.changes) {
            shown.removeAll { $0.id == change.id }
            if let drink = change.drink { shown.append(drink) }
        }
        if !pending.isEmpty {
            shown.sort(by: Drink.isNewer)
        }
        // Who watches is told of what is different only.
        if shown != drinks { drinks = shown }
        if pending.count != savingCount { savingCount = pending.count }
        if kept.untold != untold { untold = kept.untold }
        if kept.revision != revision { revision = kept.revision }
    }
}

// MARK: - The health store

extension CoffeeData {
    /// Hears what is new in the health store and tells it what is new here, then reads what is kept.
    ///
    /// - Throws: ``CoffeeError``; ``refreshed`` says so, too, and whatever could be done is done.
    public func refresh() async throws(CoffeeError) {
        do throws(CoffeeError) {
            if let health {
                let report = try await health.sync()
                refreshed = .success(report)
            }
            try await reload()
        } catch {
            refreshed = .failure(error)
            throw error
        }
    }

    /// Refreshes soon; what is asked for while it does so, is done once more afterwards.
    private func refreshSoon() {
        guard health != nil, !isEnding else { return }
        isRefreshWanted = true
        guard refreshing == nil else { return }
        refreshing = Task {
            while isRefreshWanted, !isEnding {
                isRefreshWanted = false
                // What goes wrong is shown, and the next refresh tries again.
                try? await refresh()
            }
            refreshing = nil
        }
    }

    /// Keeps up with what others do, until the task is cancelled: in other tabs and processes, and in the health store.
    ///
    /// - Parameters:
    ///   - interval: How long after one refresh the next begins, should nothing be heard.
    ///   - clock: What measures the time.
    public func run(
        every interval: Duration = BackgroundRefresh.interval, clock: any Clock<Duration> = ContinuousClock()
    ) async {
        // Listening begins before reading, so that nothing is missed.
        let changes = store.updates()
        let updates = health?.updates()
        try? await reload()
        await withTaskGroup { group in
            group.addTask { for await _ in changes { try? await self.reload() } }
            if let updates {
                group.addTask {
                    // What came before anybody listened, nobody is told of.
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

    /// Begins nothing any more, and waits until what is under way is over.
    public func end() async {
        isEnding = true
        refreshing?.cancel()
        await refreshing?.value
        // What cannot be written now was refused already: see the settings' status.
        try? await stored.flush(within: .seconds(1))
    }
}
