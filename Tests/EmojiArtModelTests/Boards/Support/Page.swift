import EmojiArtModel

/// A page of a board: a session, and what the page's scripts do for it.
///
/// Its functions do what `board-sync.js`, `sender.js` and `outbox.js` do, without an interruption between two requests,
/// as scripts run. Its timers may end at any moment.
actor Page {
    /// A mistake, to see that an exploration finds it.
    enum Mistake: Sendable {
        /// Opens a stream with the entries from then on, not with those since the page's revision.
        case missesEntriesBetweenStreams
        /// Removes a batch from the storage when it is sent.
        case forgetsBatchesBeforeTheAnswer
    }

    /// The maximum size of a request that outlives the page, as in `sender.js`.
    private static let keepaliveBytes = 60_000

    /// The page's name in the storage.
    let tab: String
    /// What the person did, in that order, without refused changes and drags.
    private(set) var done: [ArtOperation] = []
    private var session: BoardSession
    private let server: BoardServer
    private let storage: BrowserStorage
    private let mistake: Mistake?
    private var isClosed = false

    // What `sender.js` knows.
    private var sending: PendingBatch.ID?
    private var attempt = 0
    private var isWaitingForRetry = false
    private var retry = 0

    // What `board-sync.js` and `event-stream.js` know.
    /// The number of the stream; events and timers of others are ignored.
    private var stream = 0
    private var streamTask: Task<Void, Never>?
    private var entryTimer = 0

    // What `outbox.js` knows.
    private var places: [PendingBatch.ID: Int] = [:]
    private var lastPlace = 0
    /// The tabs under whose names batches are still stored that this page has taken over.
    private var foreign: [PendingBatch.ID: String] = [:]

    private init(
        _ tab: String, _ board: ServerBoard, of server: BoardServer, in storage: BrowserStorage, mistake: Mistake?
    ) {
        (self.tab, self.server, self.storage, self.mistake) = (tab, server, storage, mistake)
        session = BoardSession(board)
    }

    /// Opens a visible page.
    static func open(
        _ tab: String, of server: BoardServer, in storage: BrowserStorage, mistake: Mistake? = nil
    ) async -> Page {
        let board = await server.board
        let page = Page(tab, board, of: server, in: storage, mistake: mistake)
        await page.show()
        return page
    }

    /// Passes an event to the session, and carries out the effects.
    @discardableResult
    private func call<Value>(_ event: (inout BoardSession) -> Value) -> Value {
        let value = event(&session)
        let effects = session.takeEffects()
        for stored in effects.stored { store(stored.id, inPlaceOf: stored.place) }
        for id in effects.forgotten { remove(id) }
        if effects.abandonsRequest { abandon() }
        for action in effects.following { perform(action) }
        if effects.hasNews { sendPending() }
        return value
    }
}

// MARK: - The person

extension Page {
    var art: EmojiArt { session.art }
    var waitingCount: Int { session.waitingCount }
    /// The number of batches that the server hasn't answered, or whose entries haven't arrived.
    var pendingCount: Int { session.replica.batches.count }

    /// Does one step; the server will refuse it if `isRefused`.
    func change(_ operations: ArtOperation..., isRefused: Bool = false) {
        if isClosed { return }
        let name = BoardText.plain(isRefused ? BoardServer.refusedName : "Step")
        let isChanged = call { $0.change(name, operations) }
        if isChanged, !isRefused { noteLast() }
    }

    func undo() {
        if isClosed { return }
        let isChanged = call { $0.undo() }
        if isChanged { noteLast() }
    }

    func undoAll() {
        while !isClosed, !session.history.undoNames.isEmpty { undo() }
    }

    /// Drags an emoji; what else happens on the page may come between the moves, and an undo ends the drag.
    func drag(_ number: Int) async {
        let gesture = call { $0.beginGesture(.plain("Drag"), of: [EmojiID(number)]) }
        for distance in [10.0, 20, 30] {
            await Task.yield()
            call { $0.moveGesture(gesture, x: distance, y: 0) }
        }
        await Task.yield()
        call { $0.end(gesture: gesture) }
    }

    private func noteLast() { done += session.replica.batches.last?.operations ?? [] }

    /// Shows the page, or connects again.
    func show() {
        if isClosed { return }
        sendNow()
        call { $0.follow() }
    }

    func hide() {
        if isClosed { return }
        call { $0.sealAll() }
        sendNow()
        call { $0.unfollow() }
    }

    /// The browser leaves the page: what is under way goes on without it.
    func leave() {
        if isClosed { return }
        call { $0.sealAll() }
        let current = sending
        let hasMore = call {
            $0.prepareToLeave(limit: Self.keepaliveBytes, sending: current, outlivesPage: current != nil)
        }
        if hasMore { sendNow() }
        end()
    }

    /// Ends the page without notice, as a crash does.
    func end() {
        isClosed = true
        entryTimer += 1
        closeStream()
    }
}

// MARK: - Sending

extension Page {
    private func sendNow() {
        retry += 1
        isWaitingForRetry = false
        sendPending()
    }

    private func sendPending() {
        guard sending == nil, !isWaitingForRetry, let batch = call({ $0.nextBatch() }) else { return }
        sending = batch.id
        attempt += 1
        if mistake == .forgetsBatchesBeforeTheAnswer { remove(batch.id) }
        let number = attempt
        let name = if case .plain(let text) = batch.name { text } else { "" }
        let sent = OperationBatch(id: batch.id, name: name, operations: batch.operations)
        Task { await self.post(sent, attempt: number) }
    }

    /// Ignores the response to the request that is under way; the server may receive the request at any time, before or
    /// after the empty batch that is sent instead.
    private func abandon() {
        if let sending {
            let empty = OperationBatch(id: sending, name: "", operations: [])
            Task { _ = await self.server.post(empty) }
        }
        sending = nil
        attempt += 1
    }

    private func post(_ batch: OperationBatch, attempt number: Int) async {
        let (status, json) = await server.post(batch)
        guard number == attempt, !isClosed else { return }
        sending = nil
        switch call({ $0.receiveResponse(to: batch.id, status: status, json) }) {
        case .next: sendNow()
        case .retry:
            retry += 1
            isWaitingForRetry = true
            let number = retry
            Task { self.endRetryDelay(number) }
        case .stop: break
        }
    }

    private func endRetryDelay(_ number: Int) {
        guard number == retry, !isClosed else { return }
        isWaitingForRetry = false
        sendPending()
    }
}

// MARK: - Following

extension Page {
    private func perform(_ action: BoardSession.FollowingAction) {
        switch action {
        case .openStream: openStream()
        case .closeStream:
            entryTimer += 1
            closeStream()
        case .retryStream: retryStream()
        case .requestEntries: requestEntries()
        case .requestState: requestState()
        case .awaitEntry:
            entryTimer += 1
            let number = entryTimer
            Task { self.endEntryTimer(number) }
        // The board isn't deleted in these explorations.
        case .poll, .resetPolling, .showGone, .continueRestored: break
        }
    }

    private func endEntryTimer(_ number: Int) {
        if number == entryTimer { call { $0.entryIsLate() } }
    }

    private func openStream() {
        closeStream()
        let number = stream
        let since = mistake == .missesEntriesBetweenStreams ? nil : session.replica.revision
        let epoch = session.replica.epoch
        streamTask = Task { await self.follow(number, since: since, epoch: epoch) }
    }

    private func closeStream() {
        stream += 1
        streamTask?.cancel()
        streamTask = nil
    }

    /// Opens the stream again.
    ///
    /// - Parameter delay: A delay for which all other tasks end; without it, they may run before or after.
    private func retryStream(after delay: Duration? = nil) {
        closeStream()
        let number = stream
        streamTask = Task {
            if let delay { try? await Task.sleep(for: delay) }
            if number == self.stream { self.openStream() }
        }
    }

    private func follow(_ number: Int, since: Int?, epoch: String) async {
        let response = await server.events(since: since, epoch: epoch)
        guard number == stream else { return }
        guard let events = response else {
            // Without a delay, the stream might be refused without end before the response to a request arrives.
            retryStream(after: .seconds(1))
            call { $0.streamLost() }
            call { $0.streamRefused() }
            return
        }
        call { $0.streamOpened() }
        sendNow()
        for await event in events {
            guard number == stream else { return }
            switch event {
            case .entries(let entries): call { $0.receive(entries) }
            case .revision(let revision): call { $0.receive(revision: revision) }
            }
        }
        guard number == stream else { return }
        retryStream()
        call { $0.streamLost() }
    }

    private func requestEntries() {
        let (revision, epoch) = (session.replica.revision, session.replica.epoch)
        Task {
            let response = await self.server.entries(since: revision, epoch: epoch)
            if self.isClosed { return }
            if let response {
                self.call { $0.receive(response) }
            } else {
                self.call { $0.requestFailed(isForState: false, isGone: false) }
            }
        }
    }

    private func requestState() {
        Task {
            let board = await self.server.state()
            if self.isClosed { return }
            if let board {
                self.call { $0.receive(board) }
            } else {
                self.call { $0.requestFailed(isForState: true, isGone: false) }
            }
        }
    }
}

// MARK: - The browser's storage

extension Page {
    /// Takes over the batches of a page that has ended.
    func takeOver(_ other: String) {
        if isClosed { return }
        let found = storage.batches(of: other)
        for batch in found {
            if places[batch.id] != nil {
                storage.remove(batch.id, of: other)
            } else {
                foreign[batch.id] = other
            }
        }
        let current = sending
        if !found.isEmpty { call { $0.inherit(found, sending: current) } }
    }

    private func store(_ id: PendingBatch.ID, inPlaceOf other: PendingBatch.ID) {
        guard let batch = session.batch(id) else { return }
        let place = places[id] ?? places[other] ?? lastPlace + 1
        lastPlace = max(lastPlace, place)
        places[id] = place
        storage.store(batch, at: place, of: tab)
        removeForeign(id)
    }

    private func remove(_ id: PendingBatch.ID) {
        removeForeign(id)
        if places.removeValue(forKey: id) != nil { storage.remove(id, of: tab) }
    }

    private func removeForeign(_ id: PendingBatch.ID) {
        if let other = foreign.removeValue(forKey: id) { storage.remove(id, of: other) }
    }
}
