import Foundation
import Interleaving
import Loading
import MemoryStores
import OfflineLibraryModel
import Persistence
import StoreTesting
import Testing

@testable import Capture

/// Explores a library under many schedules: it must show its store's pages, and all work must end.
@Suite(.timeLimit(.minutes(20))) struct LibraryExplorations {
    private static let schedules = isSoak ? 20_000 : 500
    private static let address = "https://example.org"

    /// A library whose captures take a few turns and succeed.
    @MainActor
    private static func library(_ store: MemoryLibraryStore) -> Library {
        var configuration = Library.Configuration()
        configuration.now = { Date(timeIntervalSince1970: 1_800_000_000) }
        return Library(owner: "ann", store: store, capturer: QuickCapturer(), configuration: configuration)
    }

    /// Checks that the library shows the store's contents once all work has ended.
    private static func compare(_ library: Library, with store: MemoryLibraryStore) async {
        await waitForOtherTasks()
        let isBusy = await library.isBusy
        check(!isBusy, "some work never ends")
        let shown = await library.items
        let stored = await store.pages(ofOwner: "ann")
        check(shown.map(\.id) == stored.map(\.id), "\(shown.count) pages are shown, and \(stored.count) are stored")
        for (item, page) in zip(shown, stored) {
            check(
                item.isDeleted == (page.deletedAt != nil),
                "shown as deleted: \(item.isDeleted), which differs from the store")
            check(
                name(item.state) == name(page.state), "\(name(item.state)) is shown, and \(name(page.state)) is stored")
        }
        try? await library.settings.flush()
        let status = await library.settings.status
        check(status.isSaved, "the settings are not saved: \(status)")
    }

    private static func name(_ state: SavedPage.State) -> String {
        switch state {
        case .idle: "idle"
        case .fetching: "fetching"
        case .found: "found"
        case .failed(let failure, previous: _): "failed: \(failure.code)"
        }
    }

    @Test func concurrentSavesOfAnAddressShareOnePage() {
        explore(schedules: Self.schedules) {
            let store = MemoryLibraryStore()
            let library = await Self.library(store)
            async let first = library.save(Self.address, formats: [.png])
            async let second = library.save(Self.address, formats: [.png])
            let ids = try await (first, second)
            await Self.compare(library, with: store)
            let count = await library.items.count
            // If the first capture has finished before the second request, there are two pages.
            check(count == (ids.0 == ids.1 ? 1 : 2), "\(count) pages")
        }
    }

    @Test func deleteAndRestoreDuringACaptureEndWithThePage() {
        explore(schedules: Self.schedules) {
            let store = MemoryLibraryStore()
            let library = await Self.library(store)
            let id = try await library.save(Self.address, formats: [.png])
            try await library.delete(id)
            try await library.restore(id)
            await Self.compare(library, with: store)
            let state = await library.item(id)?.state
            check(state.map(Self.name) == "found", "\(state.map(Self.name) ?? "nothing")")
        }
    }

    @Test func concurrentDeleteAndRestoreMatchTheStore() {
        explore(schedules: Self.schedules) {
            let store = MemoryLibraryStore()
            let library = await Self.library(store)
            let id = try await library.save(Self.address, formats: [.png])
            async let deleting: Void? = try? library.delete(id)
            async let restoring: Void? = try? library.restore(id)
            _ = await (deleting, restoring)
            await Self.compare(library, with: store)
        }
    }

    @Test func concurrentStopAndRetryMatchTheStore() {
        explore(schedules: Self.schedules) {
            let store = MemoryLibraryStore()
            let library = await Self.library(store)
            let id = try await library.save(Self.address, formats: [.png])
            async let stopping: Void? = try? library.stop(id)
            async let retrying: Void? = try? library.retry(id)
            _ = await (stopping, retrying)
            await Self.compare(library, with: store)
        }
    }

    @Test func shutdownDuringACaptureLosesNothing() {
        explore(schedules: Self.schedules) {
            let store = MemoryLibraryStore()
            let library = await Self.library(store)
            let id = try await library.save(Self.address, formats: [.png])
            await library.shutDown()
            let other = await Self.library(store)
            try await other.open()
            await Self.compare(other, with: store)
            let state = await other.item(id)?.state
            check(state.map(Self.name) == "found", "\(state.map(Self.name) ?? "nothing")")
        }
    }
}

/// Yields a few times, then returns an empty picture.
private struct QuickCapturer: PageCapturing {
    func capture(
        _ request: CaptureRequest, for attempt: CaptureAttempt, options: CaptureOptions,
        progress: @escaping @Sendable (CaptureProgress) -> Void
    ) async throws(CaptureFailure) -> PageCapture {
        progress(.settling)
        for _ in 0..<3 {
            await Task.yield()
            if Task.isCancelled { throw CaptureFailure(CaptureError(.cancelled, "The capture was cancelled.")) }
        }
        return PageCapture(
            requestedURL: request.url, url: request.url, title: "A page", httpStatus: 200, contentSize: (800, 600),
            readiness: .almostIdle, data: [.png: Data("picture".utf8)], thumbnail: nil, resources: [], warnings: [],
            duration: .seconds(1))
    }

    func viewerCopy(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> Data {
        Data()
    }

    func article(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> Data { Data() }

    func text(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> String { "" }
}
