import Foundation
import Loading
import MemoryStores
import Observation
import OfflineLibraryModel
import Persistence
import StoreTesting
import Synchronization

@testable import Capture

/// A library with what a test steers it by.
@MainActor
struct Bench {
    let store = FaultyStore()
    let capturer: FakeCapturer
    let time = ManualDate()
    let library: Library
    private let settings: MemoryStore

    init(isStubborn: Bool = false, settings: MemoryStore = MemoryStore()) {
        self.capturer = FakeCapturer(isStubborn: isStubborn)
        self.settings = settings
        self.library = Self.library(store, settings, capturer, time)
    }

    private static func library(
        _ store: FaultyStore, _ settings: MemoryStore, _ capturer: FakeCapturer, _ time: ManualDate
    ) -> Library {
        var configuration = Library.Configuration()
        configuration.now = { time.now }
        return Library(
            owner: "ann", store: store, settings: LibrarySettings.kept(in: settings), capturer: capturer,
            configuration: configuration)
    }
}

extension Bench {
    /// A library of the same owner, as after a restart.
    func another() -> Library {
        Self.library(store, settings, capturer, time)
    }

    /// The page as the store has it.
    func kept(_ id: KeptPage.ID) async -> KeptPage? {
        await store.kept.pages(ofOwner: "ann").first { $0.id == id }
    }

    /// A page whose capture runs.
    func saving(_ address: String = "https://example.org") async throws -> (KeptPage.ID, FakeCapturer.Call) {
        let id = try await library.save(address, formats: [.png, .webArchive])
        return (id, try await capturer.call())
    }

    /// A page that is kept.
    func saved(_ address: String = "https://example.org") async throws -> KeptPage.ID {
        let (id, call) = try await saving(address)
        call.succeed()
        await library.item(id) { $0.state.isFound }
        return id
    }
}

extension Library {
    /// Waits until a page is as the test wants it.
    @discardableResult
    func item(_ id: KeptPage.ID, _ isMet: @escaping (LibraryItem) -> Bool) async -> LibraryItem? {
        for await items in Observations({ self.items }) {
            if let item = items.first(where: { $0.id == id }), isMet(item) { return item }
        }
        return nil
    }

    /// Lets everything run that can: what was asked for before this is under way after it.
    func turn() async {
        for _ in 0..<50 { await Task.yield() }
    }

    /// Waits until nothing is going on, or the test's time limit cancels it.
    func idle() async {
        while isBusy, !Task.isCancelled { await Task.yield() }
    }
}

extension KeptPage.State {
    var isFound: Bool {
        if case .found = self { true } else { false }
    }
}

/// What is thrown; `nil` if nothing is.
func error(_ operation: () async throws(LibraryError) -> Void) async -> LibraryError? {
    do throws(LibraryError) {
        try await operation()
        return nil
    } catch {
        return error
    }
}
