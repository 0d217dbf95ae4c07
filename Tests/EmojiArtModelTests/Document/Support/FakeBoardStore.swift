import Digests
import EmojiArtModel
import Foundation
import Futures
import Persistence

/// An in-memory board store that is slow or fails as the test says.
///
/// It is minimal; the real stores have tests of their own.
actor FakeBoardStore {
    /// A call that a test can hold.
    enum Call: Hashable, Sendable {
        case board, summary, apply, changes, storedPicture, add
    }

    /// Holds one call.
    struct Gate: Sendable {
        fileprivate let arrival = Promise<Void, any Error>()
        fileprivate let opening = Promise<Void, BoardStoreError>(valueOnAbandon: {})
        /// Whether the call does its work before it waits, so that its response is late.
        fileprivate let waitsAfterwards: Bool

        /// Waits until the call arrives, or the test's time limit cancels the task.
        func arrived() async { try? await arrival.future.value }

        /// Resumes the call.
        func open() { opening.resolve(()) }

        /// Makes the call fail.
        func fail(_ error: BoardStoreError = .diskFull) { opening.reject(error) }
    }

    private struct Faults: Sendable {
        var gates: [Call: [Gate]] = [:]
        var failure: BoardStoreError?
        var calls: [Call: Int] = [:]
    }

    private struct BoardRecord: Sendable {
        var board: Board
        var log: [LogEntry] = []
        var outcomes: [OperationBatch.ID: BatchOutcome] = [:]
        var pictures: [PictureID: PictureContent] = [:]
        var addresses: [String: PictureID] = [:]
        var isDeleted = false
    }

    private var records: [BoardID: BoardRecord] = [:]
    /// Authors whose batches come from other processes.
    private static let others: Set<String> = ["other", "bob"]

    /// The revision up to which the log has been discarded.
    private var logStart = 0
    private nonisolated let faults = Lock(Faults())
    private nonisolated let listeners = Lock<[Listener]>([])

    /// Creates a store with one board.
    init(_ art: EmojiArt = EmojiArt()) {
        let summary = BoardSummary(
            id: .test, name: "Pets", emojiCount: art.emojis.count, created: .test, changed: .test, revision: 0)
        records[.test] = BoardRecord(board: Board(summary: summary, art: art))
    }
}

extension BoardStoreError {
    static let diskFull = BoardStoreError.failed("The disk is full: make room.")
}

// MARK: - Control by the test

extension FakeBoardStore {
    /// Makes the next call of a kind wait.
    nonisolated func hold(_ call: Call, afterwards waitsAfterwards: Bool = false) -> Gate {
        let gate = Gate(waitsAfterwards: waitsAfterwards)
        faults.withLock { $0.gates[call, default: []].append(gate) }
        return gate
    }

    /// Makes every call fail from now on; `nil` makes calls succeed again.
    nonisolated func failOperations(_ error: BoardStoreError? = .diskFull) {
        faults.withLock { $0.failure = error }
    }

    /// How often a call was made.
    nonisolated func count(_ call: Call) -> Int { faults.withLock { $0.calls[call] ?? 0 } }

    /// How often the board, its name or its log was read.
    nonisolated var readCount: Int { count(.board) + count(.summary) + count(.changes) }

    /// The stored board, deleted or not.
    var storedBoard: Board? { records[.test]?.board }

    /// The log of the board.
    var log: [LogEntry] { records[.test]?.log ?? [] }

    /// The addresses whose pictures are stored.
    var addresses: Set<String> { records[.test].map { Set($0.addresses.keys) } ?? [] }

    /// Discards the log up to now.
    func forgetLog() { logStart = records[.test]?.board.summary.revision ?? 0 }

    /// Restores the board without a notification to listeners.
    func restoreSilently() { records[.test]?.isDeleted = false }

    /// Notifies all listeners of a change of the board.
    nonisolated func notify(_ notice: BoardNotice = .changed) {
        for listener in listeners.withLock({ $0 }) { listener.put(notice) }
    }

    private nonisolated func enter(_ call: Call) async throws(BoardStoreError) -> Gate? {
        let gate = faults.withLock { faults -> Gate? in
            faults.calls[call, default: 0] += 1
            guard let gate = faults.gates[call]?.first else { return nil }
            faults.gates[call]?.removeFirst()
            return gate
        }
        if let gate, !gate.waitsAfterwards { try await wait(at: gate) }
        if let failure = faults.withLock({ $0.failure }) { throw failure }
        return gate
    }

    private nonisolated func leave(_ gate: Gate?) async throws(BoardStoreError) {
        if let gate, gate.waitsAfterwards { try await wait(at: gate) }
    }

    private nonisolated func wait(at gate: Gate) async throws(BoardStoreError) {
        gate.arrival.resolve(())
        try await gate.opening.future.value
    }

    private func change<Value>(
        _ id: BoardID, _ body: (inout BoardRecord) -> Value
    ) throws(BoardStoreError) -> Value {
        guard var record = records[id], !record.isDeleted else { throw .notFound(id) }
        let value = body(&record)
        records[id] = record
        return value
    }
}

// MARK: - BoardStoring

extension FakeBoardStore: BoardStoring {
    func boards(of owner: OwnerID, limit: Int, offset: Int) throws(BoardStoreError) -> [BoardSummary] {
        records.values.filter { !$0.isDeleted }.map(\.board.summary)
    }

    func count(of owner: OwnerID) throws(BoardStoreError) -> Int { records.count }

    func create(
        _ id: BoardID, named name: String, art: EmojiArt, owner: OwnerID
    ) throws(BoardStoreError) -> BoardSummary {
        throw .exists(id)
    }

    func board(_ id: BoardID, owner: OwnerID) async throws(BoardStoreError) -> Board? {
        let gate = try await enter(.board)
        let board = records[id].flatMap { $0.isDeleted ? nil : $0.board }
        try await leave(gate)
        return board
    }

    func summary(of id: BoardID, owner: OwnerID) async throws(BoardStoreError) -> BoardSummary? {
        let gate = try await enter(.summary)
        let summary = records[id].flatMap { $0.isDeleted ? nil : $0.board.summary }
        try await leave(gate)
        return summary
    }

    func apply(
        _ batch: OperationBatch, to id: BoardID, owner: OwnerID, author: String
    ) async throws(BoardStoreError) -> BatchOutcome {
        let gate = try await enter(.apply)
        if batch.id == "unusable" { throw .invalid("The batch is invalid.") }
        let outcome = try change(id) { record in
            if let earlier = record.outcomes[batch.id] { return earlier }
            let pictures = record.pictures
            let (applied, refused) = record.board.art.apply(batch) { pictures[$0] != nil }
            if !applied.isEmpty {
                record.board.summary.revision += 1
                let logged = OperationBatch(id: batch.id, name: batch.name, operations: applied)
                record.log.append(LogEntry(revision: record.board.summary.revision, batch: logged, author: author))
            }
            record.outcomes[batch.id] = BatchOutcome(revision: record.board.summary.revision, refused: refused)
            return BatchOutcome(
                revision: record.board.summary.revision, refused: refused,
                entry: applied.isEmpty ? nil : record.log.last)
        }
        // A store doesn't know what another process has changed.
        if let entry = outcome.entry { notify(Self.others.contains(author) ? .changed : .drawn(entry)) }
        try await leave(gate)
        return outcome
    }

    func changes(
        of id: BoardID, since revision: Int, owner: OwnerID
    ) async throws(BoardStoreError) -> BoardChanges {
        let gate = try await enter(.changes)
        let logStart = logStart
        let changes = try change(id) { record in
            (logStart...record.board.summary.revision).contains(revision)
                ? BoardChanges.entries(record.log.filter { $0.revision > revision }) : .whole(record.board)
        }
        try await leave(gate)
        return changes
    }

    func rename(_ id: BoardID, to name: String, owner: OwnerID) throws(BoardStoreError) {
        try change(id) { $0.board.summary.name = name }
        notify()
    }

    func rename(
        _ id: BoardID, from old: String, to name: String, owner: OwnerID
    ) throws(BoardStoreError) -> Bool {
        guard try change(id, { $0.board.summary.name }) == old else { return false }
        try rename(id, to: name, owner: owner)
        return true
    }

    func duplicate(
        _ id: BoardID, as copy: BoardID, named name: String, owner: OwnerID
    ) throws(BoardStoreError) -> BoardSummary {
        throw .exists(copy)
    }

    func delete(_ id: BoardID, owner: OwnerID) throws(BoardStoreError) {
        try change(id) { $0.isDeleted = true }
        notify()
    }

    func discard(_ id: BoardID, owner: OwnerID) throws(BoardStoreError) { try delete(id, owner: owner) }

    func restore(_ id: BoardID, owner: OwnerID) throws(BoardStoreError) {
        records[id]?.isDeleted = false
        notify()
    }

    func deleted(of owner: OwnerID) throws(BoardStoreError) -> [BoardSummary] { [] }

    func add(_ picture: PictureContent, for id: BoardID, owner: OwnerID) async throws(BoardStoreError) -> PictureID {
        let gate = try await enter(.add)
        let name = try Self.name(of: picture.data)
        try change(id) { $0.pictures[name] = picture }
        try await leave(gate)
        return name
    }

    func picture(_ picture: PictureID, of id: BoardID, owner: OwnerID) throws(BoardStoreError) -> PictureContent? {
        try change(id) { $0.pictures[picture] }
    }

    func add(
        _ picture: PictureContent, fetchedFrom address: String, for id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError) -> PictureID {
        let name = try await add(picture, for: id, owner: owner)
        try change(id) { $0.addresses[address] = name }
        return name
    }

    func storedPicture(
        of background: Background, on id: BoardID, owner: OwnerID
    ) async throws(BoardStoreError) -> StoredPicture? {
        let gate = try await enter(.storedPicture)
        let found = try change(id) { record in
            let name: PictureID? =
                switch background {
                case .blank: nil
                case .picture(let picture): picture
                case .address(let address): record.addresses[address]
                }
            return name.flatMap { name in
                record.pictures[name].map { StoredPicture(id: name, type: $0.type, size: $0.size) }
            }
        }
        try await leave(gate)
        return found
    }

    func setSize(
        _ size: PictureSize, of picture: PictureID, on id: BoardID, owner: OwnerID
    ) throws(BoardStoreError) {
        try change(id) { $0.pictures[picture]?.size = size }
    }

    nonisolated func updates(of owner: OwnerID) -> Updates<[BoardID: BoardNotice]> {
        let listener = Listener()
        listeners.withLock { $0.append(listener) }
        return listener.updates()
    }

    /// Collects notices for one listener, as the real stores do.
    private final class Listener: Sendable {
        private let waiting = Lock<BoardNotice?>(nil)
        private let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

        func put(_ notice: BoardNotice) {
            waiting.withLock { $0 = $0 == .changed ? .changed : notice }
            signal.yield()
        }

        func updates() -> Updates<[BoardID: BoardNotice]> {
            Updates(signals).converted { _ in self.waiting.withLock { $0.take() }.map { [.test: $0] } }
        }
    }

    func tidy() throws(BoardStoreError) {}

    /// A name of the right length; the pictures of one test have different names.
    static func name(of data: Data) throws(BoardStoreError) -> PictureID {
        let digits = String(XXH64.hash(data), radix: 16)
        let name = String(repeating: "0", count: 64 - digits.utf8.count) + digits
        guard let id = PictureID(name) else { throw .failed("\(name) isn't a valid name.") }
        return id
    }
}
