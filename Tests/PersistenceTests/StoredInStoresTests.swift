import Foundation
import Futures
import Testing

@testable import Persistence

/// Stored values in stores that several processes can share; each opened store behaves like one of another process.
@MainActor
@Suite(.timeLimit(.minutes(20))) struct StoredInStoresTests {
    private func kept(_ store: any Store) -> Stored<[Int]> {
        Stored(
            "numbers", in: store, format: .numbers, default: [], settings: AutosaveSettings(delay: .zero),
            merge: { .merged(Set($0.local + $0.foreign).sorted()) })
    }

    @Test(arguments: StoreKind.shared)
    func whatOneSetsTheOtherSees(_ kind: StoreKind) async throws {
        let place = try StorePlace(kind)
        let first = await kept(try await place.open()).load()
        let second = await kept(try await place.open()).load()
        first.value.append(1)
        try await first.flush()
        await until { second.value == [1] }
        second.value.append(2)
        try await second.flush()
        await until { first.value == [1, 2] }
        #expect(first.status.isSaved && second.status.isSaved)
        let third = await kept(try await place.open()).load()
        #expect(third.value == [1, 2])
    }

    @Test(arguments: StoreKind.shared)
    func whatBothSetAtTheSameTimeIsMerged(_ kind: StoreKind) async throws {
        let place = try StorePlace(kind)
        let first = await kept(try await place.open()).load()
        let second = await kept(try await place.open()).load()
        for number in 0..<20 {
            first.value.append(2 * number)
            second.value.append(2 * number + 1)
            async let flushed: Void = first.flush()
            async let alsoFlushed: Void = second.flush()
            _ = try await (flushed, alsoFlushed)
        }
        let third = await kept(try await place.open()).load()
        #expect(third.value.sorted() == Array(0..<40))
        await until { first.value.sorted() == Array(0..<40) && second.value.sorted() == Array(0..<40) }
        #expect(first.reports.isEmpty && second.reports.isEmpty)
    }

    @Test(arguments: StoreKind.shared)
    func whoLosesIsKeptBesideIt(_ kind: StoreKind) async throws {
        let place = try StorePlace(kind)
        let store = try await place.open()
        try await store.write([1], "numbers")
        let kept = Stored("numbers", in: try await place.open(), format: .numbers, default: [])
        kept.value = [2]
        try await kept.flush()
        #expect(kept.reports == [.foreignLost("numbers.conflict-1")])
        #expect(try await store.numbers("numbers") == [2])
        #expect(try await store.numbers("numbers.conflict-1") == [1])
    }

    @Test func encodingAndDecodingLeaveTheMainActorAlone() async throws {
        let store = MemoryStore()
        do {
            let kept = Stored("place", in: store, format: StoredFormat<Whereabouts>("place"), default: Whereabouts())
            kept.value = Whereabouts(number: 1)
            try await kept.flush()
        }
        let kept = Stored("place", in: store, format: StoredFormat<Whereabouts>("place"), default: Whereabouts())
        #expect(await kept.load().value.number == 1)
        #expect(!Whereabouts.wasOnMain.isRaised)
    }
}

/// A value that records whether it was encoded or decoded on the main thread.
private struct Whereabouts: Codable, Equatable {
    static let wasOnMain = Flag()

    var number = 0

    init(number: Int = 0) {
        self.number = number
    }

    init(from decoder: any Decoder) throws {
        if isOnMainThread() { Self.wasOnMain.raise() }
        self.number = try decoder.singleValueContainer().decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
        if isOnMainThread() { Self.wasOnMain.raise() }
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }
}

private func isOnMainThread() -> Bool { Thread.isMainThread }
