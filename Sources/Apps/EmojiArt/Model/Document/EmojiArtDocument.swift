public import Futures
public import Loading
public import Observation
public import Persistence

/// A board that is open: what is on it, its background's picture, and whether all is kept; one for all of its tabs.
///
/// It holds no truth that its store does not have. What anybody applies, in this process or another, comes in by
/// revisions, one after the other, and is told to whoever listens to ``entries()``. Nothing is fetched before
/// ``open()`` or after ``close()``.
@MainActor @Observable
public final class EmojiArtDocument {
    /// How a document works, and where it gets the time and chance.
    public struct Configuration: Sendable {
        /// What measures pauses.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// After which errors, and how far apart, the background is fetched again.
        public var fetching = RetryPolicy()
        /// The pauses after which the store is asked again, until it answers.
        public var saving = Backoff(firstPause: .seconds(1), longestPause: .seconds(60))
        /// Who performs what is performed here; see ``LogEntry/author``.
        public var author = ""
        /// Makes up names of batches.
        public var makeBatchID: @Sendable () -> String = {
            var generator = SystemRandomNumberGenerator()
            return Identifier.random(using: &generator)
        }
        /// How many steps can be undone.
        public var undoLength = UndoHistory.length
        /// How many entries wait for a listener who is slow, before it is told to take the board anew.
        public var newsLimit = 256

        /// The usual configuration.
        public init() {}
    }

    /// What names the board.
    public let id: BoardID
    /// Whose it is.
    public let owner: OwnerID
    /// What it is called.
    public internal(set) var name = ""
    /// What is on it, with what is performed here and not kept yet.
    public internal(set) var art = EmojiArt()
    /// The revision that is known here: that of ``art`` without what is not kept yet.
    public internal(set) var revision = 0
    /// Whether the board was deleted, and is not back yet.
    public internal(set) var isGone = false
    /// Whether what is performed here is kept.
    public internal(set) var saving = SavingState.saved
    /// What could not be done, of what was performed or undone here, for a person to see; see ``dismissNotice()``.
    public internal(set) var notice: String?

    /// How often the background was asked for: of two failures that read the same, the second is another one.
    public internal(set) var backgroundAttempts = 0

    /// What was performed here, as it can be taken back.
    var history: UndoHistory
    /// The picture that the board is drawn on.
    @ObservationIgnored let loader: Loader<Background, BackgroundPicture, BackgroundError>
    @ObservationIgnored let reader: BackgroundReader
    @ObservationIgnored let store: any BoardStoring
    @ObservationIgnored let configuration: Configuration
    @ObservationIgnored var replica = BoardReplica(revision: 0)
    @ObservationIgnored var queue = SavingQueue(known: 0)
    /// What is known of the board, while ``art`` shows more than that.
    @ObservationIgnored var confirmed: EmojiArt?
    /// Whether the board may have another name by now.
    @ObservationIgnored var isNameStale = false
    @ObservationIgnored var listeners: [Listening] = []
    /// Those who wait until a revision is known here.
    @ObservationIgnored var waiters: [(revision: Int, isOver: Promise<Void, Never>)] = []
    @ObservationIgnored private(set) var isOpen = false
    @ObservationIgnored private var isEnding = false
    /// What goes on; ``close()`` ends it.
    @ObservationIgnored private var following: Task<Void, Never>?
    @ObservationIgnored var asking: Task<Void, Never>?
    @ObservationIgnored var askingPause: Task<Void, Never>?
    @ObservationIgnored var sending: Task<Void, Never>?
    @ObservationIgnored var sendingPause: Task<Void, Never>?

    /// Somebody who listens, for as long as they do.
    struct Listening {
        weak var listener: NewsListener?
    }

    /// A document of a board, of which nothing is read yet; see ``open()``.
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
        for task in [following, asking, askingPause, sending, sendingPause] { task?.cancel() }
        for listening in listeners { listening.listener?.finish() }
    }
}

extension EmojiArtDocument {
    /// Reads the board, and begins to follow it and to fetch its background.
    ///
    /// - Throws: Why it cannot be read; it can be tried again.
    public func open() async throws(BoardStoreError) {
        // Listening begins before reading, so that nothing is missed.
        let updates = store.updates(of: owner)
        let board = try await store.board(id, owner: owner)
        if isEnding { throw .failed("The board was closed while it was opened. Open it once more.") }
        guard let board else { throw .noBoard(id) }
        // Somebody else may have been faster.
        guard !isOpen else { return }
        isOpen = true
        replica = BoardReplica(revision: board.summary.revision)
        queue = SavingQueue(known: board.summary.revision)
        show(board)
        following = Task { [weak self, id] in
            for await notices in updates {
                if let notice = notices[id] { self?.heard(notice) }
            }
        }
    }

    /// Ends what it has begun, and the streams of whoever listens; it is not opened again.
    ///
    /// What is not kept yet is given to the store once more, without pauses.
    public func close() async {
        isEnding = true
        isOpen = false
        following?.cancel()
        askingPause?.cancel()
        sendingPause?.cancel()
        loader.cancel()
        replica.end()
        settleWaiters()
        for listening in listeners { listening.listener?.finish() }
        listeners = []
        save(queue.end())
        while let sending { await sending.value }
        await following?.value
        await asking?.value
    }

    /// Whether something is performed here that is not kept yet.
    public var isBusy: Bool { saving != .saved }

    /// Stores a picture that was checked, for a ``Background/picture(_:)``.
    public func keep(_ checked: CheckedPicture) async throws(PictureError) -> BackgroundPicture {
        try await rethrowing(PictureError.store) { () async throws(BoardStoreError) in
            BackgroundPicture(try await store.keep(checked.picture, for: id, owner: owner), checked)
        }
    }
}
