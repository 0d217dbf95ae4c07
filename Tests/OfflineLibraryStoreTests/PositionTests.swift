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
}
