import Futures
import FuturesFoundation
import Loading
public import Persistence

// Follows the store's changes of the board. The main actor protects the replica: a transition and its action run
// without a suspension between them.

extension EmojiArtDocument {
    /// Applies a page's batch, and returns when it is stored.
    ///
    /// This document then has the batch too, unless the store can't be read. Applying the same batch again returns the
    /// same outcome.
    public func apply(_ batch: OperationBatch, author: String) async throws(BoardStoreError) -> BatchOutcome {
        let outcome = try await store.apply(batch, to: id, owner: owner, author: author)
        guard isOpen else { return outcome }
        applied(outcome)
        // The caller may read the board next, and must not see an earlier revision than that of the outcome.
        await waitForRevision(outcome.revision)
        return outcome
    }

    /// Reads the changes since a revision from the store.
    public func changes(since revision: Int) async throws(BoardStoreError) -> BoardChanges {
        try await store.changes(of: id, since: revision, owner: owner)
    }

    /// Asks the store for changes, and returns when they are known here, or when the store has failed to respond.
    ///
    /// The notification of a change can arrive later than the response to the call that made it.
    public func refresh() async {
        guard isOpen else { return }
        receive(.changed)
        await waitForRevision(.max)
    }

    /// The changes that any process applies to the board from now on, in order.
    ///
    /// Each call creates an independent listener, for one reader. To miss nothing, call this first, and then
    /// ``changes(since:)``. The stream ends when the reader's task is cancelled, and with ``close()``.
    public func entries() -> Updates<BoardNews> {
        let listener = NewsListener(limit: configuration.newsLimit)
        listeners.removeAll { $0.listener == nil }
        if replica.phase == .ended {
            listener.finish()
        } else {
            listeners.append(Listening(listener: listener))
        }
        return listener.news()
    }
}

// MARK: - Notifications

extension EmojiArtDocument {
    /// The store has announced a change of the board.
    func receive(_ notice: BoardNotice) {
        guard isOpen else { return }
        switch notice {
        case .drawn(let entry): noteRevision(entry.revision, entry)
        case .changed:
            isNameStale = true
            carryOut(replica.changed())
        }
    }

    /// The store has applied a batch of this document; its notification may have arrived before.
    func applied(_ outcome: BatchOutcome) { noteRevision(outcome.revision, outcome.entry) }

    /// Notes that the store has a revision; if only `entry` is new, it is applied without a request to the store.
    private func noteRevision(_ revision: Int, _ entry: LogEntry?) {
        let isAllKnown = replica.phase == .idle && !isNameStale
        var action = replica.applied(revision)
        if isAllKnown, let entry, action.next == .ask(since: entry.revision - 1) {
            action.next = .nothing
            ask(.applied(entry))
        }
        carryOut(action)
    }

    /// Carries out an action of the replica; `caughtUp` is the state after its entries, if it was computed already.
    func carryOut(_ action: BoardReplica.Action, caughtUp: CaughtUp? = nil) {
        let isRestored = isGone && !replica.isGone
        if replica.isGone != isGone { isGone = replica.isGone }
        switch action.update {
        case .nothing: break
        case .gone: loader.cancel()
        case .entries(let entries): advance(by: entries, caughtUp: caughtUp)
        case .whole(let board):
            show(board)
            send(.whole(revision: board.summary.revision))
        }
        if isRestored { followBackground(isSet: true) }
        switch action.next {
        case .nothing: break
        case .ask(let revision): ask(.since(revision))
        case .askForAll: ask(.all)
        case .pause(let failures): pause(failures: failures)
        }
        settleWaiters()
    }

    /// Shows a board as stored, with pending batches of this document on top.
    func show(_ board: Board) {
        if board.summary.name != name { name = board.summary.name }
        if board.summary.revision != revision { revision = board.summary.revision }
        if confirmed == nil { art = board.art } else { confirmed = board.art }
        queue.advanced(to: revision, batches: [])
        showPending()
        followBackground()
    }

    private func advance(by entries: [LogEntry], caughtUp: CaughtUp?) {
        // This document's own batches have already changed the background, when they were performed.
        let isSet = entries.contains { !queue.contains($0.batch.id) && $0.batch.setsBackground }
        if let caughtUp, caughtUp.entries == entries.count {
            if confirmed == nil { art = caughtUp.art } else { confirmed = caughtUp.art }
        } else if confirmed == nil {
            art.apply(entries)
        } else {
            confirmed?.apply(entries)
        }
        revision = replica.revision
        queue.advanced(to: revision, batches: Set(entries.map(\.batch.id)))
        showPending()
        followBackground(isSet: isSet)
        send(.entries(entries))
    }

    private func send(_ news: BoardNews) {
        for listening in listeners { listening.listener?.send(news) }
        listeners.removeAll { $0.listener == nil }
    }
}

// MARK: - Requests

extension EmojiArtDocument {
    /// The kinds of request to the store.
    private enum Request: Sendable {
        case since(Int)
        case all
        /// No request: this entry is the only new one.
        case applied(LogEntry)
    }

    /// The board's state after a number of entries.
    struct CaughtUp: Sendable {
        let entries: Int
        let art: EmojiArt
    }

    /// The maximum number of operations applied on the main actor; more are applied on a worker thread.
    private nonisolated static let mainActorOperationLimit = 500

    /// The known state of the board, without pending batches of this document.
    private var knownArt: EmojiArt { confirmed ?? art }

    private func ask(_ request: Request) {
        requestPause?.cancel()
        let asksForName = isNameStale
        isNameStale = false
        requesting = requestTask(request, asksForName: asksForName)
    }

    /// Starts the task of a request.
    ///
    /// The task retains the document only while it reports, so that releasing the document cancels the request.
    private nonisolated func requestTask(_ request: Request, asksForName: Bool) -> Task<Void, Never> {
        Task { [weak self, store, id, owner] in
            var answer: BoardReplica.Answer
            var name: String?
            do throws(BoardStoreError) {
                switch request {
                case .applied(let entry): answer = .changes(.entries([entry]))
                case .since(let revision):
                    answer = .changes(try await store.changes(of: id, since: revision, owner: owner))
                case .all:
                    let board = try await store.board(id, owner: owner)
                    answer = board.map { .changes(.whole($0)) } ?? .gone
                }
                if asksForName { name = try await store.summary(of: id, owner: owner)?.name }
            } catch {
                answer = if case .notFound = error { .gone } else { .failed }
            }
            var caughtUp: CaughtUp?
            if case .changes(.entries(let entries)) = answer, entries.operationCount > Self.mainActorOperationLimit,
                let art = await self?.knownArt
            {
                // The known state can't change meanwhile: only one request is in flight.
                caughtUp = await WorkerThreads.computing.runUncancellable { _ in
                    var art = art
                    art.apply(entries)
                    return CaughtUp(entries: entries.count, art: art)
                }
            }
            await self?.answered(answer, name: name, asksForName: asksForName, caughtUp: caughtUp)
        }
    }

    private func answered(
        _ answer: BoardReplica.Answer, name: String?, asksForName: Bool, caughtUp: CaughtUp?
    ) {
        if let name {
            if name != self.name { self.name = name }
        } else if asksForName {
            isNameStale = true
        }
        carryOut(replica.answered(answer), caughtUp: caughtUp)
    }

    private func pause(failures: Int) {
        requestPause?.cancel()
        requestPause = pause(after: failures) { document in document.askAgain(failures) }
    }

    private func askAgain(_ failures: Int) { carryOut(replica.pauseEnded(failures: failures)) }

    /// Runs `body` after the configured pause, unless the task is cancelled.
    func pause(
        after failures: Int, then body: @escaping @MainActor @Sendable (EmojiArtDocument) -> Void
    ) -> Task<Void, Never> {
        let pause = configuration.saving.pause(after: failures)
        let stopwatch = Stopwatch(configuration.clock)
        return Task { [weak self] in
            // If the clock throws, there is no further attempt until the next event.
            guard (try? await stopwatch.sleep(until: pause)) != nil, !Task.isCancelled, let self else { return }
            body(self)
        }
    }
}

// MARK: - Waiting

extension EmojiArtDocument {
    /// Waits until a revision is known here, or the request for it has failed.
    private func waitForRevision(_ revision: Int) async {
        guard isRequestPending(for: revision) else { return }
        let completion = Promise<Void, Never>()
        waiters.append((revision, completion))
        await completion.future.value
    }

    private func isRequestPending(for revision: Int) -> Bool { replica.revision < revision && replica.isAsking }

    func settleWaiters() {
        let completed = waiters.filter { !isRequestPending(for: $0.revision) }
        guard !completed.isEmpty else { return }
        waiters.removeAll { !isRequestPending(for: $0.revision) }
        for waiter in completed { waiter.completion.resolve(()) }
    }
}

extension EmojiArt {
    /// Applies log entries of the store.
    fileprivate mutating func apply(_ entries: [LogEntry]) {
        for entry in entries { apply(entry.batch) }
    }
}

extension [LogEntry] {
    fileprivate var operationCount: Int { reduce(0) { $0 + $1.batch.operations.count } }
}

extension OperationBatch {
    /// Whether the batch sets the background.
    fileprivate var setsBackground: Bool {
        operations.contains { operation in
            switch operation {
            case .setBackground: true
            case .add, .move, .resize, .delete, .reorder, .rotate, .flip, .lock: false
            }
        }
    }
}
