import Foundation
import HealthSamples
import Testing

@testable import CoffeeTrackerModel

/// Tests how edits here and changes in the health store affect a drink's record.
@Suite struct DrinkRecordTests {
    static let now = moment("2026-03-14 12:00")
    static let drink = Drink.test(1, 96, at: now)
    static let other = Drink.test(1, 64, at: now)

    private func record(_ version: Int, synced: Int, isDeleted: Bool = false, _ drink: Drink = drink) -> DrinkRecord {
        DrinkRecord(drink: drink, version: version, syncedVersion: synced, isDeleted: isDeleted)
    }

    private func error(_ old: DrinkRecord?, _ change: DrinkChange) -> CoffeeError? {
        do throws(CoffeeError) {
            _ = try DrinkRecord.changed(old, by: change)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Local changes

    @Test func addedDrinkHasVersionOneAndIsUnsynced() throws {
        let added = try DrinkRecord.changed(nil, by: .add(Self.drink))
        #expect(added == record(1, synced: 0))
        #expect(added?.isUnsynced == true)
    }

    @Test func repeatedAddHasNoEffect() throws {
        #expect(try DrinkRecord.changed(record(1, synced: 0), by: .add(Self.drink)) == nil)
        // The drink has been deleted since: adding it again doesn't restore it.
        #expect(try DrinkRecord.changed(record(2, synced: 1, isDeleted: true), by: .add(Self.drink)) == nil)
        #expect(error(record(1, synced: 0), .add(Self.other)) == .changedElsewhere)
    }

    @Test func eachChangeIncrementsTheVersion() throws {
        let edited = try DrinkRecord.changed(record(1, synced: 1), by: .put(Self.other))
        #expect(edited == record(2, synced: 1, Self.other))
        let deleted = try DrinkRecord.changed(record(2, synced: 1), by: .delete(Self.drink.id))
        #expect(deleted?.version == 3 && deleted?.isDeleted == true && deleted?.isUnsynced == true)
        let back = try DrinkRecord.changed(deleted, by: .put(Self.drink, over: .exactly(nil)))
        #expect(back == record(4, synced: 1))
    }

    @Test func changeOfAnUnsyncedDrinkAssumesThatItsVersionWasSent() throws {
        let edited = try DrinkRecord.changed(record(1, synced: 0), by: .put(Self.other))
        #expect(edited == record(2, synced: 1, Self.other))
        #expect(try DrinkRecord.changed(edited, by: .put(Self.drink)) == record(3, synced: 1))
    }

    @Test func unchangedDrinkIsNotSaved() throws {
        #expect(try DrinkRecord.changed(record(1, synced: 1), by: .put(Self.drink)) == nil)
    }

    @Test func deletionErasesTheDrinksContent() throws {
        let deleted = try DrinkRecord.changed(record(1, synced: 1), by: .delete(Self.drink.id))
        #expect(deleted?.drink.name == "" && deleted?.drink.milligrams == 0)
    }

    @Test func changingAMissingDrinkFails() {
        #expect(error(nil, .put(Self.drink)) == .notFound)
        #expect(error(nil, .delete(Self.drink.id)) == .notFound)
        #expect(error(record(2, synced: 2, isDeleted: true), .delete(Self.drink.id)) == .notFound)
        #expect(error(nil, .put(Self.drink, over: .exactly(Self.drink))) == .notFound)
    }

    @Test func changeOverAnOutdatedVersionIsRefused() {
        #expect(error(record(2, synced: 2), .put(Self.drink, over: .exactly(Self.other))) == .changedElsewhere)
        #expect(error(record(2, synced: 2), .delete(Self.drink.id, over: .exactly(Self.other))) == .changedElsewhere)
        #expect(error(record(2, synced: 2), .put(Self.drink, over: .exactly(nil))) == .changedElsewhere)
    }

    @Test func drinkOfAnotherSourceCannotBeChanged() {
        var record = record(1, synced: 1)
        record.sample = KnownSample(id: UUID(), sync: nil, source: "scale")
        record.drink.source = .other(name: "Scale", identifier: "scale")
        #expect(error(record, .put(Self.other)) == .notOwn(source: "Scale"))
        #expect(error(record, .delete(Self.drink.id)) == .notOwn(source: "Scale"))
    }

    // MARK: Changes in the health store

    @Test func ownDrinkIsRestoredAfterAReinstall() {
        #expect(DrinkRecord.seen(nil, Self.drink, version: 3, isFullResync: true) == record(3, synced: 3))
    }

    @Test func versionSavedBeforeACrashIsNotSavedAgain() {
        #expect(
            DrinkRecord.seen(record(2, synced: 1), Self.drink, version: 2, isFullResync: false) == record(2, synced: 2))
        #expect(DrinkRecord.seen(record(2, synced: 2), Self.drink, version: 2, isFullResync: false) == nil)
        // The drink has changed since.
        #expect(
            DrinkRecord.seen(record(2, synced: 0), Self.other, version: 1, isFullResync: false) == record(2, synced: 1))
    }

    @Test func outdatedChangeIsIgnored() {
        #expect(DrinkRecord.seen(record(3, synced: 3), Self.other, version: 2, isFullResync: false) == nil)
        #expect(DrinkRecord.deletedElsewhere(record(3, synced: 3), version: 2) == nil)
    }

    @Test func newerVersionIsAccepted() {
        #expect(
            DrinkRecord.seen(record(2, synced: 2), Self.other, version: 5, isFullResync: false)
                == record(5, synced: 5, Self.other))
    }

    @Test(arguments: [3, 7])
    func unsyncedLocalChangeWinsOverAReceivedVersion(version: Int) {
        let current = record(3, synced: 2)
        // The health store has the version that was received, whichever installation saved it; that version must be
        // replaced.
        let last = record(version + 1, synced: version)
        #expect(DrinkRecord.seen(current, Self.other, version: version, isFullResync: false) == last)
        #expect(DrinkRecord.deletedElsewhere(current, version: version) == last)
        let deleted = DrinkRecord.seen(
            record(3, synced: 2, isDeleted: true), Self.other, version: version, isFullResync: false)
        #expect(deleted == record(version + 1, synced: version, isDeleted: true))
    }

    @Test(arguments: [1 << 53, Int.max])
    func lastVersionCannotBeExceeded(version: Int) {
        let current = record(3, synced: 2)
        #expect(DrinkRecord.seen(current, Self.other, version: version, isFullResync: true) == nil)
        #expect(DrinkRecord.deletedElsewhere(current, version: version) == nil)
        #expect(current.answered(3, .outdated(by: version)) == nil)
        let last = DrinkRecord.seen(nil, Self.drink, version: version, isFullResync: true)
        #expect(last == record(version, synced: version))
        #expect(error(last, .put(Self.other)) == .lastVersion)
        #expect(error(last, .delete(Self.drink.id)) == .lastVersion)
    }

    @Test func remoteDeletionDeletesTheDrink() {
        let gone = DrinkRecord.deletedElsewhere(record(2, synced: 2), version: 2)
        #expect(gone?.isDeleted == true && gone?.isUnsynced == false && gone?.drink.name == "")
        #expect(DrinkRecord.deletedElsewhere(nil, version: 2) == nil)
    }

    @Test func deletionStaysPendingUntilItIsConfirmed() {
        // Another installation may only have replaced the deleted sample.
        #expect(DrinkRecord.deletedElsewhere(record(3, synced: 2, isDeleted: true), version: 2) == nil)
        #expect(record(3, synced: 2, isDeleted: true).answered(3, .done)?.isUnsynced == false)
    }

    @Test func deletedDrinkThatReappearsIsDeletedAgain() {
        let seen = DrinkRecord.seen(record(3, synced: 3, isDeleted: true), Self.drink, version: 2, isFullResync: false)
        #expect(seen?.isUnsynced == true && seen?.isDeleted == true)
    }

    @Test func pendingDeletionAppliesToARestoredOlderVersion() {
        let current = record(4, synced: 2, isDeleted: true)
        #expect(
            DrinkRecord.seen(current, Self.drink, version: 1, isFullResync: true)
                == record(4, synced: 1, isDeleted: true))
        // The pending deletion already covers these versions.
        #expect(DrinkRecord.seen(current, Self.drink, version: 2, isFullResync: true) == nil)
        #expect(DrinkRecord.seen(current, Self.drink, version: 3, isFullResync: false) == nil)
    }

    @Test func drinkIsSavedAgainToAnOlderHealthStore() {
        #expect(DrinkRecord.seen(record(3, synced: 3), Self.drink, version: 2, isFullResync: true)?.isUnsynced == true)
        #expect(record(3, synced: 3).missed()?.isUnsynced == true)
        #expect(record(3, synced: 3, isDeleted: true).missed() == nil)
    }

    @Test func answerUpdatesTheSyncedVersion() {
        #expect(record(2, synced: 1).answered(2, .done) == record(2, synced: 2))
        // The drink changed again while it was being saved.
        #expect(record(3, synced: 1).answered(2, .done) == record(3, synced: 2))
        #expect(record(3, synced: 3).answered(2, .done) == nil)
        #expect(record(2, synced: 1).answered(2, .outdated(by: 6)) == record(7, synced: 6))
        #expect(record(3, synced: 1).answered(2, .outdated(by: 6)) == nil)
        #expect(record(3, synced: 2).answered(3, .deleted) == record(4, synced: 3))
    }

    @Test(arguments: [SentDrink.Answer.deleted, .outdated(by: 3)])
    func drinkDeletedByAnotherInstallationIsNotRestored(answer: SentDrink.Answer) throws {
        let missed = try #require(record(3, synced: 3).missed())
        let answered = try #require(missed.answered(3, answer))
        #expect(answered.isDeleted && !answered.isUnsynced && answered.version == 3)
        #expect(missed.answered(3, .outdated(by: 5))?.isDeleted == true)
        // A drink with an unsynced change is sent to the health store anyway.
        #expect(record(3, synced: 2).missed() == nil)
    }

    @Test(arguments: [SentDrink.Answer.deleted, .outdated(by: 4), .outdated(by: 9)])
    func editOfAMissedOrNewDrinkSurvivesEachAnswer(answer: SentDrink.Answer) throws {
        let missed = try #require(record(3, synced: 3).missed())
        for sent in [missed, record(1, synced: 0)] {
            let edited = try #require(try DrinkRecord.changed(sent, by: .put(Self.other)))
            let answered = try #require(edited.answered(edited.version, answer))
            #expect(answered.live == Self.other && answered.isUnsynced)
            // The answer to the version that was sent before the edit.
            #expect(edited.answered(sent.version, answer) == nil)
        }
    }
}

/// Tests converting between a drink and its sample.
@Suite struct DrinkSampleTests {
    static let start = moment("2026-03-14 12:00")

    @Test func drinkRoundTripsThroughItsSample() throws {
        let drink = Drink(
            id: .test(7), name: "Flat White", emoji: "☕️", milligrams: 130, millilitres: 180, start: Self.start,
            sipping: 600, timeZone: "Europe/Vienna")
        let sample = drink.sample(version: 3, source: .coffeeTracker)
        #expect(sample.type == .dietaryCaffeine && sample.quantity == Quantity(130, .milligram))
        #expect(sample.sync == SyncIdentity(identifier: drink.id.uuidString, version: 3))
        #expect(sample.end.timeIntervalSince(sample.start) == 600)
        let own = try #require(sample.known.ownDrink(of: .coffeeTracker))
        #expect(own.id == drink.id && own.version == 3)
        #expect(Drink(sample, id: own.id, source: .own) == drink)
    }

    @Test func sampleIDIsUniqueForEachDrinkAndVersion() {
        let ids = (0..<2_000).map { Drink.sampleID(of: .test($0 % 20), version: $0 / 20) }
        #expect(Set(ids).count == ids.count)
        #expect(Drink.sampleID(of: .test(3), version: 9) == Drink.sampleID(of: .test(3), version: 9))
    }

    @Test func sampleOfAnotherSourceIsConvertedToMilligrams() throws {
        let source = SampleSource(identifier: "scale", name: "Scale")
        let sample = Sample(
            id: .test(1), type: .dietaryCaffeine, quantity: Quantity(0.095, .gram), start: Self.start, source: source,
            metadata: [DrinkMetadata.name: .text("a\nb"), DrinkMetadata.emoji: .text("no emoji")])
        let drink = try #require(Drink(sample, id: .test(1), source: .other(name: "Scale", identifier: "scale")))
        #expect(abs(drink.milligrams - 95) < 1e-9)
        #expect(drink.name == Drink.unknownName && drink.emoji == Drink.unknownEmoji)
        #expect(sample.known.ownDrink(of: .coffeeTracker) == nil)
    }

    @Test func sampleWithoutCaffeineIsNotADrink() {
        let sample = Sample(
            type: .dietaryWater, quantity: Quantity(250, .millilitre), start: Self.start, source: .coffeeTracker)
        #expect(Drink(sample, id: .test(1), source: .own) == nil)
    }
}
