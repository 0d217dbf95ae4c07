public import Futures
public import Loading
public import Observation
public import Persistence

/// An open board: its contents, its background's picture, and whether all changes are stored; one for all of its tabs.
///
/// The store is the only source of truth. Changes applied in this process or another arrive as consecutive revisions,
/// and are passed on to the listeners of ``entries()``. The document fetches nothing before ``open()`` or after
/// ``close()``.
@MainActor @Observable
public final class EmojiArtDocument {
    /// The configuration of a document, including its sources of time and randomness.
    public struct Configuration: Sendable {
        /// The clock that measures pauses.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// The retry policy for fetching the background.
        public var fetching = RetryPolicy()
        /// The pauses between attempts to read or write the store, until it responds.
        public var saving = Backoff(firstPause: .seconds(1), longestPause: .seconds(60))
        /// The author of steps performed in this document; see ``LogEntry/author``.
        public var author = ""
        /// Generates the ids of batches.
        public var makeBatchID: @Sendable () -> String = {
            var generator = SystemRandomNumberGenerator()
            return Identifier.random(using: &generator)
        }
        /// The maximum number of steps that can be undone.
        public var undoLength = UndoHistory.length
        /// The maximum number of entries that are buffered for a slow listener; above it, the listener must reload the
        /// board.
        public var newsLimit = 256

        /// Creates the default configuration.
        public init() {}
    }

    /// The board's identifier.
    public let id: BoardID
    /// The board's owner.
    public let owner: OwnerID
    /// The board's name.
    public internal(set) var name = ""
    /// The board's contents, including steps performed in this document that aren't stored yet.
    public internal(set) var art = EmojiArt()
    /// The latest known revision: that of ``art`` without the pending steps.
    public internal(set) var revision = 0
    /// Whether the board is deleted.
    public internal(set) var isGone = false
    /// Whether all steps performed in this document are stored.
    public internal(set) var saving = SavingState.saved
    /// A message for the user about a step that couldn't be performed, undone, redone or stored.
    ///
    /// See ``dismissNotice()``.
    public internal(set) var notice: String?

    /// Counts the attempts to load the background, which distinguishes two failures with the same message.
    public internal(set) var backgroundAttempts = 0

    var history: UndoHistory
    @ObservationIgnored let loader: Loader<Background, BackgroundPicture, BackgroundError>
    @ObservationIgnored let reader: BackgroundReader
    @ObservationIgnored let store: any BoardStoring
    @ObservationIgnored let configuration: Configuration
    @ObservationIgnored var replica = BoardReplica(revision: 0)
    @ObservationIgnored var queue = SavingQueue(known: 0)
    /// The known state of the board while ``art`` shows pending steps on top; otherwise `nil`.
    @ObservationIgnored var confirmed: EmojiArt?
    /// Whether the board's name may have changed.
    @ObservationIgnored var isNameStale = false
    @ObservationIgnored var listeners: [Listening] = []
    /// The callers that wait until a revision is known here.
    @ObservationIgnored var waiters: [(revision: Int, completion: Promise<Void, Never>)] = []
    @ObservationIgnored private(set) var isOpen = false
    @ObservationIgnored private var isClosing = false
    /// Running tasks; ``close()`` ends them.
    @ObservationIgnored private var following: Task<Void, Never>?
    @ObservationIgnored var requesting: Task<Void, Never>?
    @ObservationIgnored var requestPause: Task<Void, Never>?
    @ObservationIgnored var sending: Task<Void, Never>?
    @ObservationIgnored var sendingPause: Task<Void, Never>?

    /// A weak reference to a listener, which lives as long as its reader.
    struct Listening {
        weak var listener: NewsListener?
    }

    /// Creates a document that has read nothing yet; see ``open()``.
    public init(
        id: BoardID, owner: OwnerID, store: any BoardStoring, fetching: any BackgroundFetching,
        configuration: Configuration = Configuration()
    ) {
        self.id = id
        self.owner = owner
        self.store = store
        self.configuration = configuration
        self.history = UndoHistory(length: configuration.undoLength)
        let reader = BackgroundReader(board: id, owner: owner, store: store, fetching: fetching)
        self.reader = reader
        let settings = LoaderSettings(retry: configuration.fetching, clock: configuration.clock)
        self.loader = Loader(settings: settings) { background, progress async throws(BackgroundError) in
            try await reader.picture(of: background, progress: progress)
        }
    }

    deinit {
        for task in [following, requesting, requestPause, sending, sendingPause] { task?.cancel() }
        for listening in listeners { listening.listener?.finish() }
    }
}

extension EmojiArtDocument {
    /// Reads the board, starts to follow its changes, and loads its background.
    ///
    /// - Throws: Why it can't be read; the call can be retried.
    public func open() async throws(BoardStoreError) {
        // Subscribes before reading, so that no change is missed.
        let updates = store.updates(of: owner)
        let board = try await store.board(id, owner: owner)
        if isClosing { throw .failed(ArtWords.closedWhileOpening) }
        guard let board else { throw .notFound(id) }
        // A concurrent call may have opened it.
        guard !isOpen else { return }
        isOpen = true
        replica = BoardReplica(revision: board.summary.revision)
        queue = SavingQueue(known: board.summary.revision)
        show(board)
        following = Task { [weak self, id] in
            for await notices in updates {
                if let notice = notices[id] { self?.receive(notice) }
            }
        }
    }

    /// Ends the document's tasks and its listeners' streams; a closed document can't be opened again.
    ///
    /// Pending steps are sent to the store once more, without pauses.
    public func close() async {
        isClosing = true
        isOpen = false
        following?.cancel()
        requestPause?.cancel()
        sendingPause?.cancel()
        loader.cancel()
        replica.close()
        settleWaiters()
        for listening in listeners { listening.listener?.finish() }
        listeners = []
        save(queue.close())
        while let sending { await sending.value }
        await following?.value
        await requesting?.value
    }

    /// Whether steps performed in this document aren't stored yet.
    public var isBusy: Bool { saving != .saved }

    /// Stores a validated picture, so that it can be set as a ``Background/picture(_:)``.
    public func add(_ checked: CheckedPicture) async throws(PictureError) -> BackgroundPicture {
        try await rethrowing(PictureError.store) { () async throws(BoardStoreError) in
            BackgroundPicture(try await store.add(checked.picture, for: id, owner: owner), checked)
        }
    }
}
