public import Capture
public import Foundation
import Futures
public import Loading
public import Observation
public import Persistence

/// The kept pages of one owner, and those on their way.
///
/// What it says is kept, is in its store. Every state of a page is that of its fetch state machine, whose generation keeps
/// late answers to older attempts away.
@MainActor @Observable
public final class Library {
    typealias Machine = LoadingStateMachine<CaptureRequest, PageContent, CaptureFailure, CapturePhase>

    /// A page with its machine.
    struct Entry {
        let id: KeptPage.ID
        let request: CaptureRequest
        let requestedAt: Date
        /// The number of the capture that has begun last, as the store has it.
        var attempt: Int
        var machine: Machine
        var deletedAt: Date?
    }

    /// How the library works.
    public struct Configuration: Sendable {
        /// How pages are captured.
        public var options = CaptureOptions()
        /// How long a deleted page can be brought back.
        public var undoWindow: TimeInterval = 10 * 60
        /// What time it is.
        public var now: @Sendable () -> Date = { Date() }

        /// Creates the usual configuration.
        public init() {
            options.thumbnailWidth = 480
        }
    }

    /// Whose it is.
    public let owner: OwnerID
    /// What the owner has chosen.
    @ObservationIgnored public let settings: Stored<LibrarySettings>
    /// The newest first.
    var entries: [Entry] = []
    @ObservationIgnored let configuration: Configuration
    @ObservationIgnored let store: any LibraryStore
    @ObservationIgnored let capturer: any PageCapturing
    /// The captures that run, also those that nobody listens to any more; each removes itself.
    @ObservationIgnored var captures: [CaptureKey: Task<Void, Never>] = [:]
    /// Pages whose capture begins, as soon as the store has it in writing.
    @ObservationIgnored var beginnings: [KeptPage.ID: Future<Void, LibraryError>] = [:]
    /// Viewer copies that are being made.
    @ObservationIgnored var viewers: [KeptPage.ID: Future<KeptFile, LibraryError>] = [:]
    @ObservationIgnored var isEnding = false

    /// What tells captures apart.
    struct CaptureKey: Hashable {
        let page: KeptPage.ID
        let generation: Machine.Generation
    }

    /// Creates a library that knows of no page yet; see ``open()``.
    ///
    /// - Parameters:
    ///   - owner: Whose it is.
    ///   - store: Where pages are kept.
    ///   - settings: What the owner has chosen; without it, that is forgotten with the library.
    ///   - capturer: What captures pages.
    ///   - configuration: How it works.
    public init(
        owner: OwnerID, store: any LibraryStore, settings: Stored<LibrarySettings>? = nil,
        capturer: any PageCapturing, configuration: Configuration = Configuration()
    ) {
        self.owner = owner
        self.settings = settings ?? LibrarySettings.kept(in: MemoryStore())
        self.store = store
        self.capturer = capturer
        self.configuration = configuration
    }

    /// Whether anything is going on that must not be dropped.
    public var isBusy: Bool { !captures.isEmpty || !beginnings.isEmpty || !viewers.isEmpty }
}

// MARK: - What is shown

/// A page of the library as it is shown.
public struct LibraryItem: Identifiable, Hashable, Sendable {
    /// What tells it apart.
    public let id: KeptPage.ID
    /// What was asked for.
    public let request: CaptureRequest
    /// When it was asked for.
    public let requestedAt: Date
    /// What has become of it.
    public let state: KeptPage.State
    /// How far its capture is; `nil` unless it is being fetched.
    public let phase: CapturePhase?
    /// Whether it is deleted, and can be brought back.
    public let isDeleted: Bool
}

extension Library {
    /// All pages, in the order that the owner has chosen.
    ///
    /// Takes long for many pages by title: what serves others orders ``newest`` by a ``LibraryOrdering``.
    public var items: [LibraryItem] {
        LibraryOrdering.ordered(newest, by: settings.value.order)
    }

    /// All pages, the newest first.
    public var newest: [LibraryItem] { entries.map(\.item) }

    /// A page; `nil` if there is none of that number.
    public func item(_ id: KeptPage.ID) -> LibraryItem? {
        entries.first { $0.id == id }?.item
    }
}

extension Library {
    /// Orders the list, and returns when that is kept.
    ///
    /// - Throws: ``LibraryError/storage(_:)`` if it could not be kept, or not in a few seconds; the list is in the new order
    ///   all the same, and it is tried again.
    public func sort(_ order: LibrarySettings.Order) async throws(LibraryError) {
        settings.value.order = order
        do throws(StoreError) {
            try await settings.flush(within: .seconds(5))
        } catch {
            throw .storage(error.message)
        }
    }
}

extension Library.Entry {
    var item: LibraryItem {
        LibraryItem(
            id: id, request: request, requestedAt: requestedAt, state: machine.state, phase: machine.progress,
            isDeleted: deletedAt != nil)
    }
}

// MARK: - Opening and ending

extension Library {
    /// Reads what is kept, and goes on with captures that were interrupted.
    ///
    /// Opening it again adds what others have added meanwhile.
    ///
    /// - Throws: ``LibraryError``, if nothing can be read. What cannot be gone on with is shown as failed.
    public func open() async throws(LibraryError) {
        if isEnding { throw .ending }
        await settings.load()
        let pages = try await store.pages(ofOwner: owner)
        let known = Set(entries.map(\.id))
        let new = pages.filter { !known.contains($0.id) }
        entries = (entries + new.map(Entry.init)).sorted { $0.requestedAt > $1.requestedAt }
        for page in new where page.state.isFetching {
            // The program may be ending, and whoever sees the page may have been faster.
            guard !isEnding else { return }
            guard let item = item(page.id), item.state.isFetching, !item.isDeleted, !isAtWork(on: page.id) else {
                continue
            }
            // The same attempt: its capture may have gone on, or be done.
            let generation = change(page.id) { $0.machine.fetch($0.request) }
            if let generation { capture(page.id, page.request, attempt: page.attempt, generation: generation) }
        }
    }

    private func isAtWork(on id: KeptPage.ID) -> Bool {
        beginnings[id] != nil || captures.keys.contains { $0.page == id }
    }

    /// Starts nothing from now on, and cancels the captures that run.
    ///
    /// They stay unfinished in the store, and go on when the library is opened the next time.
    public func beginShutdown() {
        isEnding = true
        for capture in captures.values { capture.cancel() }
    }

    /// Cancels the captures that run, and returns when they have ended and viewer copies are made or given up.
    ///
    /// They wait for the capturer: close that first if the shutdown must be quick.
    public func shutDown() async {
        beginShutdown()
        while let capture = captures.values.first { await capture.value }
        while let viewer = viewers.values.first { _ = await viewer.result }
        // What cannot be written now is lost, but it is only how the list was ordered.
        try? await settings.flush(within: .seconds(1))
    }

    /// Changes an entry, if it is still there.
    @discardableResult
    func change<Result>(_ id: KeptPage.ID, _ body: (inout Entry) -> Result) -> Result? {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        return body(&entries[index])
    }
}

extension Library.Entry {
    init(_ page: KeptPage) {
        self.init(
            id: page.id, request: page.request, requestedAt: page.requestedAt, attempt: page.attempt,
            machine: Library.Machine(state: page.state), deletedAt: page.deletedAt)
    }
}

extension Library {
    /// Does something to its end, also if the one who asked for it leaves: others may see it, and wait for it.
    func toTheEnd<Value: Sendable>(
        _ work: @escaping @MainActor () async throws(LibraryError) -> Value
    ) async throws(LibraryError) -> Value {
        let task = Task { () -> Result<Value, LibraryError> in
            do throws(LibraryError) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        return try await task.value.get()
    }
}
