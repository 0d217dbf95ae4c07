import Foundation
import Loading
import MemoryStores
import OfflineLibraryReading
import Persistence
import Testing

@testable import Capture
@testable import OfflineLibraryModel

/// Bringing the pages of an export back.
@Suite(.timeLimit(.minutes(10))) struct RestoringTests {
    private typealias Store = LibraryStore & UploadStore

    private func withStore(_ kind: StoreKind, _ body: (any Store) async throws -> Void) async throws {
        let fixture = try await kind.fixture()
        try await body(try #require(fixture.store as? any Store))
        withExtendedLifetime(fixture) {}
    }

    /// An export of a page with all marks and positions, of one that failed, and of one that is being saved.
    private static func export(from store: any Store) async throws -> (zip: Data, page: SavedPage) {
        let id = try await store.addCaptured()
        let marks = try PageMarks(isFavourite: true, tags: PageTag.tags(in: "Café, b"), note: "A note\nof mine")
        try await store.setMarks([id: marks], owner: "ann")
        let position = ReadingPosition(share: 0.4, paragraph: 7, changedAt: .start)
        try await store.setPosition(position, in: .reader, of: id, owner: "ann")
        for name in ["failed", "unfinished"] {
            let url = try #require(URL(string: "https://\(name).example/"))
            let request = CaptureRequest(url: url, formats: [.png])
            let page = SavedPage(request: request, requestedAt: .start, state: .fetching(request, previous: nil))
            try await store.add(page, owner: "ann")
            guard name == "failed" else { continue }
            try await store.fail(
                page.id, owner: "ann", attempt: 1, failure: CaptureFailure(code: "test", message: "No connection."))
        }
        var zip = Data()
        try await store.export(.all, owner: "ann", at: .start + 60).write { zip.append($0) }
        let page = try #require(try await store.pages(ofOwner: "ann").first { $0.id == id })
        return (zip, page)
    }

    private static func pages(in zip: Data) throws -> [RestoredPage] {
        guard case .exported(let pages) = try ReadUpload.content(of: zip, name: "") else {
            Issue.record("The export isn't recognised.")
            return []
        }
        return pages
    }

    /// The text of a page, by which a search finds it.
    private static func search(_ text: String, in store: any Store, owner: OwnerID) async throws -> [SavedPage.ID] {
        try await store.find(LibraryQuery(words: SearchWords(text)), owner: owner, range: 0..<9).pages.map(\.id)
    }

    @Test(arguments: StoreKind.allCases)
    func pagesComeBackAsTheyWere(kind: StoreKind) async throws {
        try await withStore(kind) { old in
            let (zip, page) = try await Self.export(from: old)
            try await withStore(kind) { new in
                let pages = try Self.pages(in: zip)
                let outcome = try await UploadOutcome.restoring(pages) {
                    try await new.restore($0, owner: "ann", at: .start + 999)
                }
                #expect(outcome.saved.count == 3 && outcome.refused.isEmpty && outcome.known == 0)
                let restored = try await new.pages(ofOwner: "ann")
                #expect(restored.count == 3)
                let copy = try #require(restored.first { $0.id == page.id })
                #expect(copy.marks == page.marks && copy.positions == page.positions)
                #expect(copy.request.url == page.request.url)
                let (content, original) = (try #require(copy.state.value), try #require(page.state.value))
                // The final address isn't one of the web.
                #expect(content.title == original.title && content.url == page.request.url)
                #expect(content.warnings == original.warnings && content.isComplete == original.isComplete)
                #expect(abs(content.capturedAt.timeIntervalSince(original.capturedAt)) < 1)
                #expect(content.sizes == original.sizes)
                for kind in original.sizes.keys {
                    let before = try #require(try await old.file(kind, of: page.id, owner: "ann"))
                    let after = try #require(try await new.file(kind, of: page.id, owner: "ann"))
                    #expect(try await after.read() == (try await before.read()), "\(kind)")
                }
                let reasons = restored.compactMap(\.state.failureReason?.message).sorted()
                #expect(reasons == ["No connection.", LibraryWords.restoredUnfinished].sorted())
                #expect(try await Self.search("note", in: new, owner: "ann") == [page.id])
                // A second time, nothing changes.
                let again = try await UploadOutcome.restoring(pages) {
                    try await new.restore($0, owner: "ann", at: .start + 9_999)
                }
                #expect(again.saved.isEmpty && again.known == 3)
                #expect(try await new.pages(ofOwner: "ann").count == 3)
                // Another owner gets copies with identifiers of their own.
                let others = try await UploadOutcome.restoring(pages) {
                    try await new.restore($0, owner: "bob", at: .start + 9_999)
                }
                #expect(others.saved.count == 3 && Set(others.saved).isDisjoint(with: outcome.saved))
                #expect(try await new.pages(ofOwner: "ann").count == 3)
                let bobs = try #require(try await new.pages(ofOwner: "bob").first { $0.state.value != nil })
                #expect(bobs.marks == page.marks)
            }
        }
    }

    @Test func fileThatDiffersIsLeftOut() async throws {
        try await withStore(.memory) { old in
            var (zip, page) = try await Self.export(from: old)
            let picture = try #require(try await old.file(.png, of: page.id, owner: "ann")).read
            let bytes = try await picture()
            let place = try #require(zip.range(of: bytes))
            // The ZIP file's own checksum notices it, so the whole file is refused.
            zip[place.lowerBound] ^= 1
            let error = #expect(throws: LibraryFileError.self) { try Self.pages(in: zip) }
            #expect(error == .damaged(LibraryWords.zipProblem))
            // A file that was replaced together with its checksum is left out.
            var json =
                try JSONSerialization.jsonObject(
                    with: try #require(
                        try ZipReader.files(
                            in: try await Self.export(from: MemoryLibraryStore()).zip, limit: 1_000_000)[
                                "pages.json"])) as? [String: Any]
            json?["version"] = 2
            let newer = try JSONSerialization.data(withJSONObject: try #require(json))
            #expect(throws: LibraryFileError.damaged(LibraryWords.newerExport)) { try ExportedLibrary(newer) }
            let read = try ExportedLibrary(
                try #require(
                    try ZipReader.files(in: try await Self.export(from: MemoryLibraryStore()).zip, limit: 1_000_000)[
                        "pages.json"]))
            let one = try #require(read.pages.first { !$0.files.isEmpty })
            let intact = one.intact([.png: Data("other".utf8)])
            #expect(intact.isEmpty)
            let saved = try one.saved(with: intact, at: .start)
            #expect(saved.state.failureReason?.message == LibraryWords.restoredWithoutFiles)
            #expect(saved.givenTitle == page.state.value?.title)
        }
    }

    @Test func exportIsReadFromAFileInAnyOrder() async throws {
        try await withStore(.memory) { old in
            let (zip, page) = try await Self.export(from: old)
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appending(path: "export.zip")
            try zip.write(to: file)
            var pages: [String: RestoredPage.Files] = [:]
            let archive = try ExportArchive(path: file.path)
            try await archive.readPages { pages[$0.address] = try await $0.files() }
            #expect(pages.count == 3 && archive.pages.count == 3)
            #expect(
                pages[page.request.url.absoluteString]?.mapValues(\.count) == page.state.value?.sizes)
            try Data("PK\u{3}\u{4} no ZIP file".utf8).write(to: file)
            #expect(throws: LibraryFileError.self) { try ExportArchive(path: file.path) }
        }
    }
}
