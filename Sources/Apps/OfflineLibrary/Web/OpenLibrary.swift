import Capture
import Futures
import Observation
import OfflineLibraryModel
import Persistence
import Site

/// What a library shows at one moment.
struct LibrarySnapshot: Sendable {
    /// The newest first, until ``ordered(by:)``.
    var items: [LibraryItem]
    var order: LibrarySettings.Order
    var formats: Set<PageFormat>
    /// Why what the owner has chosen could not be kept.
    var problem: String?

    @MainActor
    init(_ library: Library) {
        self.items = library.newest
        self.order = library.settings.value.order
        self.formats = library.settings.value.formats
        self.problem = library.settings.status.failure?.message
    }

    /// The same with the pages in the order that the owner has chosen.
    func ordered(by ordering: LibraryOrdering) async throws(LibraryError) -> LibrarySnapshot {
        var ordered = self
        ordered.items = try await ordering.ordered(items, by: order)
        return ordered
    }
}

/// A library that is in use: follows it, and tells every open tab of its changes.
@MainActor
final class OpenLibrary: LiveDocument {
    typealias Key = OwnerID

    static let ending = LibraryError.ending
    /// How long changes are collected before they are shown.
    private static let pause = Duration.milliseconds(40)

    /// The list, and the progress of each capture under the page's number.
    nonisolated let parts = Broadcast<[String: String]>()
    let library: Library
    private let pages: LibraryTemplates
    /// Owned by this one; ``close()`` ends it.
    private var following: Task<Void, Never>?

    init(_ library: Library, pages: LibraryTemplates) {
        self.library = library
        self.pages = pages
    }

    var isBusy: Bool { library.isBusy }

    func open() async throws(LibraryError) {
        try await library.open()
        let snapshots = Observations { [library] in LibrarySnapshot(library) }
        following = Task { [parts, pages] in await Self.follow(snapshots, pages: pages, parts: parts) }
    }

    func close() async {
        following?.cancel()
        parts.finish()
        await library.shutDown()
    }

    @concurrent
    private static func follow(
        _ snapshots: Observations<LibrarySnapshot, Never>, pages: LibraryTemplates,
        parts: Broadcast<[String: String]>
    ) async {
        var shown: (rows: [Row], order: LibrarySettings.Order, problem: String?)?
        var list = ""
        for await newest in snapshots {
            // What takes too long is shown with the next change.
            guard let snapshot = try? await newest.ordered(by: pages.ordering) else { continue }
            let rows = snapshot.items.prefix(LibraryTemplates.listLength).map { Row($0) }
            let state = (rows: rows, order: snapshot.order, problem: snapshot.problem)
            if shown.map({ $0 != state }) ?? true { list = pages.list(snapshot).markup }
            shown = state
            var all = ["list": list]
            for (id, progress) in pages.progress(of: snapshot.items) { all["progress-\(id)"] = progress.markup }
            parts.send(all)
            guard (try? await Stopwatch(ContinuousClock()).sleep(until: pause)) != nil else { return }
        }
    }

    /// What the list shows of a page, but for how far it is.
    private struct Row: Equatable {
        var id: KeptPage.ID
        var state: KeptPage.State
        var isDeleted: Bool

        init(_ item: LibraryItem) {
            self.id = item.id
            self.state = item.state
            self.isDeleted = item.isDeleted
        }
    }
}
