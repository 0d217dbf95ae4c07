public import CoffeeTrackerModel
import Foundation
import Futures
import HTTPTypes
public import HealthSamples
import Observation
public import Persistence
public import Site

/// One owner's Coffee Tracker while it is open: follows the drinks and the time, and updates every open tab.
@MainActor
public final class CoffeeDocument: LiveDocument {
    /// The owner.
    public typealias Key = OwnerID

    /// How long changes are coalesced before tabs are updated.
    private static let pause = Duration.milliseconds(40)
    /// How long an action can be undone after the last tab closes, in seconds.
    static let undoWindow: TimeInterval = 30 * 60

    /// The error for opening a document while the server shuts down.
    nonisolated public static var shuttingDownError: any Error {
        Problem(
            .serviceUnavailable, title: CoffeeWords.shuttingDownTitle, detail: CoffeeWords.shuttingDown)
    }

    /// The parts of the first page.
    ///
    /// The part `version` changes whenever the content of other pages may have changed.
    nonisolated public let parts = Broadcast<LiveParts>()
    let data: CoffeeData
    let samples: any SampleStore
    private let health: HealthKitController
    private let clock: any Clock<Duration>
    private let templates: CoffeeTemplates
    private let minute = Minute()
    /// Cancelled by ``close()``.
    private var tasks: [Task<Void, Never>] = []

    /// Creates a document for an owner's drinks and health store; call ``open()`` to load it.
    public init(
        data: CoffeeData, health: HealthKitController, samples: any SampleStore,
        clock: any Clock<Duration> = ContinuousClock()
    ) throws {
        self.data = data
        self.health = health
        self.samples = samples
        self.clock = clock
        self.templates = try CoffeeTemplates()
    }
}

extension CoffeeDocument {
    /// Whether a change is being stored, or this document still has a recent action that can be undone.
    public var isBusy: Bool { data.savingCount > 0 || isUndoable }

    private var isUndoable: Bool {
        data.undoDate.map { data.now.timeIntervalSince($0) < Self.undoWindow } ?? false
    }

    /// Loads the drinks and starts following them.
    public func open() async throws(any Error) {
        try await data.open()
        let views = Observations { [data, minute] in
            _ = minute.number
            return CoffeeView(data)
        }
        tasks = [
            Task { [parts, templates] in await Self.follow(views, templates: templates, parts: parts) },
            Task { [minute, clock, data] in await minute.follow(clock) { data.now } },
            Task { [data, health, clock] in
                // Doesn't ask again once the user has decided. Until then, no drinks are synced.
                try? await health.requestAuthorization()
                await data.run(clock: clock)
            },
        ]
    }

    /// Cancels all tasks and waits for them; acknowledged changes are stored.
    public func close() async {
        for task in tasks { task.cancel() }
        parts.finish()
        for task in tasks { await task.value }
        await data.close()
    }

    /// Syncs with the health store.
    public func refresh() async throws(CoffeeError) {
        try await data.refresh()
    }

    @concurrent
    private static func follow(
        _ views: Observations<CoffeeView, Never>, templates: CoffeeTemplates, parts: Broadcast<LiveParts>
    ) async {
        for await view in views {
            parts.send(LiveParts { templates.parts(view) })
            guard (try? await Stopwatch(ContinuousClock()).sleep(until: pause)) != nil else { return }
        }
    }
}

/// Counts minutes, to refresh everything that depends on the time.
@MainActor @Observable
private final class Minute {
    private(set) var number = 0

    /// Increments the number at the start of each minute, until the task is cancelled.
    func follow(_ clock: any Clock<Duration>, now: () -> Date) async {
        while true {
            let stopwatch = Stopwatch(clock)
            let past = now().timeIntervalSince1970.truncatingRemainder(dividingBy: 60)
            // Waits slightly longer, so that rounding can't show the previous minute.
            guard (try? await stopwatch.sleep(until: .seconds(60 - past) + .milliseconds(20))) != nil else { return }
            number += 1
        }
    }
}
