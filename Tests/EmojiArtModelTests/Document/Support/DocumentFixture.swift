import Foundation
import Futures
import Loading
import Observation
import Persistence
import RealPictures
import SeededChance
import VirtualTime

@testable import EmojiArtModel

/// A document with its fake store, fetcher and clock.
@MainActor
struct DocumentFixture {
    let store: FakeBoardStore
    let fetcher = FakeFetcher()
    let clock = ManualClock()
    let document: EmojiArtDocument

    init(_ art: EmojiArt = EmojiArt(), newsLimit: Int = 256) {
        store = FakeBoardStore(art)
        document = .test(store, fetcher, clock: clock, newsLimit: newsLimit)
    }

    /// Opens a document of a board.
    static func open(_ art: EmojiArt = EmojiArt(), newsLimit: Int = 256) async throws -> DocumentFixture {
        let fixture = DocumentFixture(art, newsLimit: newsLimit)
        try await fixture.document.open()
        return fixture
    }

    /// Opens another document of the same board, like another process.
    func openAnother() async throws -> EmojiArtDocument {
        let document = EmojiArtDocument.test(store, fetcher, clock: clock, name: "other")
        try await document.open()
        return document
    }

    /// Applies operations as another process does.
    @discardableResult
    func applyAsAnotherProcess(_ id: String, _ operations: ArtOperation...) async throws -> BatchOutcome {
        try await store.apply(.test(id, operations), to: .test, owner: "ann", author: "other")
    }
}

extension EmojiArtDocument {
    /// A document with retry pauses of 1, 2, 4 … seconds and numbered batches.
    static func test(
        _ store: FakeBoardStore, _ fetcher: FakeFetcher, clock: any Clock<Duration> = ContinuousClock(),
        name: String = "own", newsLimit: Int = 256
    ) -> EmojiArtDocument {
        var configuration = Configuration()
        configuration.clock = clock
        configuration.saving.jitter = 0
        configuration.fetching.retry.backoff.jitter = 0
        configuration.newsLimit = newsLimit
        configuration.author = name
        let count = Lock(0)
        configuration.makeBatchID = {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return "\(name)-\(number)"
        }
        return EmojiArtDocument(
            id: .test, owner: "ann", store: store, fetching: fetcher, configuration: configuration)
    }
}

extension BoardID {
    /// The same ID in each test, so that an exploration finds the same schedules again.
    static var test: BoardID {
        var chance = SeededChance(seed: 0)
        return BoardID(using: &chance)
    }
}

extension Date {
    static let test = Date(timeIntervalSince1970: 1_800_000_000)
}

extension ArtOperation {
    /// Adds a dog with a numeric ID.
    static func dog(_ number: Int, x: Double = 0) -> ArtOperation {
        .add(Emoji(id: EmojiID(number), text: "🐶", x: x, y: 0, size: 40, z: Double(number)))
    }

    /// Moves a dog.
    static func move(_ number: Int, _ x: Double) -> ArtOperation { .move(EmojiID(number), x: x, y: 0) }

    /// Sets the background to the picture at an address.
    static func background(at address: String) -> ArtOperation { .setBackground(.address(address)) }
}

extension OperationBatch {
    static func test(_ id: String, _ operations: [ArtOperation]) -> OperationBatch {
        OperationBatch(id: id, name: "Step \(id)", operations: operations)
    }
}

extension EmojiArt {
    static func test(_ operations: ArtOperation...) -> EmojiArt {
        var art = EmojiArt()
        art.apply(.test("test", operations))
        return art
    }

    /// The x coordinate of a dog; `nil` if it isn't on the board.
    func x(_ number: Int) -> Double? { emoji(EmojiID(number))?.x }
}

/// Pictures of known sizes.
enum TestPictures {
    static func png(_ width: Int, _ height: Int = 100, padding: Int = 0) -> Data {
        RealPictures.png(width, height, padding: padding)
    }

    static func svg(_ content: String, before: String = "") -> Data {
        Data("\(before)<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"30\" height=\"20\">\(content)</svg>".utf8)
    }
}

/// Waits until an observed condition is true, or the test's time limit cancels the task.
@MainActor
func waitUntilShown(_ isMet: @escaping @MainActor () -> Bool) async {
    while !isMet(), !Task.isCancelled {
        let change = Promise<Void, CancellationError>(onAbandon: { CancellationError() })
        let isMetNow = withObservationTracking(isMet) { change.resolve(()) }
        if isMetNow { return }
        try? await change.future.value(onCancel: CancellationError())
        // Observation notifies before the change is made.
        await Task.yield()
    }
}

/// Returns the error that a store operation throws; `nil` if it succeeds.
@MainActor
func storeFailure(_ body: @MainActor () async throws(BoardStoreError) -> Void) async -> BoardStoreError? {
    do throws(BoardStoreError) {
        try await body()
        return nil
    } catch {
        return error
    }
}
