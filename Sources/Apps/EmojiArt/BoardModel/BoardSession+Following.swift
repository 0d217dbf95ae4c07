// How a page follows its board: by a stream of events, and by requests when the stream isn't enough. The page opens the
// stream, sends the requests and runs the timers; nothing here waits.

/// What a page knows about the stream of its board and about its requests.
struct BoardFollowing: Hashable, Sendable {
    /// Whether the board is followed: only while the page is visible.
    var isFollowing = false
    /// Whether the board was deleted.
    var isGone = false
    /// Whether the stream is open.
    var isOpen = false
    /// Whether the stream was lost and isn't open again.
    var isLost = false
    /// The request for entries that is under way.
    var entries: EntryRequest?
    /// The page's version when it sent the request for the whole board that is under way; `nil` if there is none.
    var state: Version?
    /// The revision whose entry must arrive soon, or else the stream is considered dead.
    var expected: Int?

    /// A version of the board.
    struct Version: Hashable, Sendable {
        /// The revision.
        let revision: Int
        /// The epoch.
        let epoch: String
    }

    /// A request for the entries since a version.
    struct EntryRequest: Hashable, Sendable {
        /// The version.
        var since: Version
        /// The epoch before the first of several requests.
        let epoch: String
        /// Whether the board was deleted then.
        let wasGone: Bool
        /// Whether another request must follow.
        var isOutdated = false
    }
}

extension BoardSession {
    /// What a page does to follow its board.
    public enum FollowingAction: String, Hashable, Sendable {
        /// Opens the stream; if it is open, closes it before.
        case openStream
        /// Closes the stream, and stops the timers of ``awaitEntry`` and ``poll``.
        case closeStream
        /// Closes the stream, and opens it after a delay.
        case retryStream
        /// Requests the entries since the session's revision.
        case requestEntries
        /// Requests the whole board.
        case requestState
        /// Calls ``BoardSession/entryIsLate()`` after a moment.
        case awaitEntry
        /// Calls ``BoardSession/poll()`` after a delay, which grows each time.
        case poll
        /// Stops the timer of ``poll``, and begins with its shortest delay again.
        case resetPolling
        /// Shows that the board was deleted.
        case showGone
        /// Continues with a board that was restored.
        case continueRestored
    }

    /// The server's response to a request for entries.
    public enum EntryResponse: Sendable {
        /// The entries; `nil` if the page doesn't know one of their operations, because the server is newer.
        case entries([ServerEntry]?)
        /// The whole board, because the entries aren't stored any more.
        case board(ServerBoard)
    }

    /// Whether the board was deleted.
    public var isGone: Bool { following.isGone }

    /// Whether the stream was lost and isn't open again.
    public var isDisconnected: Bool { following.isLost }

    // MARK: The page

    /// Follows the board, or connects again: the page is visible.
    public mutating func follow() {
        following.isFollowing = true
        if following.isGone { requestEntries() } else { openStream() }
    }

    /// Stops following the board: the page is hidden.
    public mutating func unfollow() {
        following.isFollowing = false
        closeStream()
    }

    // MARK: The stream

    /// The stream is open.
    public mutating func streamOpened() {
        (following.isOpen, following.isLost) = (true, false)
        setGone(false)
    }

    /// The stream was lost; the page opens it again after a delay.
    public mutating func streamLost() { (following.isOpen, following.isLost) = (false, true) }

    /// The server has refused to open the stream.
    public mutating func streamRefused() { requestEntries() }

    /// Takes entries of the stream; `nil` if the page doesn't know one of their operations.
    public mutating func receive(_ entries: [ServerEntry]?) {
        let need = entries.map { apply($0) } ?? .state
        switch need {
        case .nothing: break
        case .entries: requestEntries()
        case .state: requestState()
        }
    }

    /// Takes the server's revision, which the stream reports when it begins.
    public mutating func receive(revision: Int) {
        if revision != replica.revision { requestEntries() }
    }

    /// The board was deleted.
    public mutating func receiveGone() { setGone(true) }

    /// Expects the entry of a revision from a response of the server; if it is late, the stream is opened again.
    mutating func expect(_ revision: Int) {
        guard revision > replica.revision, following.isOpen, following.expected == nil else { return }
        following.expected = revision
        act(.awaitEntry)
    }

    /// The time for the expected entry has ended.
    public mutating func entryIsLate() {
        guard let expected = following.expected else { return }
        following.expected = nil
        if replica.revision < expected, following.isOpen { openStream() }
    }

    // MARK: Requests

    /// Takes the response to a request for entries.
    ///
    /// - Returns: Whether the response replaced the whole board.
    public mutating func receive(_ response: EntryResponse) -> Bool {
        guard let request = following.entries else { return false }
        setGone(false)
        var isReplaced = false
        if isCurrent(request.since) {
            switch response {
            case .entries(let entries): receive(entries)
            case .board(let board): isReplaced = replace(by: board, askedAt: request.since.revision)
            }
        } else {
            following.entries?.isOutdated = true
        }
        if following.entries?.isOutdated == true {
            let version = version
            following.entries?.isOutdated = false
            following.entries?.since = version
            act(.requestEntries)
            return isReplaced
        }
        following.entries = nil
        // The server refuses streams of an earlier epoch, so the stream continues with the new one.
        let isOtherEpoch = !request.epoch.isSame(as: replica.epoch)
        if request.wasGone || isOtherEpoch, following.isFollowing { openStream() }
        return isReplaced
    }

    /// Takes the response to a request for the whole board; asks again if it is older than the page's.
    ///
    /// - Returns: Whether the board was taken.
    public mutating func receive(_ board: ServerBoard) -> Bool {
        guard let since = following.state else { return false }
        if isCurrent(since), replace(by: board, askedAt: since.revision) {
            following.state = nil
            return true
        }
        let version = version
        following.state = version
        act(.requestState)
        return false
    }

    private var version: BoardFollowing.Version {
        BoardFollowing.Version(revision: replica.revision, epoch: replica.epoch)
    }

    /// Whether the page's epoch is still the one that it had when it asked.
    ///
    /// Otherwise the answer may be that of a server that has ended, which arrives after one of the next server.
    private func isCurrent(_ asked: BoardFollowing.Version) -> Bool { asked.epoch.isSame(as: replica.epoch) }

    /// A request has failed.
    ///
    /// - Parameters:
    ///   - isForState: Whether it asked for the whole board, not for entries.
    ///   - isGone: Whether the server has answered that the board was deleted.
    public mutating func requestFailed(isForState: Bool, isGone: Bool) {
        if isForState { following.state = nil } else { following.entries = nil }
        if isGone, !following.isGone {
            setGone(true)
        } else if following.isGone {
            pollForRestore()
        } else if following.isFollowing {
            // A new stream begins with the missing entries.
            (following.isOpen, following.isLost) = (false, false)
            act(.retryStream)
        }
    }

    /// Checks whether a deleted board was restored.
    public mutating func poll() { requestEntries() }

    private mutating func requestEntries() {
        if following.entries != nil {
            following.entries?.isOutdated = true
            return
        }
        following.entries = BoardFollowing.EntryRequest(
            since: version, epoch: replica.epoch, wasGone: following.isGone)
        act(.requestEntries)
    }

    private mutating func requestState() {
        guard following.state == nil else { return }
        let version = version
        following.state = version
        act(.requestState)
    }

    // MARK: States

    mutating func setGone(_ isGone: Bool) {
        guard isGone != following.isGone else { return }
        following.isGone = isGone
        act(.resetPolling)
        if isGone {
            closeStream()
            pollForRestore()
        }
        act(isGone ? .showGone : .continueRestored)
    }

    /// A deleted board can be restored for some minutes, but a page gets no event for it.
    private mutating func pollForRestore() {
        if following.isFollowing { act(.poll) }
    }

    private mutating func openStream() {
        (following.isOpen, following.isLost) = (false, false)
        act(.openStream)
    }

    private mutating func closeStream() {
        (following.isOpen, following.isLost, following.expected) = (false, false, nil)
        act(.closeStream)
    }

    private mutating func act(_ action: FollowingAction) { effects.following.append(action) }
}
