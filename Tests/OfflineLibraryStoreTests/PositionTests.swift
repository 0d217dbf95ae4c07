import Foundation
import OfflineLibraryModel
import Persistence
import StoreTesting
import Testing

@testable import Capture
@testable import OfflineLibraryStore

/// The positions at which pages are read, in all stores.
@Suite(.timeLimit(.minutes(10))) struct PositionTests {
    private static func position(_ share: Double, at seconds: Double, paragraph: Int? = nil) -> ReadingPosition {
        ReadingPosition(share: share, paragraph: paragraph, changedAt: Date.start.addingTimeInterval(seconds))
    }

    @Test(arguments: StoreKind.allCases)
    func latestPositionOfEachViewIsStored(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let (id, other) = (try await store.add("https://a.example").id, try await store.add("https://b.example").id)
        func stored() async throws -> [ReadingView: ReadingPosition]? {
            try await store.pages(ofOwner: "ann").first { $0.id == id }?.positions
        }
        #expect(try await stored() == [:])
        try await store.setPosition(Self.position(0.25, at: 2, paragraph: 7), in: .reader, of: id, owner: "ann")
        try await store.setPosition(Self.position(0.75, at: 1), in: .picture, of: id, owner: "ann")
        // An earlier position, and those of other owners and of unknown pages, change nothing.
        try await store.setPosition(Self.position(0.9, at: 1), in: .reader, of: id, owner: "ann")
        try await store.setPosition(Self.position(0.9, at: 5), in: .reader, of: id, owner: "bob")
        try await store.setPosition(Self.position(0.9, at: 5), in: .reader, of: SavedPage.ID(), owner: "ann")
        #expect(
            try await stored()
                == [.reader: Self.position(0.25, at: 2, paragraph: 7), .picture: Self.position(0.75, at: 1)])
        try await store.setPosition(Self.position(0.5, at: 3), in: .reader, of: id, owner: "ann")
        #expect(try await stored()?[.reader] == Self.position(0.5, at: 3))
        try await store.delete(other, at: .start)
        try await store.setPosition(Self.position(0.5, at: 3), in: .reader, of: other, owner: "ann")
        #expect(try await store.pages(ofOwner: "ann").first { $0.id == other }?.positions == [:])
        try await store.purge(deletedBefore: .distantFuture)
        #expect(try await stored()?.count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func pagesAreFoundByHowFarTheyAreRead(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        /// The positions of each page, and its state.
        let cases: [(positions: [(ReadingView, Double, at: Double)], state: ReadingState)] = [
            ([], .unread), ([(.opened, 0, at: 1)], .started), ([(.reader, 0.5, at: 1)], .started),
            ([(.reader, 0.95, at: 1)], .finished), ([(.reader, 0.94, at: 1)], .started),
            // The latest view counts.
            ([(.reader, 1, at: 1), (.picture, 0.2, at: 2)], .started),
            ([(.reader, 0.2, at: 1), (.picture, 1, at: 2)], .finished),
            // A clock that is behind doesn't make a read page one that was only opened.
            ([(.reader, 1, at: 1), (.opened, 0, at: 2)], .finished),
            ([(.reader, 0.5, at: 1), (.marked, 1, at: 2)], .finished),
            ([(.reader, 0.5, at: 1), (.marked, 0, at: 2)], .unread),
            ([(.opened, 0, at: 1), (.marked, 0, at: 2)], .unread),
            ([(.marked, 0, at: 1), (.opened, 0, at: 2)], .started),
            ([(.marked, 1, at: 1), (.reader, 0.3, at: 2)], .started),
        ]
        var expected: [ReadingState: Set<SavedPage.ID>] = [:]
        for (index, one) in cases.enumerated() {
            let id = try await store.add("https://a.example/\(index)", at: Double(index)).id
            for (view, share, at) in one.positions {
                try await store.setPosition(Self.position(share, at: at), in: view, of: id, owner: "ann")
            }
            expected[one.state, default: []].insert(id)
            let page = try await store.pages(ofOwner: "ann").first { $0.id == id }
            #expect(page?.positions.state == one.state, "\(one)")
        }
        for state in ReadingState.allCases {
            var filter = PageFilter()
            filter.reading = state
            let found = try await store.find(LibraryQuery(filter: filter), owner: "ann", range: 0..<99)
            #expect(Set(found.pages.map(\.id)) == expected[state], "\(state)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func readingMarksAreReplacedAndRemoved(_ kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let id = try await store.add("https://a.example").id
        func mark() async throws -> ReadingPosition? {
            try await store.pages(ofOwner: "ann").first?.positions[.marked]
        }
        let (later, earlier) = (Self.position(1, at: 2), Self.position(0, at: 1))
        try await store.setReadingMarks([id: later], owner: "bob")
        #expect(try await mark() == nil)
        try await store.setReadingMarks([id: later, SavedPage.ID(): later], owner: "ann")
        #expect(try await mark() == later)
        // Undoing restores an earlier mark.
        try await store.setReadingMarks([id: earlier], owner: "ann")
        #expect(try await mark() == earlier)
        try await store.setReadingMarks([id: nil], owner: "bob")
        #expect(try await mark() == earlier)
        try await store.setReadingMarks([id: nil], owner: "ann")
        #expect(try await mark() == nil)
    }
}
