package import EmojiArtModel
package import EmojiArtStore
package import Foundation
import Futures
package import Persistence

/// A board store in memory that behaves like `SQLiteBoardStore`; one suite tests both.
package actor MemoryBoardStore {
    private var boards: [Key: MemoryBoard] = [:]
    /// The number of changes, over all owners.
    private var sequence = 0
    private nonisolated let policy: BoardPolicy
    private nonisolated let budget: OwnerBudget
    private nonisolated let now: @Sendable () -> Date
    private nonisolated let listeners = Lock<[OwnerID: ChangeListeners<BoardChange>]>([:])

    private struct Key: Hashable {
        var owner: OwnerID
        var id: BoardID
    }

    /// Creates an empty store with the limits of a policy and a budget.
    package init(
        now: @escaping @Sendable () -> Date = { Date() }, policy: BoardPolicy = BoardPolicy(),
        budget: OwnerBudget = OwnerBudget()
    ) {
        (self.now, self.policy, self.budget) = (now, policy, budget)
    }
}

// MARK: - Reading

extension MemoryBoardStore: BoardStoring {
    package func boards(of owner: OwnerID, limit: Int, offset: Int) -> [BoardSummary] {
        let active = boards.filter { $0.key.owner == owner && $0.value.deleted == nil }.values
        return active.sorted { $0.position > $1.position }.dropFirst(max(offset, 0)).prefix(max(limit, 0))
            .map(\.summary)
    }

    package func count(of owner: OwnerID) -> Int {
        boards.count { $0.key.owner == owner && $0.value.deleted == nil }
    }

    package func board(_ id: BoardID, owner: OwnerID) -> Board? {
        activeBoard(id, owner)?.board
    }

    package func summary(of id: BoardID, owner: OwnerID) -> BoardSummary? {
        activeBoard(id, owner)?.summary
    }

    package func deleted(of owner: OwnerID) -> [BoardSummary] {
        let limit = Moment(now()) - policy.deletion
        return boards.filter { $0.key.owner == owner }.values
            .compactMap { board in board.deleted.map { (deleted: $0, board: board) } }
            .filter { $0.deleted.moment > limit }
            .sorted { ($0.deleted.moment, $0.deleted.sequence) > ($1.deleted.moment, $1.deleted.sequence) }
            .map(\.board.summary)
    }

    package func changes(
        of id: BoardID, since revision: Int, owner: OwnerID
    ) throws(BoardStoreError) -> BoardChanges {
        guard let board = activeBoard(id, owner) else { throw .notFound(id) }
        return board.changes(since: revision)
    }

    package nonisolated func updates(of owner: OwnerID) -> Updates<[BoardID: BoardNotice]> {
        listeners(to: owner).updates().converted { await self.notices(of: $0, owner) }
    }

    private func notices(of changes: Set<BoardChange>, _ owner: OwnerID) -> [BoardID: BoardNotice] {
        changes.notices { boards[Key(owner: owner, id: $0)]?.lastEntry }
    }

    private nonisolated func listeners(to owner: OwnerID) -> ChangeListeners<BoardChange> {
        listeners.withLock { all in
            if let listeners = all[owner] { return listeners }
            let listeners = ChangeListeners<BoardChange>()
            all[owner] = listeners
            return listeners
        }
    }

    private func activeBoard(_ id: BoardID, _ owner: OwnerID) -> MemoryBoard? {
        guard let board = boards[Key(owner: owner, id: id)], board.deleted == nil else { return nil }
        return board
    }
}

// MARK: - Changing

extension MemoryBoardStore {
    package func create(
        _ id: BoardID, named name: String, art: EmojiArt, owner: OwnerID
    ) throws(BoardStoreError) -> BoardSummary {
        try BoardChecks.check(name: name)
        let key = Key(owner: owner, id: id)
        guard boards[key] == nil else { throw .exists(id) }
        if let refusal = budget.refusalOfBoard(at: boards.keys.count { $0.owner == owner }) {
            throw .overBudget(refusal)
        }
        let board = MemoryBoard(id: id, name: name, art: art, now: Moment(now()), position: next())
        boards[key] = board
        listeners(to: owner).report([.changed(id)])
        return board.summary
    }

    package func apply(
        _ batch: OperationBatch, to id: BoardID, owner: OwnerID, author: String
    ) throws(BoardStoreError) -> BatchOutcome {
        try BoardChecks.check(batch, author: author)
        guard let board = activeBoard(id, owner) else { throw .notFound(id) }
        if let answer = board.answers[batch.id] { return answer.outcome }
        let (moment, policy) = (Moment(now()), policy)
        let revision = board.revision
        let outcome = try change(id, owner) { board in board.apply(batch, by: author, at: moment, policy) }
        if outcome.revision > revision { note(.drawn(id), of: id, owner, movesToTop: true) }
        return outcome
    }

    package func rename(_ id: BoardID, to name: String, owner: OwnerID) throws(BoardStoreError) {
        try BoardChecks.check(name: name)
        let moment = Moment(now())
        try change(id, owner) { board in (board.name, board.changed) = (name, moment) }
        note(.changed(id), of: id, owner, movesToTop: true)
    }

    package func rename(
        _ id: BoardID, from old: String, to name: String, owner: OwnerID
    ) throws(BoardStoreError) -> Bool {
        try BoardChecks.check(name: name)
        guard let board = activeBoard(id, owner) else { throw .notFound(id) }
        guard board.name == old else { return false }
        try rename(id, to: name, owner: owner)
        return true
    }

    package func duplicate(
        _ id: BoardID, as copy: BoardID, named name: String, owner: OwnerID
    ) throws(BoardStoreError) -> BoardSummary {
        try BoardChecks.check(name: name)
        guard let board = activeBoard(id, owner) else { throw .notFound(id) }
        let summary = try create(copy, named: name, art: board.art, owner: owner)
        let moment = Moment(now())
        try change(copy, owner) { copy in
            copy.pictures = board.pictures.mapValues { MemoryBoard.Picture(picture: $0.picture, lastUsed: moment) }
            copy.addresses = board.addresses
        }
        return summary
    }

    package func delete(_ id: BoardID, owner: OwnerID) throws(BoardStoreError) {
        let moment = Moment(now())
        try change(id, owner) { board in board.deleted = (moment, 0) }
        note(.changed(id), of: id, owner, movesToTop: false)
        boards[Key(owner: owner, id: id)]?.deleted = (moment, sequence)
    }

    package func discard(_ id: BoardID, owner: OwnerID) throws(BoardStoreError) {
        try delete(id, owner: owner)
        boards[Key(owner: owner, id: id)]?.deleted = (Moment(now()) - policy.deletion, sequence)
    }

    package func restore(_ id: BoardID, owner: OwnerID) throws(BoardStoreError) {
        let key = Key(owner: owner, id: id)
        guard let board = boards[key] else { throw .notFound(id) }
        guard let deleted = board.deleted else { return }
        guard deleted.moment > Moment(now()) - policy.deletion else { throw .notFound(id) }
        boards[key]?.deleted = nil
        note(.changed(id), of: id, owner, movesToTop: false)
    }

    private func next() -> Int {
        sequence += 1
        return sequence
    }

    private func note(_ change: BoardChange, of id: BoardID, _ owner: OwnerID, movesToTop: Bool) {
        let position = next()
        if movesToTop { boards[Key(owner: owner, id: id)]?.position = position }
        listeners(to: owner).report([change])
    }

    /// Modifies a board in place.
    private func change<Value>(
        _ id: BoardID, _ owner: OwnerID, _ body: (inout MemoryBoard) -> Value
    ) throws(BoardStoreError) -> Value {
        let key = Key(owner: owner, id: id)
        guard activeBoard(id, owner) != nil, var board = boards.removeValue(forKey: key) else { throw .notFound(id) }
        defer { boards[key] = board }
        return body(&board)
    }
}

// MARK: - Pictures

extension MemoryBoardStore {
    package func add(
        _ picture: PictureContent, for id: BoardID, owner: OwnerID
    ) throws(BoardStoreError) -> PictureID {
        try add(picture, address: nil, for: id, owner)
    }

    package func add(
        _ picture: PictureContent, fetchedFrom address: String, for id: BoardID, owner: OwnerID
    ) throws(BoardStoreError) -> PictureID {
        try BoardChecks.check(address: address)
        return try add(picture, address: address, for: id, owner)
    }

    private func add(
        _ picture: PictureContent, address: String?, for id: BoardID, _ owner: OwnerID
    ) throws(BoardStoreError) -> PictureID {
        try BoardChecks.check(picture)
        guard let pictureID = PictureID(BlobStore.ID(of: picture.data).description) else {
            throw .failed("The picture was not saved. Try again.")
        }
        try admit(picture, as: pictureID, for: id, owner)
        let moment = Moment(now())
        try change(id, owner) { board in board.add(picture, as: pictureID, from: address, at: moment) }
        return pictureID
    }

    /// Rejects a new picture that exceeds the limits of the board or the owner; the same picture counts once.
    private func admit(
        _ picture: PictureContent, as pictureID: PictureID, for id: BoardID, _ owner: OwnerID
    ) throws(BoardStoreError) {
        guard let board = activeBoard(id, owner), board.pictures[pictureID] == nil else { return }
        if let refusal = budget.refusalOfPicture(at: board.pictures.count) { throw .overBudget(refusal) }
        var used: [PictureID: Int64] = [:]
        for board in boards where board.key.owner == owner {
            for (id, picture) in board.value.pictures { used[id] = Int64(picture.picture.data.count) }
        }
        let added = used[pictureID] == nil ? Int64(picture.data.count) : 0
        if let refusal = budget.refusal(adding: added, to: used.values.reduce(0, +)) { throw .overBudget(refusal) }
    }

    package func picture(_ picture: PictureID, of id: BoardID, owner: OwnerID) -> PictureContent? {
        activeBoard(id, owner)?.pictures[picture]?.picture
    }

    package func storedPicture(of background: Background, on id: BoardID, owner: OwnerID) -> StoredPicture? {
        guard let board = activeBoard(id, owner), let picture = board.picture(of: background),
            let stored = board.pictures[picture]
        else { return nil }
        return StoredPicture(id: picture, type: stored.picture.type, size: stored.picture.size)
    }

    package func setSize(
        _ size: PictureSize, of picture: PictureID, on id: BoardID, owner: OwnerID
    ) throws(BoardStoreError) {
        try change(id, owner) { board in board.pictures[picture]?.picture.size = size }
    }

    package func tidy() {
        let moment = Moment(now())
        boards = boards.filter { $0.value.deleted.map { $0.moment > moment - policy.deletion } ?? true }
        for key in boards.keys { boards[key]?.tidy(at: moment, policy) }
    }
}
