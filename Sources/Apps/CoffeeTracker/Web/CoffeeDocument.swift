public import CoffeeTrackerModel
import Foundation
import Futures
import HTTPTypes
public import HealthSamples
import Observation
public import Persistence
public import Site

/// One owner's Coffee Tracker while it is in use: it follows the drinks and the time, and updates every open tab.
@MainActor
public final class CoffeeDocument: LiveDocument {
    /// Its owner.
    public typealias Key = OwnerID

    /// How long changes are collected before they are shown.
    private static let pause = Duration.milliseconds(40)
    /// How long an action can be undone after the last tab was closed, in seconds.
    static let undoWindow: TimeInterval = 30 * 60

    /// The error for a document that is opened while the server stops.
    nonisolated public static var ending: any Error {
        Problem(
            .serviceUnavailable, title: "The server is stopping",
            detail: "Nothing was changed. Start it again, then reload the page.")
    }

    /// The parts of the first page; `version` changes whenever another page may change.
    nonisolated public let parts = Broadcast<[String: String]>()
    let data: CoffeeData
    let samples: any SampleStore
    private let health: HealthKitController
    private let clock: any Clock<Duration>
    private let templates: CoffeeTemplates
    private let minute = Minute()
    /// ``close()`` ends them.
    private var tasks: [Task<Void, Never>] = []

    /// Creates a document of an owner's drinks and health store, which ``open()`` reads.
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
    /// Whether a change is being stored, or a recent one can be undone, which only this document can do.
    public var isBusy: Bool { data.savingCount > 0 || isUndoable }

    private var isUndoable: Bool {
        data.undoDate.map { data.now.timeIntervalSince($0) < Self.undoWindow } ?? false
    }

    /// Reads the drinks, and begins to follow them.
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
                // A decision is not asked for again; until there is one, drinks wait.
                try? await health.requestAuthorization()
                await data.run(clock: clock)
            },
        ]
    }

    /// Ends everything that it has begun; acknowledged changes are stored.
    public func close() async {
        for task in tasks { task.cancel() }
        parts.finish()
        for task in tasks { await task.value }
        await data.end()
    }

    /// Syncs with the health store.
    public func refresh() async throws(CoffeeError) {
        try await data.refresh()
    }

    @concurrent
    private static func follow(
        _ views: Observations<CoffeeView, Never>, templates: CoffeeTemplates, parts: Broadcast<[String: String]>
    ) async {
        for await view in views {
            parts.send(templates.parts(view))
            guard (try? await Stopwatch(ContinuousClock()).sleep(until: pause)) != nil else { return }
        }
    }
}

/// Counts the minutes, at each of which everything that depends on the time is shown anew.
@MainActor @Observable
private final class Minute {
    private(set) var number = 0

    /// Counts each minute as it begins on the clock, until the task is cancelled.
    func follow(_ clock: any Clock<Duration>, now: () -> Date) async {
        while true {
            let stopwatch = Stopwatch(clock)
            let past = now().timeIntervalSince1970.truncatingRemainder(dividingBy: 60)
            // A moment later, so that no rounding shows the minute before.
            guard (try? await stopwatch.sleep(until: .seconds(60 - past) + .milliseconds(20))) != nil else { return }
            number += 1
        }
    }
}
