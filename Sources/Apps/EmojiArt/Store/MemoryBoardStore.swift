public import EmojiArtModel
public import Foundation
import Futures
public import Persistence

/// Boards in memory: for tests, previews, and trying things out.
public actor MemoryBoardStore {
    private var boards: [Key: MemoryBoard] = [:]
    /// How many changes there were, of all owners.
    private var sequence = 0
    private nonisolated let policy: BoardPolicy
    private nonisolated let budget: OwnerBudget
    private nonisolated let now: @Sendable () -> Date
    private nonisolated let listeners = Lock<[String: ChangeListeners<BoardID>]>([:])

    private struct Key: Hashable {
        var owner: String
        var id: BoardID
    }

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - budget: What each owner may store in it.
    ///   - now: The time.
    public init(budget: OwnerBudget = OwnerBudget(), now: @escaping @Sendable () -> Date = { Date() }) {
        self.init(now: now, policy: BoardPolicy(), budget: budget)
    }

    /// - Parameters:
    ///   - now: The time.
    ///   - policy: How much is kept of what was.
    ///   - budget: What each owner may store in it.
    init(now: @escaping @Sendable () -> Date, policy: BoardPolicy, budget: OwnerBudget = OwnerBudget()) {
        (self.now, self.policy, self.budget) = (now, policy, budget)
    }
}

// MARK: - Reading

extension MemoryBoardStore: BoardStoring {
    /// The owner's boards, those changed last first.
    public func boards(of owner: String, limit: Int, offset: Int) -> [BoardSummary] {
        let living = boards.filter { $0.key.owner == owner && $0.value.deleted == nil }.values
        return living.sorted { $0.position > $1.position }.dropFirst(max(offset, 0)).prefix(max(limit, 0))
            .map(\.summary)
    }

    /// How many boards the owner has.
    public func count(of owner: String) -> Int {
        boards.count { $0.key.owner == owner && $0.value.deleted == nil }
    }

    /// A board; `nil` where the owner has none of that name, or no longer.
    public func board(_ id: BoardID, owner: String) -> Board? {
        living(id, owner)?.board
    }

    /// What a list shows of a board, without what is on it.
    public func summary(of id: BoardID, owner: String) -> BoardSummary? {
        living(id, owner)?.summary
    }

    /// Deleted boards that can still be had back, those deleted last first.
    public func deleted(of owner: String) -> [BoardSummary] {
        let limit = Moment(now()) - policy.deletion
        return boards.filter { $0.key.owner == owner }.values
            .compactMap { board in board.deleted.map { (deleted: $0, board: board) } }
            .filter { $0.deleted.moment > limit }
            .sorted { ($0.deleted.moment, $0.deleted.sequence) > ($1.deleted.moment, $1.deleted.sequence) }
            .map(\.board.summary)
    }

    /// What happened since a revision.
    public func changes(
        of id: BoardID, since revision: Int, owner: String
    ) throws(BoardStoreError) -> BoardChanges {
        guard let board = living(id, owner) else { throw .noBoard(id) }
        return board.changes(since: revision)
    }

    /// The boards of an owner that somebody changed.
    public nonisolated func updates(of owner: String) -> Updates<Set<BoardID>> {
        listeners(to: owner).updates()
    }

    private nonisolated func listeners(to owner: String) -> ChangeListeners<BoardID> {
        listeners.withLock { all in
            if let listeners = all[owner] { return listeners }
            let listeners = ChangeListeners<BoardID>()
            all[owner] = listeners
            return listeners
        }
    }

    private func living(_ id: BoardID, _ owner: String) -> MemoryBoard? {
        guard let board = boards[Key(owner: owner, id: id)], board.deleted == nil else { return nil }
        return board
    }
}

// MARK: - Changing

extension MemoryBoardStore {
    /// Makes a board; its revision is 0.
    public func create(
        _ id: BoardID, named name: String, art: EmojiArt, owner: String
    ) throws(BoardStoreError) -> BoardSummary {
        try BoardChecks.check(name: name)
        let key = Key(owner: owner, id: id)
        guard boards[key] == nil else { throw .exists(id) }
        if let refusal = budget.refusalOfBoard(at: boards.keys.count { $0.owner == owner }) {
            throw .overBudget(refusal)
        }
        let board = MemoryBoard(id: id, name: name, art: art, now: Moment(now()), position: next())
        boards[key] = board
        listeners(to: owner).report([id])
        return board.summary
    }

    /// Applies what can be applied of a batch, all of it at once, or nothing where a batch of that name was applied
    /// before.
    public func apply(
        _ batch: OperationBatch, to id: BoardID, owner: String, author: String
    ) throws(BoardStoreError) -> BatchOutcome {
        try BoardChecks.check(batch, author: author)
        guard let board = living(id, owner) else { throw .noBoard(id) }
        if let answer = board.answers[batch.id] { return answer.outcome }
        let (moment, policy) = (Moment(now()), policy)
        let revision = board.revision
        let outcome = try change(id, owner) { board in board.apply(batch, by: author, at: moment, policy) }
        if outcome.revision > revision { noteChange(of: id, owner, moves: true) }
        return outcome
    }

    /// Gives a board another name.
    public func rename(_ id: BoardID, to name: String, owner: String) throws(BoardStoreError) {
        try BoardChecks.check(name: name)
        let moment = Moment(now())
        try change(id, owner) { board in (board.name, board.changed) = (name, moment) }
        noteChange(of: id, owner, moves: true)
    }

    /// Makes a board like another one, with its pictures, and without its log.
    public func duplicate(
        _ id: BoardID, as copy: BoardID, named name: String, owner: String
    ) throws(BoardStoreError) -> BoardSummary {
        try BoardChecks.check(name: name)
        guard let board = living(id, owner) else { throw .noBoard(id) }
        let summary = try create(copy, named: name, art: board.art, owner: owner)
        let moment = Moment(now())
        try change(copy, owner) { copy in
            copy.pictures = board.pictures.mapValues { MemoryBoard.Picture(picture: $0.picture, needed: moment) }
            copy.addresses = board.addresses
        }
        return summary
    }

    /// Takes a board away; for ``BoardLimits/undoDeletion`` it can be had back.
    public func delete(_ id: BoardID, owner: String) throws(BoardStoreError) {
        let moment = Moment(now())
        try change(id, owner) { board in board.deleted = (moment, 0) }
        noteChange(of: id, owner, moves: false)
        boards[Key(owner: owner, id: id)]?.deleted = (moment, sequence)
    }

    /// Brings a deleted board back; where it was not deleted, nothing happens.
    public func restore(_ id: BoardID, owner: String) throws(BoardStoreError) {
        let key = Key(owner: owner, id: id)
        guard let board = boards[key] else { throw .noBoard(id) }
        guard let deleted = board.deleted else { return }
        guard deleted.moment > Moment(now()) - policy.deletion else { throw .noBoard(id) }
        boards[key]?.deleted = nil
        noteChange(of: id, owner, moves: false)
    }

    private func next() -> Int {
        sequence += 1
        return sequence
    }

    private func noteChange(of id: BoardID, _ owner: String, moves: Bool) {
        let position = next()
        if moves { boards[Key(owner: owner, id: id)]?.position = position }
        listeners(to: owner).report([id])
    }

    /// Changes a board where it is.
    private func change<Value>(
        _ id: BoardID, _ owner: String, _ body: (inout MemoryBoard) -> Value
    ) throws(BoardStoreError) -> Value {
        let key = Key(owner: owner, id: id)
        guard living(id, owner) != nil, var board = boards.removeValue(forKey: key) else { throw .noBoard(id) }
        defer { boards[key] = board }
        return body(&board)
    }
}

// MARK: - Pictures

extension MemoryBoardStore {
    /// Keeps a picture for a board with the size that it says; the caller has checked its bytes.
    public func keep(
        _ picture: KeptPicture, for id: BoardID, owner: String
    ) throws(BoardStoreError) -> PictureID {
        try keep(picture, address: nil, for: id, owner)
    }

    /// Keeps what was fetched from an address for a board, so that it need not be fetched again.
    public func keep(
        _ picture: KeptPicture, fetchedFrom address: String, for id: BoardID, owner: String
    ) throws(BoardStoreError) -> PictureID {
        try BoardChecks.check(address: address)
        return try keep(picture, address: address, for: id, owner)
    }

    private func keep(
        _ picture: KeptPicture, address: String?, for id: BoardID, _ owner: String
    ) throws(BoardStoreError) -> PictureID {
        try BoardChecks.check(picture)
        guard let kept = PictureID(BlobStore.ID(of: picture.data).description) else {
            throw .failed("The picture has no name. Try again.")
        }
        try admit(picture, as: kept, for: id, owner)
        let moment = Moment(now())
        try change(id, owner) { board in board.keep(picture, as: kept, from: address, at: moment) }
        return kept
    }

    /// Refuses another picture where the board or the owner has as much as may be; the same picture counts once.
    private func admit(
        _ picture: KeptPicture, as kept: PictureID, for id: BoardID, _ owner: String
    ) throws(BoardStoreError) {
        guard let board = living(id, owner), board.pictures[kept] == nil else { return }
        if let refusal = budget.refusalOfPicture(at: board.pictures.count) { throw .overBudget(refusal) }
        var used: [PictureID: Int64] = [:]
        for board in boards where board.key.owner == owner {
            for (id, picture) in board.value.pictures { used[id] = Int64(picture.picture.data.count) }
        }
        let added = used[kept] == nil ? Int64(picture.data.count) : 0
        if let refusal = budget.refusal(adding: added, to: used.values.reduce(0, +)) { throw .overBudget(refusal) }
    }

    /// A picture that is kept for a board.
    public func picture(_ picture: PictureID, of id: BoardID, owner: String) -> KeptPicture? {
        living(id, owner)?.pictures[picture]?.picture
    }

    /// What was fetched from an address for a board.
    public func fetched(
        from address: String, for id: BoardID, owner: String
    ) -> (id: PictureID, picture: KeptPicture)? {
        guard let board = living(id, owner), let picture = board.addresses[address], let kept = board.pictures[picture]
        else {
            return nil
        }
        return (picture, kept.picture)
    }

    /// Finds the stored picture of a background.
    public func storedPicture(of background: Background, on id: BoardID, owner: String) -> StoredPicture? {
        guard let board = living(id, owner), let picture = board.picture(of: background),
            let kept = board.pictures[picture]
        else { return nil }
        return StoredPicture(id: picture, size: kept.picture.size)
    }

    /// Stores the size of a picture that was stored without one.
    public func setSize(
        _ size: PictureSize, of picture: PictureID, on id: BoardID, owner: String
    ) throws(BoardStoreError) {
        try change(id, owner) { board in board.pictures[picture]?.picture.size = size }
    }

    /// Forgets what can no longer be had back, and pictures that no board shows any longer.
    public func tidy() {
        let moment = Moment(now())
        boards = boards.filter { $0.value.deleted.map { $0.moment > moment - policy.deletion } ?? true }
        for key in boards.keys { boards[key]?.tidy(at: moment, policy) }
    }
}
