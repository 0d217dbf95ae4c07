import CaffeineModel
import StoreTesting
import Testing

/// Tests what becomes of drinks that a page logs, edits and deletes without a connection.
@Suite struct DrinkOutboxTests {
    /// An outbox whose requests fail, are confirmed and are refused as a test says.
    private struct Page {
        var outbox = DrinkOutbox()
        var generator = SystemRandomNumberGenerator()

        /// Adds drinks and reports them as stored; the next effects contain the first request.
        mutating func add(_ numbers: Int...) {
            for number in numbers {
                _ = outbox.add(DrinkOutboxTests.drink(number))
                store(number)
            }
        }

        mutating func edit(_ number: Int, to milligrams: Double, over seen: Double = 100) -> Bool {
            outbox.edit(DrinkOutboxTests.drink(number, milligrams), over: DrinkOutboxTests.drink(number, seen))
        }

        mutating func delete(_ number: Int) -> Bool { outbox.delete(DrinkOutboxTests.drink(number)) }

        mutating func store(_ number: Int, isStored: Bool = true) {
            outbox.receiveStored(DrinkOutboxTests.ids[number], version: version(number), isStored: isStored)
        }

        mutating func receive(_ outcome: DrinkOutbox.Outcome, of request: DrinkOutbox.Request) {
            outbox.receive(outcome, of: request.number, using: &generator)
        }

        mutating func fail(_ request: DrinkOutbox.Request, after seconds: Double = 0) {
            receive(.failed(nil, after: seconds), of: request)
        }

        mutating func effects() -> DrinkOutbox.Effects { outbox.takeEffects() }

        mutating func request() throws -> DrinkOutbox.Request {
            let effects = outbox.takeEffects()
            return try #require(effects.request)
        }

        func version(_ number: Int) -> Int { outbox.entry(DrinkOutboxTests.ids[number])?.version ?? 0 }
    }

    private static let ids = (1...9).map { "00000000-0000-4000-8000-00000000000\($0)" }

    private static func drink(_ number: Int, _ milligrams: Double = 100) -> LoggedDrink {
        LoggedDrink(
            id: ids[number], name: "Coffee \(number)", emoji: "☕️", milligrams: milligrams, start: 1_000,
            timeZone: "UTC")
    }

    @Test func drinkIsStoredBeforeItIsSent() throws {
        var page = Page()
        _ = page.outbox.add(Self.drink(0))
        let effects = page.effects()
        #expect(effects.storing == [.write(Self.ids[0])])
        #expect(effects.request == nil)
        page.store(0)
        let request = try page.request()
        #expect(request.drink == Self.drink(0))
        #expect(!request.isDeleted)
        #expect(request.replaced.isEmpty)
    }

    @Test func drinkThatCannotBeStoredIsSentNevertheless() throws {
        var page = Page()
        _ = page.outbox.add(Self.drink(0))
        page.store(0, isStored: false)
        _ = try page.request()
        #expect(!OutboxStatus(page.outbox).isStored)
    }

    @Test func confirmedDrinkIsReportedOnceAndRemoved() throws {
        var page = Page()
        page.add(0)
        let request = try page.request()
        page.receive(.confirmed(revision: 7), of: request)
        page.receive(.confirmed(revision: 8), of: request)
        let effects = page.effects()
        #expect(effects.confirmed.map { $0.revision } == [7])
        #expect(effects.storing == [.remove(Self.ids[0])])
        #expect(page.outbox.entries.isEmpty)
        #expect(OutboxStatus(page.outbox).kind == .saved)
    }

    @Test func failedAttemptIsRepeatedAfterTheTimer() throws {
        var page = Page()
        page.add(0)
        let request = try page.request()
        page.fail(request)
        let effects = page.effects()
        let timer = try #require(effects.timer)
        let delay = try #require(timer)
        #expect((500...1000).contains(delay))
        #expect(effects.request == nil)
        #expect(OutboxStatus(page.outbox).kind == .offline)
        page.outbox.timerEnded()
        let second = try page.request()
        #expect(second.number != request.number)
        #expect(second.drink == request.drink)
        // The answer to the first attempt is too late to count.
        page.receive(.confirmed(revision: 1), of: request)
        let late = page.effects()
        #expect(late.confirmed.isEmpty)
    }

    @Test func delaysGrowToFiveMinutes() throws {
        var page = Page()
        page.add(0)
        var request = try page.request()
        for failures in 1...14 {
            page.fail(request)
            let effects = page.effects()
            let timer = try #require(effects.timer)
            let delay = try #require(timer) / 1000
            let longest = min(300, Double(1 << (failures - 1)))
            #expect(delay >= longest / 2)
            #expect(delay <= longest)
            page.outbox.timerEnded()
            request = try page.request()
        }
        page.fail(request, after: 1000)
        let effects = page.effects()
        let timer = try #require(effects.timer)
        #expect(timer == 1_000_000)
    }

    @Test func retryDoesNotWaitForTheTimer() throws {
        var page = Page()
        page.add(0)
        page.fail(try page.request())
        _ = page.effects()
        page.outbox.retry()
        let effects = page.effects()
        let timer = try #require(effects.timer)
        #expect(timer == nil)
        #expect(effects.request != nil)
        // While an attempt is under way there is nothing to do.
        page.outbox.retry()
        let none = page.effects()
        #expect(none == DrinkOutbox.Effects())
    }

    @Test func editOfAnUnsentDrinkIsSentInItsPlace() throws {
        var page = Page()
        _ = page.outbox.add(Self.drink(0))
        let first = page.version(0)
        let isTaken = page.edit(0, to: 50)
        #expect(isTaken)
        page.outbox.receiveStored(Self.ids[0], version: first, isStored: true)
        let effects = page.effects()
        #expect(effects.request == nil)
        page.store(0)
        let request = try page.request()
        #expect(request.drink.milligrams == 50)
        #expect(request.replaced.isEmpty)
    }

    @Test func editDuringAnAttemptIsSentAfterIt() throws {
        var page = Page()
        page.add(0)
        let request = try page.request()
        _ = page.edit(0, to: 50)
        page.store(0)
        let waiting = page.effects()
        #expect(waiting.request == nil)
        page.receive(.confirmed(revision: 1), of: request)
        let effects = page.effects()
        #expect(effects.confirmed.isEmpty)
        let second = try #require(effects.request)
        #expect(second.drink.milligrams == 50)
        #expect(second.replaced == [Self.drink(0)])
    }

    @Test func deletedUnsentDrinkIsForgotten() {
        var page = Page()
        _ = page.outbox.add(Self.drink(0))
        let isTaken = page.delete(0)
        #expect(isTaken)
        let effects = page.effects()
        #expect(effects.storing == [.remove(Self.ids[0])])
        #expect(page.outbox.entries.isEmpty)
        // The browser may still report that it has stored the drink.
        page.outbox.receiveStored(Self.ids[0], version: 1, isStored: true)
        let none = page.effects()
        #expect(none == DrinkOutbox.Effects())
    }

    @Test func deletionOfADrinkThatMayBeSentIsSent() throws {
        var page = Page()
        page.add(0)
        let request = try page.request()
        _ = page.delete(0)
        page.store(0)
        page.fail(request)
        page.outbox.timerEnded()
        let second = try page.request()
        #expect(second.isDeleted)
        #expect(second.replaced == [Self.drink(0)])
        let isTaken = page.edit(0, to: 50)
        #expect(!isTaken)
    }

    @Test func drinkOfTheServerCanBeEditedAndDeleted() throws {
        var page = Page()
        _ = page.edit(0, to: 50)
        _ = page.delete(1)
        page.store(0)
        page.store(1)
        let request = try page.request()
        #expect(request.drink.milligrams == 50)
        #expect(request.replaced == [Self.drink(0)])
        page.receive(.confirmed(revision: 1), of: request)
        let second = try page.request()
        #expect(second.isDeleted)
        #expect(second.drink == Self.drink(1))
        #expect(second.replaced == [Self.drink(1)])
    }

    @Test func refusedDrinkStaysUntilItIsEditedOrDeleted() throws {
        var page = Page()
        page.add(0, 1)
        page.receive(.refused("Too many today."), of: try page.request())
        let effects = page.effects()
        #expect(effects.refused.map { $0.name } == ["Coffee 0"])
        #expect(effects.refused.map { $0.reason } == ["Too many today."])
        #expect(effects.request?.drink == Self.drink(1))
        #expect(page.outbox.entry(Self.ids[0])?.refusal == "Too many today.")
        #expect(OutboxStatus(page.outbox).kind == .failed)
        _ = page.delete(0)
        #expect(page.outbox.entry(Self.ids[0]) == nil)
    }

    @Test func editOfADrinkThatWasChangedElsewhereReplacesWhatThePersonSaw() throws {
        var page = Page()
        page.add(0)
        page.receive(.refused("It was changed elsewhere."), of: try page.request())
        _ = page.effects()
        _ = page.edit(0, to: 50, over: 70)
        page.store(0)
        let request = try page.request()
        #expect(request.replaced == [Self.drink(0, 70)])
    }

    @Test func drinkThatAlwaysFailsDoesNotKeepTheOthersWaiting() throws {
        var page = Page()
        page.add(0, 1, 2)
        var sent: [String] = []
        for _ in 0..<6 {
            let request = try page.request()
            sent.append(request.drink.id)
            page.fail(request)
            _ = page.effects()
            page.outbox.timerEnded()
        }
        #expect(sent == [0, 1, 2, 0, 1, 2].map { Self.ids[$0] })
    }

    @Test func restoredDrinkIsSentAsIfItHadBeenSentBefore() throws {
        var page = Page()
        let replaced = [Self.drink(0, 20)]
        page.outbox.restore([
            DrinkOutbox.Entry(stored: Self.drink(0), isDeleted: false, version: 5, replaced: replaced)
        ])
        let request = try page.request()
        #expect(request.drink == Self.drink(0))
        #expect(request.replaced == replaced)
        _ = page.delete(0)
        #expect(page.version(0) > 5)
        #expect(page.outbox.entry(Self.ids[0])?.replaced == replaced + [Self.drink(0)])
    }

    @Test func tooManyDrinksAreRefused() {
        var page = Page()
        for number in 0..<DrinkOutbox.maximumEntries {
            let tail = "\(1_000_000_000_000 + number)".dropFirst()
            let tea = LoggedDrink(
                id: "00000000-0000-4000-8000-\(tail)", name: "Tea", emoji: "🍵", milligrams: 1, start: 0,
                timeZone: "UTC")
            _ = page.outbox.add(tea)
        }
        let isTaken = page.outbox.add(Self.drink(0))
        #expect(!isTaken)
        #expect(page.outbox.entries.count == DrinkOutbox.maximumEntries)
    }
}

/// Tests what a response means for a drink.
@Suite struct OutboxOutcomeTests {
    struct Response: Sendable {
        var status: Int?
        var revision: Int?
        var detail: String?
        var outcome: DrinkOutbox.Outcome
    }

    @Test(arguments: [
        Response(status: 200, revision: 4, outcome: .confirmed(revision: 4)),
        // A captive portal responds with its own page, which has no revision.
        Response(status: 200, outcome: .failed(nil, after: 0)),
        Response(status: 422, detail: "Enter 0 to 2000 mg.", outcome: .refused("Enter 0 to 2000 mg.")),
        Response(status: 409, detail: "It was changed.", outcome: .refused("It was changed.")),
        Response(status: 404, outcome: .failed(nil, after: 0)),
        Response(status: 401, detail: "Sign in.", outcome: .failed("Sign in.", after: 0)),
        Response(status: 429, detail: "Too many requests.", outcome: .failed("Too many requests.", after: 0)),
        Response(status: 503, detail: "Restarting.", outcome: .failed("Restarting.", after: 0)),
        Response(status: nil, outcome: .failed(nil, after: 0)),
    ])
    func outcomeDependsOnTheStatusAndTheAnswer(response: Response) {
        let outcome = DrinkOutbox.Outcome(
            status: response.status, revision: response.revision, detail: response.detail, after: 0)
        #expect(outcome == response.outcome)
    }
}

/// Explores every order of events of one drink.
@Suite(.timeLimit(.minutes(10))) struct DrinkOutboxExplorations {
    private func explore(_ budget: OutboxWorld.Budget, appliesEveryRequest: Bool = false) -> OutboxExploration {
        OutboxExploration(OutboxWorld(budget, appliesEveryRequest: appliesEveryRequest))
    }

    @Test func everyOrderOfEventsTakesEffectOnce() {
        let exploration = explore(OutboxWorld.Budget(changes: 3, timeouts: 2))
        #expect(exploration.violation == nil, "\(exploration.path)")
        #expect(exploration.worlds.count > 1_000)
    }

    @Test func everyOrderOfEventsWithACrashTakesEffectOnce() {
        let exploration = explore(OutboxWorld.Budget(changes: isSoak ? 3 : 2, timeouts: 1, crashes: 1))
        #expect(exploration.violation == nil, "\(exploration.path)")
        #expect(exploration.worlds.count > 1_000)
    }

    @Test func everyOrderOfEventsWithoutStorageTakesEffectOnce() {
        let exploration = explore(OutboxWorld.Budget(changes: 3, timeouts: 1, storageFailures: 2))
        #expect(exploration.violation == nil, "\(exploration.path)")
        #expect(exploration.worlds.count > 1_000)
    }

    @Test func explorationFindsTheFaultOfAServerThatAppliesEveryRequest() {
        // A late attempt adds a deleted drink again, or undoes an edit.
        let exploration = explore(OutboxWorld.Budget(changes: 2, timeouts: 1), appliesEveryRequest: true)
        #expect(exploration.violation != nil)
    }
}
