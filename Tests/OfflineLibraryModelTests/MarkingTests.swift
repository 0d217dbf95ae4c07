import Foundation
import OfflineLibraryModel
import StoreTesting
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct MarkingTests {
    let fixture = LibraryFixture()
    var library: Library { fixture.library }

    private func saveThree() async throws -> [SavedPage.ID] {
        [
            try await fixture.savePage("https://a.example"), try await fixture.savePage("https://b.example"),
            try await fixture.savePage("https://c.example"),
        ]
    }

    private func tags(of id: SavedPage.ID) -> [String] { library.item(id)?.marks.tags.map(\.name) ?? [] }

    private func tag(_ ids: [SavedPage.ID], _ text: String) async throws {
        try await library.markAll(Set(ids), .add(PageTag.tags(in: text)))
    }

    @Test func marksAreStored() async throws {
        let id = try await fixture.savePage()
        let marks = try PageMarks(isFavourite: true, tags: PageTag.tags(in: "Swift, to read"), note: " Read\r\nthis. ")
        try await library.mark(id, marks)
        #expect(library.item(id)?.marks == marks)
        let other = fixture.another()
        try await other.open()
        #expect(other.item(id)?.marks == marks)
        #expect(other.item(id)?.marks.note == "Read\nthis.")
        try await other.setFavourite(id, false)
        #expect(other.item(id)?.marks.isFavourite == false)
        #expect(other.item(id)?.marks.tags.map(\.name) == ["Swift", "to read"])
    }

    @Test func tagKeepsTheNameThatItHasOnOtherPages() async throws {
        let ids = try await saveThree()
        try await tag([ids[0]], "Café")
        try await tag([ids[1]], "CAFE, Tea")
        try await library.mark(ids[2], PageMarks(isFavourite: false, tags: PageTag.tags(in: "cafe"), note: ""))
        #expect(tags(of: ids[1]) == ["Café", "Tea"])
        #expect(tags(of: ids[2]) == ["Café"])
        #expect(library.tags.map { "\($0.tag.name) \($0.count)" } == ["Café 3", "Tea 1"])
        try await library.delete(ids[0])
        #expect(library.tags.map(\.count) == [2, 1])
    }

    @Test func changeOfSeveralPagesIsUndoneExactly() async throws {
        let ids = try await saveThree()
        try await tag([ids[0]], "a, b")
        fixture.time.advance(by: 1)
        try await tag(ids, "b, c")
        #expect(tags(of: ids[0]) == ["a", "b", "c"])
        #expect(tags(of: ids[2]) == ["b", "c"])
        let marking = try #require(library.latestMarking)
        #expect(marking.count == 3)
        // A page that was changed since then keeps that change, and a deleted one isn't touched.
        try await library.setFavourite(ids[1], true)
        try await library.undoMarking(marking.id)
        #expect(tags(of: ids[0]) == ["a", "b"])
        #expect(tags(of: ids[1]) == ["b", "c"])
        #expect(tags(of: ids[2]) == [])
        #expect(library.latestMarking == nil)
        #expect(
            await error { () throws(LibraryError) in try await library.undoMarking(marking.id) } == .tooLateToUndo)
    }

    @Test func removedTagsAndFavouritesAreUndone() async throws {
        let ids = try await saveThree()
        try await tag(ids, "a, b")
        try await library.markAll([ids[0], ids[1]], .remove(PageTag.tags(in: "A, none")))
        #expect(tags(of: ids[0]) == ["b"])
        try await library.undoMarking(try #require(library.latestMarking).id)
        #expect(tags(of: ids[0]) == ["a", "b"])
        try await library.setFavourite(ids[0], true)
        try await library.markAll(Set(ids), .favourite(true))
        #expect(library.latestMarking?.count == 2)
        try await library.undoMarking(try #require(library.latestMarking).id)
        #expect(ids.map { library.item($0)?.marks.isFavourite } == [true, false, false])
    }

    @Test func onlyTheLatestRecentChangeIsUndone() async throws {
        let ids = try await saveThree()
        try await tag(ids, "a")
        let first = try #require(library.latestMarking)
        try await tag(ids, "b")
        #expect(await error { () throws(LibraryError) in try await library.undoMarking(first.id) } == .tooLateToUndo)
        let second = try #require(library.latestMarking)
        fixture.time.advance(by: 601)
        #expect(library.latestMarking == nil)
        #expect(await error { () throws(LibraryError) in try await library.undoMarking(second.id) } == .tooLateToUndo)
        #expect(tags(of: ids[0]) == ["a", "b"])
    }

    @Test func failedChangeChangesNothing() async throws {
        let ids = try await saveThree()
        fixture.store.failOperations([.setMarks])
        #expect(
            await error { () throws(LibraryError) in try await library.markAll(Set(ids), .favourite(true)) }
                == .diskFull)
        #expect(await error { () throws(LibraryError) in try await library.setFavourite(ids[0], true) } == .diskFull)
        #expect(library.items.allSatisfy { !$0.marks.isFavourite })
        #expect(library.latestMarking == nil)
        fixture.store.failOperations([])
        try await library.setFavourite(ids[0], true)
        #expect(library.item(ids[0])?.marks.isFavourite == true)
    }

    @Test func readingIsMarkedAndUndone() async throws {
        let ids = try await saveThree()
        func states() -> [ReadingState?] { ids.map { library.item($0)?.positions.state } }
        #expect(states() == [.unread, .unread, .unread])
        try await library.recordOpening(of: ids[0])
        let half = ReadingPosition(share: 0.5, paragraph: nil, changedAt: fixture.time.now)
        try await library.setPosition(half, in: .reader, of: ids[1])
        #expect(states() == [.started, .started, .unread])
        try await library.markAll(Set(ids), .read(true))
        #expect(states() == [.finished, .finished, .finished])
        #expect(library.latestMarking?.count == 3 && library.latestMarking?.change == .read(true))
        // Only some of them change.
        try await library.markAll([ids[0]], .read(false))
        try await library.markAll(Set(ids), .read(true))
        let marking = try #require(library.latestMarking)
        #expect(marking.count == 1)
        try await library.undoMarking(marking.id)
        #expect(states() == [.unread, .finished, .finished])
        try await library.markAll(Set(ids), .read(false))
        let last = try #require(library.latestMarking)
        #expect(states() == [.unread, .unread, .unread] && last.count == 2)
        // Opening a page that was marked as unread starts it again; it can still be undone.
        fixture.time.advance(by: 1)
        try await library.recordOpening(of: ids[2])
        #expect(states() == [.unread, .unread, .started])
        try await library.undoMarking(last.id)
        #expect(states() == [.unread, .finished, .finished])
        for id in ids { #expect(await fixture.storedPage(id)?.positions == library.item(id)?.positions) }
        fixture.store.failOperations([.setReadingMarks])
        #expect(
            await error { () throws(LibraryError) in try await library.markAll(Set(ids), .read(false)) } == .diskFull)
        #expect(states() == [.unread, .finished, .finished])
    }

    @Test func concurrentChangesAreAllKept() async throws {
        let id = try await fixture.savePage()
        let gate = fixture.store.hold(.setMarks)
        let first = Task { try await tag([id], "a") }
        await gate.arrived()
        let others = [Task { try await tag([id], "b") }, Task { try await library.setFavourite(id, true) }]
        await library.runPendingTasks()
        gate.open()
        for task in [first] + others { try await task.value }
        #expect(library.item(id)?.marks.isFavourite == true)
        #expect(Set(tags(of: id)) == ["a", "b"])
        #expect(await fixture.storedPage(id)?.marks == library.item(id)?.marks)
    }

    @Test func changeContinuesIfItsCallerIsCancelled() async throws {
        let id = try await fixture.savePage()
        let gate = fixture.store.hold(.setMarks)
        let change = Task { try await tag([id], "a") }
        await gate.arrived()
        change.cancel()
        gate.open()
        _ = await change.result
        await library.shutDown()
        #expect(await fixture.storedPage(id)?.marks.tags.map(\.name) == ["a"])
    }

    @Test func deletedPagesAndEmptySelectionsAreRefused() async throws {
        let ids = try await saveThree()
        try await library.delete(ids[0])
        #expect(await error { () throws(LibraryError) in try await library.setFavourite(ids[0], true) } == .notFound)
        #expect(
            await error { () throws(LibraryError) in try await library.mark(ids[0], PageMarks()) } == .notFound)
        #expect(
            await error { () throws(LibraryError) in try await library.markAll([], .favourite(true)) } == .noSelection)
        try await tag(ids, "a")
        try await library.restore(ids[0])
        #expect(ids.map { tags(of: $0) } == [[], ["a"], ["a"]])
    }

    @Test func tooManyTagsAndLongNotesAreRefused() async throws {
        let id = try await fixture.savePage()
        let many = (0...PageMarks.maximumTags).map { "tag \($0)" }.joined(separator: ",")
        let tags = PageTag.tags(in: many)
        let refused = await error { () throws(LibraryError) in try await library.markAll([id], .add(tags)) }
        #expect(refused?.description == "A page can have 50 tags. Remove some.")
        #expect(throws: LibraryError.self) { try PageMarks(isFavourite: false, tags: tags, note: "") }
        let note = String(repeating: "🙂", count: PageMarks.maximumNoteLength)
        #expect(throws: Never.self) { try PageMarks(isFavourite: false, tags: [], note: note) }
        #expect(throws: LibraryError.self) { try PageMarks(isFavourite: false, tags: [], note: note + "a") }
    }

    @Test(arguments: [
        ("a, B ,a,  c  d ", ["a", "B", "c d"]), ("", []), (" , ,", []), ("Ünïcode,unicode,ＵＮＩＣＯＤＥ", ["Ünïcode"]),
        ("🙂, ☕️", ["🙂", "☕️"]), ("-, !", []), ("a\u{0}b\tc\nd", ["a b c", "d"]), ("東京,東京", ["東京"]),
    ])
    func tagsAreParsed(text: String, names: [String]) {
        #expect(PageTag.tags(in: text).map(\.name) == names)
    }

    @Test func longTagIsCut() throws {
        let tag = try #require(PageTag(String(repeating: "ab ", count: 1_000)))
        #expect(tag.name.unicodeScalars.count <= PageTag.maximumLength)
        #expect(PageTag(tag.name)?.name == tag.name)
    }
}
