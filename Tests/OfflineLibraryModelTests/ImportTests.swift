import Capture
import Foundation
import Loading
import MemoryStores
import Observation
import OfflineLibraryModel
import Persistence
import StoreTesting
import Testing

/// Tests importing addresses into a library.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ImportTests {
    let capturer = FakeCapturer()
    let time = ManualDate()

    private func library(_ store: MemoryLibraryStore) -> Library {
        var configuration = Library.Configuration()
        configuration.now = { [time] in time.now }
        return Library(
            owner: "ann", store: store, capturer: capturer, imports: store, configuration: configuration)
    }

    private static func file(_ addresses: [String], addedAt: Date? = nil) -> AddressFile {
        AddressFile(
            format: .list,
            addresses: addresses.enumerated().map {
                ImportedAddress(place: $0 + 1, address: $1, title: "Title \($0 + 1)", addedAt: addedAt)
            })
    }

    private static func pages(_ count: Int) -> [String] { (0..<count).map { "https://page\($0).example/" } }

    /// Waits until an import's numbers satisfy a condition, and returns them.
    private func counts(
        of library: Library, _ isMet: @escaping @Sendable (LibraryImport.Counts) -> Bool
    ) async throws -> LibraryImport.Counts {
        for await imports in Observations({ library.imports }) {
            if let counts = imports.first?.counts, isMet(counts) { return counts }
        }
        throw CancellationError()
    }

    @Test func eachAddressIsNewSavedRepeatedOrUnusable() async throws {
        let store = MemoryLibraryStore()
        let library = library(store)
        let saved = try await library.save("https://saved.example/", formats: [.png])
        try await capturer.call().succeed()
        await library.waitForItem(saved) { $0.state.isFound }
        let id = try await library.importAddresses(
            of: Self.file([
                "https://new.example/", "saved.example#top", "https://new.example", "javascript:void(0)", "no address",
            ]), name: "list.txt", formats: [.pdf])
        let call = try await capturer.call()
        #expect(call.url.absoluteString == "https://new.example/" && call.formats == [.pdf])
        var counts = try await counts(of: library) { $0.saving == 1 }
        #expect((counts.new, counts.alreadySaved, counts.repeated, counts.unusable) == (1, 1, 1, 2))
        #expect(counts.total == 5 && !counts.isFinished)
        call.succeed()
        counts = try await self.counts(of: library) { $0.isFinished }
        #expect(counts.saved == 1)
        let unusable = try await library.entries(.unusable, of: id, limit: 10)
        #expect(unusable.map(\.place) == [4, 5])
        #expect(unusable.map(\.title) == ["Title 4", "Title 5"])
        #expect(unusable.allSatisfy { !$0.reason.isEmpty })
        await library.waitUntilIdle()
    }

    @Test func addressThatTwoImportsWaitForIsSavedOnce() async throws {
        let store = MemoryLibraryStore()
        let library = library(store)
        let both = Self.file(["https://one.example/", "https://two.example/"])
        // Both are stored before the library adds the pages of the first.
        for _ in 0..<2 {
            _ = try await store.importAddresses(of: both, name: "", formats: [.png], owner: "ann", at: time.now)
        }
        library.continueImports()
        for _ in 0..<2 { try await capturer.call().succeed() }
        for await imports in Observations({ library.imports }) where imports.count == 2 {
            if imports.allSatisfy(\.counts.isFinished) { break }
        }
        await library.waitUntilIdle()
        #expect(library.newest.count == 2)
    }

    @Test func importedPagesHaveTheirTagsWithKnownNames() async throws {
        let store = MemoryLibraryStore()
        let library = library(store)
        let saved = try await library.save("https://saved.example/", formats: [.png])
        try await capturer.call().succeed()
        await library.waitForItem(saved) { $0.state.isFound }
        try await library.markAll([saved], .add(PageTag.tags(in: "Café")))
        var address = ImportedAddress(place: 1, address: "https://new.example/")
        address.tags = ["cafe", "a, b", "CAFÉ", " ", "x"] + (0..<99).map { "tag \($0)" }
        let file = AddressFile(format: .pocket, addresses: [address])
        _ = try await library.importAddresses(of: file, name: nil, formats: [.png])
        let call = try await capturer.call()
        let item = try #require(library.newest.first { $0.request.url.host() == "new.example" })
        #expect(item.marks.tags.prefix(4).map(\.name) == ["Café", "a b", "x", "tag 0"])
        #expect(item.marks.tags.count == PageMarks.maximumTags)
        #expect(await store.pages(ofOwner: "ann").first { $0.id == item.id }?.marks == item.marks)
        call.succeed()
        await library.waitUntilIdle()
    }

    @Test func repeatedAndSavedAddressesKeepAllTags() async throws {
        let store = MemoryLibraryStore()
        let library = library(store)
        let saved = try await library.save("https://saved.example/", formats: [.png])
        try await capturer.call().succeed()
        await library.waitForItem(saved) { $0.state.isFound }
        try await library.markAll([saved], .add(PageTag.tags(in: "mine")))
        func address(_ place: Int, _ name: String, _ tag: String) -> ImportedAddress {
            ImportedAddress(
                place: place, address: "https://\(name).example/", title: "The title \(place)", tags: ["both", tag])
        }
        let file = AddressFile(
            format: .bookmarks,
            addresses: [address(1, "new", "first"), address(2, "new", "second"), address(3, "saved", "third")])
        _ = try await library.importAddresses(of: file, name: nil, formats: [.png])
        let call = try await capturer.call()
        let item = try #require(library.newest.first { $0.request.url.host() == "new.example" })
        #expect(item.marks.tags.map(\.name) == ["both", "first", "second"])
        // Its name until it is saved.
        #expect(item.givenTitle == "The title 1")
        call.succeed()
        await library.waitUntilIdle()
        #expect(library.item(saved)?.marks.tags.map(\.name) == ["mine", "both", "third"])
        #expect(await store.pages(ofOwner: "ann").first { $0.id == saved }?.marks == library.item(saved)?.marks)
    }

    private static func noted(_ notes: [(address: String, note: String)]) -> AddressFile {
        AddressFile(
            format: .bookmarks,
            addresses: notes.enumerated().map {
                ImportedAddress(place: $0 + 1, address: $1.address, note: $1.note)
            })
    }

    @Test func noteIsAddedUnlessThePageHasAnotherOne() async throws {
        let store = MemoryLibraryStore()
        let library = library(store)
        var ids: [SavedPage.ID] = []
        for name in ["empty", "same", "other"] {
            let id = try await library.save("https://\(name).example/", formats: [.png])
            try await capturer.call().succeed()
            await library.waitForItem(id) { $0.state.isFound }
            ids.append(id)
        }
        for (index, note) in [(1, "Before. The note. After."), (2, "My own")] {
            try await library.mark(ids[index], try PageMarks(isFavourite: false, tags: [], note: note))
        }
        let file = Self.noted([
            ("https://empty.example/", "The note."), ("https://same.example/", "The note."),
            ("https://other.example/", "The note."), ("https://new.example/", ""),
            ("https://new.example/#a", " \u{7}The note.\r\nLine 2 "), ("https://new.example/#b", "Another one"),
        ])
        let id = try await library.importAddresses(of: file, name: nil, formats: [.png])
        try await capturer.call().succeed()
        let counts = try await counts(of: library) { $0.isFinished && $0.otherNotes == 2 }
        #expect((counts.new, counts.alreadySaved, counts.repeated) == (1, 3, 2))
        #expect(
            ids.map { library.item($0)?.marks.note } == ["The note.", "Before. The note. After.", "My own"])
        let new = try #require(library.newest.first { $0.request.url.host() == "new.example" })
        #expect(new.marks.note == "The note.\nLine 2")
        let stored = await store.pages(ofOwner: "ann")
        #expect(Set(stored.map(\.marks.note)) == Set(library.newest.map(\.marks.note)))
        let others = try await library.entries(.otherNotes, of: id, limit: 9)
        #expect(others.map(\.reason) == ["The note.", "Another one"] && others.map(\.place) == [3, 6])
        // Importing the file again adds nothing.
        _ = try await library.importAddresses(of: file, name: nil, formats: [.png])
        _ = try await self.counts(of: library) { $0.alreadySaved == 4 && $0.otherNotes == 2 }
        #expect(Set(library.newest.map(\.marks.note)).count == 4)
        await library.waitUntilIdle()
    }

    @Test func failedPageIsReportedWithItsReason() async throws {
        let library = library(MemoryLibraryStore())
        let id = try await library.importAddresses(of: Self.file(Self.pages(1)), name: nil, formats: [.png])
        try await capturer.call().fail(.connectionFailed, "The server refused the connection.")
        let counts = try await counts(of: library) { $0.failed == 1 }
        #expect(counts.isFinished)
        let failed = try await library.entries(.failed, of: id, limit: 10)
        #expect(failed.map(\.reason) == ["The server refused the connection."])
    }

    @Test func pagesAreAddedAsThereIsRoom() async throws {
        let library = library(MemoryLibraryStore())
        _ = try await library.importAddresses(of: Self.file(Self.pages(250)), name: nil, formats: [.png])
        _ = try await counts(of: library) { $0.saving == 100 && $0.waiting == 150 }
        #expect(library.newest.count == 100)
        #expect(library.isBusy)
        // The owner can still save a page.
        _ = try await library.save("https://other.example/", formats: [.png])
        for _ in 0..<251 { try await capturer.call().succeed() }
        let counts = try await counts(of: library) { $0.isFinished }
        #expect(counts.saved == 250)
        #expect(library.newest.count == 251)
        await library.waitUntilIdle()
    }

    @Test func importContinuesAfterARestart() async throws {
        let store = MemoryLibraryStore()
        let first = library(store)
        _ = try await first.importAddresses(of: Self.file(Self.pages(120)), name: nil, formats: [.png])
        _ = try await counts(of: first) { $0.saving == 100 }
        #expect(await store.ownersWithWaitingEntries() == ["ann"])
        await first.shutDown()
        let second = library(store)
        try await second.open()
        #expect(second.imports.first?.counts.waiting == 20)
        // The first 100 calls are those of the first library, which were cancelled with it.
        for _ in 0..<220 { try await capturer.call().succeed() }
        let counts = try await counts(of: second) { $0.isFinished }
        #expect(counts.saved == 120)
        await second.waitUntilIdle()
    }

    @Test func pageThatWasSavedMeanwhileIsNotSavedTwice() async throws {
        let library = library(MemoryLibraryStore())
        _ = try await library.importAddresses(of: Self.file(Self.pages(101)), name: nil, formats: [.png])
        _ = try await counts(of: library) { $0.saving == 100 }
        let saved = try await library.save("https://page100.example/", formats: [.pdf])
        for _ in 0..<101 { try await capturer.call().succeed() }
        await library.waitForItem(saved) { $0.state.isFound }
        let counts = try await counts(of: library) { $0.isFinished }
        #expect((counts.saved, counts.alreadySaved) == (100, 1))
        #expect(library.newest.count == 101)
    }

    @Test func fullLibraryPausesTheImport() async throws {
        var budget = OwnerBudget()
        budget[.pages] = 2
        let library = library(MemoryLibraryStore(budget: budget))
        _ = try await library.importAddresses(of: Self.file(Self.pages(3)), name: nil, formats: [.png])
        for _ in 0..<2 { try await capturer.call().succeed() }
        _ = try await counts(of: library) { $0.saved == 2 && $0.waiting == 1 }
        for await problem in Observations({ library.importProblem }) where problem != nil {
            guard case .overBudget(let reason) = problem else { throw CancellationError() }
            #expect(reason.kind == .count)
            break
        }
        // Deleting a page and purging it makes room.
        let page = try #require(library.newest.first?.id)
        try await library.delete(page)
        time.advance(by: 3_600)
        try await library.purge()
        library.continueImports()
        try await capturer.call().succeed()
        let counts = try await counts(of: library) { $0.isFinished }
        #expect((counts.saved, counts.deleted) == (2, 1))
        #expect(library.importProblem == nil)
    }

    @Test func timeOfTheBookmarkOrdersTheList() async throws {
        let library = library(MemoryLibraryStore())
        let newer = try await library.save("https://now.example/", formats: [.png])
        try await capturer.call().succeed()
        let old = Date(timeIntervalSince1970: 1_500_000_000)
        _ = try await library.importAddresses(of: Self.file(Self.pages(1), addedAt: old), name: nil, formats: [.png])
        try await capturer.call().succeed()
        _ = try await counts(of: library) { $0.isFinished }
        #expect(library.newest.map(\.id).first == newer)
        #expect(library.newest.last?.requestedAt == old)
        // A bookmark from the future doesn't stay on top for ever.
        let future = Date(timeIntervalSince1970: 4_000_000_000)
        _ = try await library.importAddresses(
            of: Self.file(["https://future.example/"], addedAt: future), name: nil, formats: [.png])
        try await capturer.call().succeed()
        _ = try await counts(of: library) { $0.isFinished }
        #expect(library.newest.first?.requestedAt == time.now)
    }

    @Test func removedImportAddsNoMorePages() async throws {
        let library = library(MemoryLibraryStore())
        let id = try await library.importAddresses(of: Self.file(Self.pages(150)), name: nil, formats: [.png])
        _ = try await counts(of: library) { $0.saving == 100 }
        try await library.removeImport(id)
        #expect(library.imports.isEmpty)
        for _ in 0..<100 { try await capturer.call().succeed() }
        await library.waitUntilIdle()
        #expect(library.newest.count == 100)
        let error = await error { () throws(LibraryError) in try await library.removeImport(id) }
        #expect(error == .noSuchImport)
    }
}
