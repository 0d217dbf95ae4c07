import Foundation
import Loading
import MemoryStores
import Observation
import OfflineLibraryModel
import Persistence
import StoreTesting
import Synchronization

@testable import Capture

/// A library with the fakes through which a test controls it.
@MainActor
struct LibraryFixture {
    let store = FaultyStore()
    let capturer: FakeCapturer
    let time = ManualDate()
    let library: Library
    private let settings: MemoryStore

    private let hasVersions: Bool

    init(ignoresCancellation: Bool = false, settings: MemoryStore = MemoryStore(), hasVersions: Bool = false) {
        self.capturer = FakeCapturer(ignoresCancellation: ignoresCancellation)
        self.settings = settings
        self.hasVersions = hasVersions
        self.library = Self.library(store, settings, capturer, time, hasVersions)
    }

    private static func library(
        _ store: FaultyStore, _ settings: MemoryStore, _ capturer: FakeCapturer, _ time: ManualDate,
        _ hasVersions: Bool
    ) -> Library {
        var configuration = Library.Configuration()
        configuration.now = { time.now }
        // Hundreds of tests may share the main actor.
        configuration.settingsTimeout = .seconds(300)
        configuration.linkPath = "/open?url="
        return Library(
            owner: "ann", store: store, settings: LibrarySettings.stored(in: settings), capturer: capturer,
            versions: hasVersions ? store.wrapped : nil, configuration: configuration)
    }
}

extension LibraryFixture {
    /// Another library of the same owner, as after a restart.
    func another() -> Library {
        Self.library(store, settings, capturer, time, hasVersions)
    }

    /// The page in the store.
    func storedPage(_ id: SavedPage.ID) async -> SavedPage? {
        await store.wrapped.pages(ofOwner: "ann").first { $0.id == id }
    }

    /// Starts to save a page, and returns its running capture.
    func startSaving(_ address: String = "https://example.org") async throws -> (SavedPage.ID, FakeCapturer.Call) {
        let id = try await library.save(address, formats: [.png, .webArchive])
        return (id, try await capturer.call())
    }

    /// Saves a page, and completes its capture.
    func savePage(
        _ address: String = "https://example.org", title: String = "A page"
    ) async throws -> SavedPage.ID {
        let (id, call) = try await startSaving(address)
        call.succeed(title: title)
        await library.waitForItem(id) { $0.state.isFound }
        return id
    }
}

extension Library {
    /// Waits until a page satisfies a condition, and returns it.
    @discardableResult
    func waitForItem(_ id: SavedPage.ID, _ isMet: @escaping (LibraryItem) -> Bool) async -> LibraryItem? {
        for await items in Observations({ self.items }) {
            if let item = items.first(where: { $0.id == id }), isMet(item) { return item }
        }
        return nil
    }

    /// Yields many times, so that pending work runs.
    func runPendingTasks() async {
        for _ in 0..<50 { await Task.yield() }
    }

    /// Waits until no work is in progress, or until the test's time limit cancels the task.
    func waitUntilIdle() async {
        while isBusy, !Task.isCancelled { await Task.yield() }
    }
}

extension SavedPage.State {
    var isFound: Bool {
        if case .found = self { true } else { false }
    }
}

/// The error that an operation throws; `nil` if it doesn't throw.
func error(_ operation: () async throws(LibraryError) -> Void) async -> LibraryError? {
    do throws(LibraryError) {
        try await operation()
        return nil
    } catch {
        return error
    }
}
