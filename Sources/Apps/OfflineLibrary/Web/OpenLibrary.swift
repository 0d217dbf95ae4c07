import Capture
import Futures
import Observation
import OfflineLibraryModel
import Persistence
import Site

/// A snapshot of what a library displays.
struct LibrarySnapshot: Sendable {
    /// The pages, newest first; ``ordered(by:)`` returns a copy in the owner's order.
    var items: PageList
    var order: LibrarySettings.Order
    var formats: Set<PageFormat>
    /// The reason why the settings couldn't be stored.
    var problem: String?
    /// The latest change of several pages' marks, if it can be undone.
    var marking: Marking?
    var imports: [LibraryImport]
    /// Why pages of imports can't be added now.
    var importProblem: LibraryError?
    /// A text that changes whenever a comparison or a schedule does.
    var versions: String

    @MainActor
    init(_ library: Library) {
        self.items = library.newest
        self.order = library.settings.value.order
        self.formats = library.settings.value.formats
        self.problem = library.settings.status.failure?.message
        self.marking = library.latestMarking
        self.imports = library.imports
        self.importProblem = library.importProblem
        self.versions = library.versionsVersion
    }

    /// A copy with the pages in the order that the owner has chosen.
    func ordered(by ordering: LibraryOrdering) async throws(LibraryError) -> LibrarySnapshot {
        var ordered = self
        ordered.items = try await ordering.ordered(items, by: order)
        return ordered
    }
}

/// What the results of a search show of the library.
struct LibraryContext: Sendable {
    var items: PageList
    var marking: Marking?
}

extension LibraryContext {
    @MainActor
    init(_ library: Library) {
        self.init(items: library.newest, marking: library.latestMarking)
    }
}

/// An open library, which updates every open tab when it changes.
@MainActor
final class OpenLibrary: LiveDocument {
    typealias Key = OwnerID

    static let shuttingDownError = LibraryError.shuttingDown
    /// The pause after each update of the tabs, which coalesces later changes.
    private static let pause = Duration.milliseconds(40)

    /// The HTML of the list and of each capture's progress, and the version of each import's report, by event name.
    nonisolated let parts = Broadcast<LiveParts>()
    let library: Library
    private let pages: LibraryTemplates
    /// Cancelled by ``close()``.
    private var following: Task<Void, Never>?

    init(_ library: Library, pages: LibraryTemplates) {
        self.library = library
        self.pages = pages
    }

    /// Deleted pages are work in progress, because only an open library purges them.
    ///
    /// So are changes that can be undone.
    var isBusy: Bool { library.isBusy || library.hasDeletedPages || library.latestMarking != nil }

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
        parts: Broadcast<LiveParts>
    ) async {
        var shown: ListState?
        var list: LiveParts = [:]
        for await newest in snapshots {
            // If ordering takes too long, skip this change; the next one includes it.
            guard let snapshot = try? await newest.ordered(by: pages.ordering) else { continue }
            let state = ListState(snapshot)
            if shown != state {
                list = LiveParts {
                    ["list": pages.list(snapshot).markup, "tags": pages.tags(snapshot.items.tags).markup]
                }
            }
            shown = state
            parts.send(
                LiveParts { [list] in
                    var all = list.current.merging(ImportReport.versions(of: snapshot)) { $1 }
                    all[VersionTemplates.event] = snapshot.versions
                    for (id, progress) in pages.progress(of: snapshot.items) { all["progress-\(id)"] = progress.markup }
                    return all
                })
            guard (try? await Stopwatch(ContinuousClock()).sleep(until: pause)) != nil else { return }
        }
    }

    /// What the list shows, without the progress of captures.
    private struct ListState: Equatable {
        var rows: [Row]
        var count: Int
        var order: LibrarySettings.Order
        var problem: String?
        var deleted: [SavedPage.ID]
        var marking: Marking?
        var tags: [TagCount]

        init(_ snapshot: LibrarySnapshot) {
            rows = snapshot.items.prefix(LibraryTemplates.listLength).map { Row($0) }
            count = snapshot.items.countWithoutDeleted
            order = snapshot.order
            problem = snapshot.problem
            deleted = snapshot.items.deletedTogether.map(\.id)
            marking = snapshot.marking
            tags = snapshot.items.tags
        }
    }

    /// The state of a list item, without its progress.
    private struct Row: Equatable {
        var id: SavedPage.ID
        var state: SavedPage.State
        var isDeleted: Bool
        var marks: PageMarks
        /// Coarse, so that reading in one tab doesn't update the list in another one at each pause.
        var percentRead: Int?

        init(_ item: LibraryItem) {
            self.id = item.id
            self.state = item.state
            self.isDeleted = item.isDeleted
            self.marks = item.marks
            self.percentRead = item.lastPosition.map { Int(($0.share * 20).rounded()) * 5 }
        }
    }
}
