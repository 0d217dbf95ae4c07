public import CoffeeTrackerModel
import Foundation
import Futures
import HTTPTypes
public import HealthSamples
import Observation
public import Site

/// One owner's Coffee Tracker while it is in use: it follows the drinks and the time, and tells every open tab.
@MainActor
public final class CoffeeDocument: LiveDocument {
    /// How long changes are collected before they are shown.
    private static let pause = Duration.milliseconds(40)
    /// For how long something can be undone though nobody looks, in seconds.
    static let undoWindow: TimeInterval = 30 * 60

    /// Why nothing is opened while the server is ending.
    nonisolated public static var ending: any Error {
        Problem(
            .serviceUnavailable, title: "The server is stopping",
            detail: "Nothing was changed. Start it again, then reload the page.")
    }

    /// The parts of the first page, and as `version` whether the others are as they were.
    nonisolated public let parts = Broadcast<[String: String]>()
    let data: CoffeeData
    let samples: any SampleStore
    private let health: HealthKitController
    private let clock: any Clock<Duration>
    private let templates: CoffeeTemplates
    private let minute = Minute()
    /// Owned by this one; ``close()`` ends them.
    private var tasks: [Task<Void, Never>] = []

    /// Creates it; nothing is read yet.
    ///
    /// - Parameters:
    ///   - data: The owner's drinks.
    ///   - health: What stands between them and the health store.
    ///   - samples: The owner's health store, in which a page grants and revokes.
    ///   - clock: What measures the minutes after which a level has fallen, and when it is refreshed.
    /// - Throws: What is wrong with a template.
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
    /// Whether something is on its way to where it is kept, or can be undone that was done lately: how is known here alone.
    public var isBusy: Bool { data.savingCount > 0 || isUndoable }

    private var isUndoable: Bool {
        data.undoDate.map { data.now.timeIntervalSince($0) < Self.undoWindow } ?? false
    }

    /// Reads what is kept, and begins to follow it.
    ///
    /// - Throws: ``CoffeeError``, if it cannot be read.
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
                // What was decided before is not asked for again; without an answer, drinks wait until there is one.
                _ = try? await health.requestAuthorization()
                await data.run(clock: clock)
            },
        ]
    }

    /// Ends what it has begun; what was acknowledged is kept.
    public func close() async {
        for task in tasks { task.cancel() }
        parts.finish()
        for task in tasks { await task.value }
        await data.end()
    }

    /// Hears what is new in the health store, and tells it what is new here.
    ///
    /// - Throws: ``CoffeeError``; what could be done is done.
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

/// Counts the minutes, so that what depends on the time is shown anew at each.
@MainActor @Observable
private final class Minute {
    private(set) var number = 0

    /// Counts until the task is cancelled; each as it begins on the clock on the wall.
    func follow(_ clock: any Clock<Duration>, now: () -> Date) async {
        while true {
            let stopwatch = Stopwatch(clock)
            let past = now().timeIntervalSince1970.truncatingRemainder(dividingBy: 60)
            // A moment later than the minute, so that no rounding shows the one before.
            guard (try? await stopwatch.sleep(until: .seconds(60 - past) + .milliseconds(20))) != nil else { return }
            number += 1
        }
    }
}
