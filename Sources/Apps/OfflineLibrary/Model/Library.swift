public import Capture
public import Foundation
import Futures
public import Loading
public import Observation
public import Persistence

/// The saved pages of one owner, and those being captured.
///
/// A page is reported as saved only when it is in the store. Each page has a fetch state machine. Late results of older
/// attempts have an older generation number, and are discarded.
@MainActor @Observable
public final class Library {
    typealias Machine = LoadingStateMachine<CaptureRequest, PageContent, CaptureFailure, CapturePhase>

    /// A page with its state machine.
    struct Entry: Sendable {
        let id: SavedPage.ID
        let request: CaptureRequest
        let requestedAt: Date
        /// The number of the last attempt that was started, as in the store.
        var attempt: Int
        var machine: Machine
        var deletedAt: Date?
        var givenTitle = ""
        var marks = PageMarks()
        var positions: [ReadingView: ReadingPosition] = [:]
    }

    /// The configuration of a library.
    public struct Configuration: Sendable {
        /// The options for capturing pages.
        public var options = CaptureOptions()
        /// How long a deleted page can be restored, in seconds.
        public var undoWindow: TimeInterval = 10 * 60
        /// The prefix of the links in a displayed page; each link's percent-encoded URL follows it.
        ///
        /// If it is `nil`, the links have their own URLs.
        public var linkPath: String?
        /// The path of the style sheet of articles; `nil` for none.
        public var articleStylePath: String?
        /// How long a change of the settings may wait until it is stored; after that, storing goes on in the background.
        public var settingsTimeout = Duration.seconds(5)
        /// Returns the current time.
        public var now: @Sendable () -> Date = { Date() }

        /// Creates the default configuration.
        public init() {
            options.thumbnailWidth = 480
        }
    }

    /// The owner of the pages.
    public let owner: OwnerID
    /// The owner's settings.
    @ObservationIgnored public let settings: Stored<LibrarySettings>
    var table = PageTable()
    @ObservationIgnored let configuration: Configuration
    @ObservationIgnored let store: any LibraryStore
    @ObservationIgnored let capturer: any PageCapturing
    @ObservationIgnored let importStore: (any ImportStore)?
    @ObservationIgnored let uploadStore: (any UploadStore)?
    /// The running captures, including superseded ones; each removes itself.
    @ObservationIgnored var captures: [CaptureKey: Task<Void, Never>] = [:]
    /// The pending writes that record the start of a capture, by page.
    @ObservationIgnored var pendingStarts: [SavedPage.ID: Future<Void, LibraryError>] = [:]
    /// The viewer copies being created.
    @ObservationIgnored var viewers: [ViewerKey: Task<Result<PageFile, LibraryError>, Never>] = [:]
    /// The latest change of several pages' marks.
    var marking: Marking?
    /// The last of the changes of marks that are being stored.
    @ObservationIgnored var pendingMarks: Task<Void, Never>?
    /// The imports of addresses, the newest first.
    public internal(set) var imports: [LibraryImport] = []
    /// Why pages of imports can't be added now; `nil` if they can.
    public internal(set) var importProblem: LibraryError?
    /// Adds pages of imports to the library.
    @ObservationIgnored var importing: Task<Void, Never>?
    /// Whether there may be room for pages of imports.
    @ObservationIgnored var areImportsDue = false
    @ObservationIgnored var isShuttingDown = false
    @ObservationIgnored let versionStore: (any VersionStore)?
    /// Compares versions of addresses.
    @ObservationIgnored var comparing: Task<Void, Never>?
    /// What is still to be compared.
    @ObservationIgnored var uncompared: [VersionWork] = []
    /// Why versions couldn't be compared at the last attempt.
    @ObservationIgnored public internal(set) var comparisonProblems: [VersionPair: ComparisonProblem] = [:]
    /// The number of comparisons so far.
    public internal(set) var comparedVersions = 0
    /// The pages whose opening is recorded.
    @ObservationIgnored var openedVersions: Set<SavedPage.ID> = []
    /// The addresses that are captured by a schedule.
    public internal(set) var schedules: [RecaptureSchedule] = []
    /// Why captures by a schedule can't be stored now; `nil` if they can.
    public internal(set) var schedulingProblem: LibraryError?
    /// Captures addresses by their schedules.
    @ObservationIgnored var recapturing: Task<Void, Never>?

    /// Identifies a capture.
    struct CaptureKey: Hashable {
        let page: SavedPage.ID
        let generation: Machine.Generation
    }

    /// Identifies a viewer copy.
    struct ViewerKey: Hashable {
        let page: SavedPage.ID
        let kind: FileKind
    }

    /// Creates an empty library; call ``open()`` to load it.
    ///
    /// - Parameters:
    ///   - owner: The owner of the pages.
    ///   - store: The store of the pages.
    ///   - settings: The owner's settings; without it, they last only as long as the library.
    ///   - capturer: Captures pages.
    ///   - imports: The store of imports and uploads, with the same pages; without it, there are none.
    ///   - versions: The store of comparisons and schedules; without it, there are none.
    ///   - configuration: The configuration.
    public init(
        owner: OwnerID, store: any LibraryStore, settings: Stored<LibrarySettings>? = nil,
        capturer: any PageCapturing, imports: (any ImportStore & UploadStore)? = nil,
        versions: (any VersionStore)? = nil, configuration: Configuration = Configuration()
    ) {
        self.owner = owner
        self.settings = settings ?? LibrarySettings.stored(in: MemoryStore())
        self.store = store
        self.capturer = capturer
        self.importStore = imports
        self.uploadStore = imports
        self.versionStore = versions
        self.configuration = configuration
    }

    /// Whether any work is in progress, so that the library must not be released.
    public var isBusy: Bool {
        !captures.isEmpty || !pendingStarts.isEmpty || !viewers.isEmpty || importing != nil
            || comparing != nil || recapturing != nil || imports.contains { $0.counts.waiting > 0 }
    }

    /// Whether it has deleted pages, which ``purge()`` must still remove.
    public var hasDeletedPages: Bool { newest.countWithoutDeleted < newest.count }
}

// MARK: - Items

/// A page of the library, for display.
public struct LibraryItem: Identifiable, Hashable, Sendable {
    /// The page's identifier.
    public let id: SavedPage.ID
    /// The captured URL and formats.
    public let request: CaptureRequest
    /// When the capture was requested.
    public let requestedAt: Date
    /// The state of the capture.
    public let state: SavedPage.State
    /// The progress of the capture; `nil` unless it is running.
    public let phase: CapturePhase?
    /// When the page was deleted; `nil` if it isn't deleted.
    public let deletedAt: Date?
    /// The title that an import gives the page, until it is saved; empty if there is none.
    public let givenTitle: String
    /// The star, tags and note.
    public let marks: PageMarks
    /// How far the page has been read in each view.
    public let positions: [ReadingView: ReadingPosition]

    /// Whether the page is deleted and can be restored.
    public var isDeleted: Bool { deletedAt != nil }
}

extension LibraryItem {
    /// Whether ``Library/retry(_:)`` may have another result: the capture failed for a reason that may pass, or the
    /// server sent an error page.
    public var canRetry: Bool {
        switch state {
        case .failed(let failure, _): failure.canRetry
        case .found(let content): content.errorStatus != nil
        case .idle, .fetching: false
        }
    }
}

extension Library {
    /// All pages, in the order that the owner has chosen.
    ///
    /// Sorting many pages by title is slow; a server should order ``newest`` with a ``LibraryOrdering`` instead.
    public var items: PageList {
        LibraryOrdering.ordered(newest, by: settings.value.order)
    }

    /// All pages, the newest first.
    public var newest: PageList { table.list }

    /// The page with an identifier; `nil` if there is none.
    public func item(_ id: SavedPage.ID) -> LibraryItem? { table[id]?.item }

    /// Finds a page that is already saved.
    ///
    /// - Parameter address: The address as typed: the one from which the page was requested, or to which it was redirected.
    /// - Returns: The newest saved page that isn't deleted or an error page; `nil` if there is none.
    public func saved(at address: String) -> LibraryItem? {
        (try? PageAddress(address)).flatMap { table.saved(at: $0.url.pageKey)?.item }
    }

    /// Finds a page that is being saved, or waits to be.
    ///
    /// - Parameter address: The address as typed.
    /// - Returns: The page; `nil` if there is none.
    public func fetching(at address: String) -> LibraryItem? {
        (try? PageAddress(address)).flatMap { table.fetching(at: $0.url.pageKey)?.item }
    }

    /// The copies that were saved from the same address as a page, which is one of them: the newest first, without deleted
    /// ones.
    public func copies(of item: LibraryItem) -> [LibraryItem] {
        table.copies(from: item.request.url.pageKey).map(\.item)
    }
}

extension Library {
    /// Sets the order of the list, and returns when it is stored.
    ///
    /// - Throws: ``LibraryError/storage(_:)`` if storing fails or takes more than a few seconds. The list has the new
    ///   order anyway, and storing is retried.
    public func sort(_ order: LibrarySettings.Order) async throws(LibraryError) {
        settings.value.order = order
        try await storeSettings()
    }

    /// The identifier of the library's feed, which is created and stored at the first call.
    ///
    /// - Returns: The identifier.
    /// - Throws: ``LibraryError/storage(_:)``, as ``sort(_:)`` does.
    public func feedID() async throws(LibraryError) -> UUID {
        if let id = settings.value.feedID { return id }
        let id = UUID()
        settings.value.feedID = id
        try await storeSettings()
        return id
    }

    private func storeSettings() async throws(LibraryError) {
        do throws(StoreError) {
            try await settings.flush(within: configuration.settingsTimeout)
        } catch {
            throw .storage(error.message)
        }
    }
}

extension Library.Entry {
    var item: LibraryItem {
        LibraryItem(
            id: id, request: request, requestedAt: requestedAt, state: machine.state, phase: machine.progress,
            deletedAt: deletedAt, givenTitle: givenTitle, marks: marks, positions: positions)
    }
}

// MARK: - Opening and shutting down

extension Library {
    /// Loads the stored pages, and resumes interrupted captures.
    ///
    /// Calling it again adds pages that other processes have added.
    ///
    /// - Throws: ``LibraryError`` if the pages can't be loaded. A capture that can't be resumed appears as failed.
    public func open() async throws(LibraryError) {
        if isShuttingDown { throw .shuttingDown }
        await settings.load()
        let pages = try await store.pages(ofOwner: owner)
        let all = await Self.table(of: pages)
        let new = pages.filter { table[$0.id] == nil }
        if newest.isEmpty { table = all } else { table.append(new.map(Entry.init)) }
        for page in new where page.state.isFetching {
            // A shutdown may have begun, and a user who sees the page may have acted on it already.
            guard !isShuttingDown else { return }
            guard let item = item(page.id), item.state.isFetching, !item.isDeleted, !isAtWork(on: page.id) else {
                continue
            }
            // Keep the attempt number, because its capture may still be running or be done.
            let generation = change(page.id) { $0.machine.fetch($0.request) }
            if let generation { capture(page.id, page.request, attempt: page.attempt, generation: generation) }
        }
        if let importStore { imports = try await importStore.imports(ofOwner: owner) }
        continueImports()
        await updateSchedules()
    }

    @concurrent
    private nonisolated static func table(of pages: [SavedPage]) async -> PageTable {
        PageTable(pages.lazy.map(Entry.init))
    }

    private func isAtWork(on id: SavedPage.ID) -> Bool {
        pendingStarts[id] != nil || captures.keys.contains { $0.page == id }
    }

    /// Starts no new captures, and cancels the running ones.
    ///
    /// They stay unfinished in the store, and resume when the library is opened again.
    public func beginShutdown() {
        isShuttingDown = true
        for capture in captures.values { capture.cancel() }
        recapturing?.cancel()
        comparing?.cancel()
    }

    /// Cancels the running captures, and returns when they and all viewer copies have ended.
    ///
    /// Captures wait for the capturer; close it first for a quick shutdown.
    public func shutDown() async {
        beginShutdown()
        await importing?.value
        await recapturing?.value
        await comparing?.value
        while let capture = captures.values.first { await capture.value }
        while let viewer = viewers.values.first { _ = await viewer.value }
        await pendingMarks?.value
        // Losing an unsaved setting, such as the list's order, is acceptable here.
        try? await settings.flush(within: .seconds(1))
    }

    /// Modifies an entry; returns `nil` if it no longer exists.
    @discardableResult
    func change<Result>(_ id: SavedPage.ID, _ body: (inout Entry) -> Result) -> Result? {
        table.change(id, body)
    }
}

extension Library.Entry {
    init(_ page: SavedPage) {
        self.init(
            id: page.id, request: page.request, requestedAt: page.requestedAt, attempt: page.attempt,
            machine: Library.Machine(state: page.state), deletedAt: page.deletedAt, givenTitle: page.givenTitle,
            marks: page.marks, positions: page.positions)
    }
}

extension Library {
    /// Performs work that continues even if the caller is cancelled, because other callers may wait for it.
    func uncancellable<Value: Sendable>(
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
