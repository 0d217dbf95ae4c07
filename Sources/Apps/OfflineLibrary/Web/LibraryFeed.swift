import Capture
import Observation
import OfflineLibraryModel
import Persistence
import Site

/// What a library looks like, rendered once for all who look at it.
struct LibraryView: Sendable, Equatable {
    /// The HTML of the list, as long as it is shown.
    var list = ""
    /// The HTML of each capture's progress, by the page's number.
    var progress: [KeptPage.ID: String] = [:]
}

/// What a library shows at one moment.
struct LibrarySnapshot: Sendable {
    var items: [LibraryItem]
    var order: LibrarySettings.Order
    var formats: Set<PageFormat>
    /// Why what the owner has chosen could not be kept.
    var problem: String?

    @MainActor
    init(_ library: Library) {
        self.items = library.items
        self.order = library.settings.value.order
        self.formats = library.settings.value.formats
        self.problem = library.settings.status.failure?.message
    }
}

/// Follows a library, and tells every open tab of its changes.
@MainActor
final class LibraryFeed {
    /// How long changes are collected before they are shown.
    private static let pause = Duration.milliseconds(40)

    nonisolated let views = Broadcast<LibraryView>()
    private let library: Library
    private let pages: LibraryTemplates
    /// Owned by this feed; ``stop()`` ends it.
    private var following: Task<Void, Never>?

    init(_ library: Library, pages: LibraryTemplates) {
        self.library = library
        self.pages = pages
    }

    func start() {
        let snapshots = Observations { [library] in LibrarySnapshot(library) }
        following = Task { [views, pages] in await Self.follow(snapshots, pages: pages, views: views) }
    }

    func stop() {
        following?.cancel()
        views.finish()
    }

    @concurrent
    private static func follow(
        _ snapshots: Observations<LibrarySnapshot, Never>, pages: LibraryTemplates, views: Broadcast<LibraryView>
    ) async {
        var shown: (rows: [Row], order: LibrarySettings.Order, problem: String?)?
        var view: LibraryView?
        for await snapshot in snapshots {
            let rows = snapshot.items.prefix(LibraryTemplates.listLength).map { Row($0) }
            let state = (rows: rows, order: snapshot.order, problem: snapshot.problem)
            if shown.map({ $0 != state }) ?? true { view = LibraryView(list: pages.list(snapshot)) }
            view?.progress = pages.progress(of: snapshot.items)
            shown = state
            if let view { views.send(view) }
            guard (try? await Task.sleep(for: pause)) != nil else { return }
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

/// What one tab is told: all of it at first, and then what has changed.
struct LibraryEvents: AsyncSequence, Sendable {
    typealias Element = ServerSentEvent
    typealias Failure = Never

    let views: AsyncStream<LibraryView>

    struct AsyncIterator: AsyncIteratorProtocol {
        var views: AsyncStream<LibraryView>.AsyncIterator
        var shown = LibraryView()
        var waiting: [ServerSentEvent] = []

        mutating func next() async -> ServerSentEvent? {
            await next(isolation: #isolation)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> ServerSentEvent? {
            while waiting.isEmpty {
                guard let view = await views.next(isolation: actor) else { return nil }
                if view.list != shown.list { waiting.append(ServerSentEvent(data: view.list, name: "list")) }
                for (id, html) in view.progress where shown.progress[id] != html {
                    waiting.append(ServerSentEvent(data: html, name: "progress-\(id)"))
                }
                shown = view
            }
            return waiting.removeFirst()
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(views: views.makeAsyncIterator())
    }
}

/// The events of an owner's library, which stays open for as long as they are read.
///
/// A stream that nobody reads, as the answer to a HEAD request has, opens nothing.
struct OpenLibraryEvents: AsyncSequence, Sendable {
    typealias Element = ServerSentEvent
    typealias Failure = Never

    let libraries: OpenLibraries
    let owner: String

    struct AsyncIterator: AsyncIteratorProtocol {
        let libraries: OpenLibraries
        let owner: String
        var events: LibraryEvents.AsyncIterator?
        var isEnded = false

        mutating func next() async -> ServerSentEvent? {
            await next(isolation: #isolation)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> ServerSentEvent? {
            if isEnded { return nil }
            if events == nil {
                guard let open = try? await libraries.lease(owner) else {
                    isEnded = true
                    return nil
                }
                events = LibraryEvents(views: open.feed.views.values()).makeAsyncIterator()
            }
            if let event = await events?.next(isolation: actor) { return event }
            isEnded = true
            await libraries.giveBack(owner)
            return nil
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(libraries: libraries, owner: owner)
    }
}
