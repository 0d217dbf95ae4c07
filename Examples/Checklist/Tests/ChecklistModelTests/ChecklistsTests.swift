import ChecklistModel
import Persistence
import Testing

@Suite struct ChecklistsTests {
    /// A list “Groceries” with milk and bread.
    private func groceries() throws(ChecklistError) -> Checklists {
        var lists = Checklists()
        for text in ["Milk", "Bread"] { try lists.add(text, to: "Groceries") }
        return lists
    }

    @Test func itemCanBeMarkedAsDoneAndNotDone() throws {
        let before = try groceries()
        var lists = before
        try lists.mark(before.items[1].id, isDone: true)
        #expect(lists.items.map(\.isDone) == [false, true])
        try lists.mark(before.items[1].id, isDone: false)
        #expect(lists == before)
    }

    @Test func deletedItemReturnsToItsPlace() throws {
        let before = try groceries()
        var lists = before
        try lists.delete(before.items[0].id)
        #expect(lists.items.map(\.isDeleted) == [true, false])
        try lists.restore(before.items[0].id)
        #expect(lists == before)
    }

    @Test func onlyTheLastDeletionCanBeUndone() throws {
        var lists = try groceries()
        let ids = lists.items.map(\.id)
        for id in ids { try lists.delete(id) }
        #expect(lists.items.map(\.text) == ["Bread"])
        #expect(throws: ChecklistError.notFound) { try lists.restore(ids[0]) }
    }

    @Test(arguments: ["", " \n", "two\nlines", String(repeating: "a", count: Checklists.maximumLength + 1)])
    func invalidTextIsRefused(_ text: String) {
        var lists = Checklists()
        #expect(throws: ChecklistError.invalidText) { try lists.add(text, to: "Groceries") }
        #expect(throws: ChecklistError.invalidText) { try lists.add("Milk", to: text) }
        #expect(lists.items.isEmpty)
    }

    @Test @MainActor func storedListsAreLoadedAgain() async throws {
        let store = MemoryStore()
        let data = ChecklistData(in: store)
        try await data.open()
        try await data.edit { lists throws(ChecklistError) in try lists.add("Milk", to: "Groceries") }
        let other = ChecklistData(in: store)
        try await other.open()
        #expect(other.lists == data.lists && other.lists.items.count == 1)
    }
}
