import Foundation
import Loading
import MemoryStores
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import StoreTesting
import Testing

/// Libraries at the limits of their owners' budgets.
@Suite(.timeLimit(.minutes(10))) struct LibraryBudgetTests {
    /// A store with a budget, in a folder that is removed with this object.
    private final class BudgetFixture: Sendable {
        let store: any LibraryStore
        private let fixture: SQLiteFixture?

        init(_ kind: StoreKind, _ change: (inout OwnerBudget) -> Void) async throws {
            var budget = OwnerBudget()
            change(&budget)
            if let database = kind.database {
                let fixture = try await SQLiteFixture(database, budget: budget)
                (store, self.fixture) = (fixture.store, fixture)
            } else {
                (store, fixture) = (MemoryLibraryStore(budget: budget), nil)
            }
        }

        /// Lets the time for restoring deleted pages pass.
        func passUndoWindow() { fixture?.time.advance(by: 1_000) }
    }

    private static func refusal(_ body: () async throws -> Void) async -> OverBudget? {
        do {
            try await body()
        } catch LibraryError.overBudget(let refusal) {
            return refusal
        } catch {
            Issue.record(error)
        }
        return nil
    }

    @Test(arguments: StoreKind.allCases)
    func purgeFreesRoomUnderThePageLimit(kind: StoreKind) async throws {
        let fixture = try await BudgetFixture(kind) { $0[.pages] = 2 }
        let store = fixture.store
        let first = try await store.addCaptured("first")
        _ = try await store.addCaptured("second")
        let refusal = await Self.refusal { _ = try await store.add() }
        #expect(refusal?.kind == .count && refusal?.message.contains("--max-pages 4") == true)
        #expect(try await store.pages(ofOwner: "ann").count == 2)
        // Another owner has a budget of its own.
        _ = try await store.add(owner: "bob")
        // A deleted page counts while it can be restored.
        try await store.delete(first, at: .start)
        #expect(await Self.refusal { _ = try await store.add() } != nil)
        fixture.passUndoWindow()
        try await store.purge(deletedBefore: .distantFuture)
        _ = try await store.add()
        #expect(await Self.refusal { _ = try await store.add() } != nil)
    }

    @Test(arguments: StoreKind.allCases)
    func endedCaptureFreesRoomUnderTheWaitingLimit(kind: StoreKind) async throws {
        let fixture = try await BudgetFixture(kind) { $0[.waitingCaptures] = 2 }
        let store = fixture.store
        let captured = try await store.addCaptured()
        let (first, second) = (try await store.add().id, try await store.add().id)
        let refusal = await Self.refusal { _ = try await store.add() }
        #expect(refusal?.kind == .rate)
        #expect(await Self.refusal { _ = try await store.beginAgain(captured) } == refusal)
        try await store.fail(first, attempt: 1, failure: .broken)
        _ = try await store.beginAgain(captured)
        #expect(await Self.refusal { _ = try await store.beginAgain(first) } == refusal)
        try await store.delete(second, at: .start)
        _ = try await store.beginAgain(first)
    }

    @Test(arguments: StoreKind.allCases)
    func unfinishedPageIsRestoredOnlyWithinTheWaitingLimit(kind: StoreKind) async throws {
        let fixture = try await BudgetFixture(kind) { $0[.waitingCaptures] = 1 }
        let store = fixture.store
        let (captured, deleted) = (try await store.addCaptured(), try await store.add().id)
        for id in [captured, deleted] { try await store.delete(id, at: .start) }
        let other = try await store.add().id
        #expect(await Self.refusal { try await store.restore(deleted) }?.kind == .rate)
        #expect(try await store.page(deleted)?.deletedAt == .start)
        try await store.restore(captured)
        try await store.fail(other, attempt: 1, failure: .broken)
        try await store.restore(deleted)
        #expect(try await store.page(deleted)?.deletedAt == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func noFileIsStoredIfTheFilesExceedTheBudget(kind: StoreKind) async throws {
        // Each page of these tests has 17 + 17 + 12 bytes.
        let fixture = try await BudgetFixture(kind) { $0.bytes = 100 }
        let store = fixture.store
        let ids = [try await store.addCaptured("A page"), try await store.addCaptured("B page")]
        let third = try await store.add().id
        let refusal = await Self.refusal {
            _ = try await store.save(.page("C page"), as: third, attempt: 1, at: .start)
        }
        #expect(refusal?.kind == .bytes)
        #expect(try await store.page(third)?.state.isFetching == true)
        #expect(try await store.content(.png, of: third) == nil)
        // The same content counts once.
        #expect(try await store.save(.page("A page"), as: third, attempt: 1, at: .start) != nil)
        #expect(await Self.refusal { try await store.saveViewer(Data(count: 60), of: ids[0]) }?.kind == .bytes)
        try await store.saveViewer(Data(count: 8), of: ids[0])
        try await store.delete(ids[1], at: .start)
        fixture.passUndoWindow()
        try await store.purge(deletedBefore: .distantFuture)
        let fourth = try await store.add().id
        #expect(try await store.save(.page("D page"), as: fourth, attempt: 1, at: .start) != nil)
    }

    @Test(arguments: [StoreKind.sqlite, .postgreSQL])
    func concurrentRequestsDoNotExceedTheLimit(kind: StoreKind) async throws {
        let fixture = try await BudgetFixture(kind) { $0[.pages] = 5 }
        let added = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { await Self.refusal { _ = try await fixture.store.add() } == nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(added == 5)
        #expect(try await fixture.store.pages(ofOwner: "ann").count == 5)
    }

    @Test(arguments: [StoreKind.sqlite, .postgreSQL])
    func nothingIsStoredOnAnAlmostFullDisk(kind: StoreKind) async throws {
        let fixture = try await BudgetFixture(kind) { $0.freeDisk = .bytes(.max) }
        #expect(await Self.refusal { _ = try await fixture.store.add() }?.kind == .disk)
        #expect(try await fixture.store.pages(ofOwner: "ann").isEmpty)
    }
}
