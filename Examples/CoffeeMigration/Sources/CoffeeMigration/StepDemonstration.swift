import Drinks
import Foundation
import Interleaving

@testable import AppDriver

/// Runs a step's app once on real queues, then looks for its bugs under many schedules.
@MainActor
struct StepDemonstration {
    private let step: Step
    private let journal: Events
    private let file: AppFile
    private let fileEvents: Events
    private let storeLog: Events

    init(_ step: Step) {
        let fileEvents = Events()
        self.step = step
        self.fileEvents = fileEvents
        self.journal = Events()
        self.storeLog = Events()
        let isBlocking = Self.blockedSaves.contains(step.number)
        self.file = AppFile(
            willRead: { fileEvents.note("read") },
            willWrite: {
                let isBlocked = isBlocking ? MainQueue.isBlocked : !MainQueue.isFree(within: 300)
                fileEvents.note("written", isBlocked ? "the main queue is blocked (BUG)" : nil)
            })
    }

    /// The steps in which a save in the background blocks the main queue, as `MainQueueTests` verifies.
    private static let blockedSaves = 0...9

    static func title(of step: Step) -> String {
        let words = step.name.dropFirst(6)
        return "Step \(step.number): \(words)"
    }

    func run() async throws {
        print(Self.title(of: step))
        // A handler may keep the app of an early step alive, and with it the file.
        defer { file.remove() }
        try await runOnce()
        lookForBugs()
        print()
    }
}

// MARK: - One run

extension StepDemonstration {
    private func runOnce() async throws {
        let (journal, storeLog) = (journal, storeLog)
        let world = try await World.make(
            .real, isAllowed: false, file: file,
            journal: Journal { line in (line.hasPrefix("[CoffeeDataStore]") ? storeLog : journal).note(line) })
        try file.put([World.drink(32)])
        let app = step.app(world)
        func place(_ event: Events.Event, _ isActor: Bool, _ name: String) -> String {
            event.place == .task && isActor ? "the actor \(name)" : event.place.rawValue
        }
        func nextUseOfFile() async -> String {
            let event = await fileEvents.next()
            // From step 9 on the app has a store, which logs what it does.
            let logged = app.actors.isStoreActor ? ", which logs “\(await storeLog.next().text)”" : ""
            return "drinks.plist \(event.text) on \(place(event, app.actors.isStoreActor, "CoffeeDataStore"))\(logged)"
                + (event.remark.map { ": \($0)" } ?? "")
        }
        func shown(_ place: Place) -> String {
            "shown on \(place.rawValue)" + (place == .main ? "" : " (BUG)")
        }
        func controller(_ event: Events.Event) -> String {
            "“\(event.text)” on \(place(event, app.actors.isControllerActor, "HealthKitController"))"
        }

        let shownAtLaunch = await change(of: app) { app.finishLaunching() }
        print("  launch: \(await nextUseOfFile()); \(shown(shownAtLaunch))")

        let connected = await change(of: app) { await app.authorize { _ in } }
        print("  health authorization: granted; \(shown(connected))")

        _ = try await world.saveFromOtherApp(64)
        let loaded = await change(of: app) { await app.load() }
        var lines = [await journal.next()]
        // Step 5 logs the deleted and the new drinks separately.
        if step.number == 5 { lines.append(await journal.next()) }
        print("  query: \(lines.map(controller).joined(separator: ", ")); \(shown(loaded))")
        print("    save: \(await nextUseOfFile())")

        let added = await change(of: app) { await app.add(World.drink(96)) }
        print("  add a drink: \(shown(added))")
        print("    save: \(await nextUseOfFile())")
        print("    health store: \(controller(await journal.next()))")

        _ = try await world.saveFromOtherApp(128)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        app.refresh(RefreshTask { end.yield($0) })
        let hasLoaded = await ends.first { _ in true } ?? false
        print("  background refresh: completed, \(hasLoaded ? "with" : "without") new data")
        print("    save: \(await nextUseOfFile())")
        let drinks = app.drinks().map { "\(Int($0.milligrams))" }.joined(separator: ", ")
        print("  the screen shows \(drinks) mg")
    }

    /// Returns where the shown data changes.
    private func change(of app: App, _ action: () async -> Void) async -> Place {
        let (places, place) = AsyncStream.makeStream(of: Place.self)
        app.observe { place.yield(.current) }
        await action()
        return await places.first { _ in true } ?? .task
    }
}

// MARK: - Its bugs

extension StepDemonstration {
    /// Explores the bugs of this step and of the step before, as `ExplorationTests` does for all.
    private func lookForBugs() {
        for scenario in Scenario.all where !scenario.blocking.contains(step.number) {
            let isBroken = scenario.broken.contains(step.number)
            guard isBroken || scenario.broken.contains(step.number - 1) else { continue }
            let step = step
            let found = exploration(schedules: isBroken ? 3_000 : 300, seed: 1) {
                check(try await scenario.holds(step), scenario.complaint)
            }
            switch found.outcome {
            case .passed: print("  fixed: \(scenario.complaint)")
            case .failed(let complaint): print("  BUG: \(complaint)")
            default: print("  \(found.report)")
            }
        }
    }
}
