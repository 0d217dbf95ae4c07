import Capture
import Foundation
import Futures
import MemoryStores
import OfflineLibraryModel
import Persistence
import Synchronization

/// A store in memory that a test can delay or make fail.
final class FaultyStore: Sendable {
    /// The methods of a store.
    enum Operation: Hashable, Sendable {
        case pages, add, beginAgain, save, fail, delete, restore, purge, file, saveViewer, find, unreadArchive, saveText
        case setMarks, setPosition, setReadingMarks
    }

    /// Holds an operation before it does anything.
    struct Gate: Sendable {
        fileprivate let arrival = Promise<Void, any Error>()
        fileprivate let opening = Promise<Void, LibraryError>(valueOnAbandon: {})

        /// Waits until the operation has arrived, or until the test's time limit cancels the task.
        func arrived() async { try? await arrival.future.value }

        /// Lets the operation continue.
        func open() { opening.resolve(()) }

        /// Makes the operation fail.
        func fail(_ error: LibraryError = .diskFull) { opening.reject(error) }
    }

    let wrapped = MemoryLibraryStore()
    private let gates = Mutex<[Operation: Gate]>([:])
    private let broken = Mutex<Set<Operation>>([])
    private let calls = Mutex<[Operation]>([])
}

extension LibraryError {
    static let diskFull = LibraryError.storage("The disk is full: make room, then try again.")
}

extension FaultyStore {
    /// The operations so far, in order.
    var journal: [Operation] { calls.withLock { $0 } }

    /// Holds the next operation of a kind.
    func hold(_ operation: Operation) -> Gate {
        let gate = Gate()
        gates.withLock { $0[operation] = gate }
        return gate
    }

    /// Makes exactly these operations fail from now on.
    func failOperations(_ operations: Set<Operation>) {
        broken.withLock { $0 = operations }
    }

    private func pass(_ operation: Operation) async throws(LibraryError) {
        calls.withLock { $0.append(operation) }
        if let gate = gates.withLock({ $0.removeValue(forKey: operation) }) {
            gate.arrival.resolve(())
            try await gate.opening.future.value
        }
        // The database fails in the same way in a cancelled task.
        if Task.isCancelled { throw .storage("The task was cancelled. Nothing was written.") }
        if broken.withLock({ $0.contains(operation) }) { throw .diskFull }
    }
}

extension FaultyStore: LibraryStore {
    func pages(ofOwner owner: OwnerID) async throws(LibraryError) -> [SavedPage] {
        try await pass(.pages)
        return await wrapped.pages(ofOwner: owner)
    }

    func ownersWithWork() async throws(LibraryError) -> [OwnerID] {
        await wrapped.ownersWithWork()
    }

    func add(_ page: SavedPage, owner: OwnerID) async throws(LibraryError) {
        try await pass(.add)
        try await wrapped.add(page, owner: owner)
    }

    func hasten(_ id: SavedPage.ID, owner: OwnerID) async { await wrapped.hasten(id, owner: owner) }

    func beginAgain(_ id: SavedPage.ID, owner: OwnerID) async throws(LibraryError) -> Int {
        try await pass(.beginAgain)
        return try await wrapped.beginAgain(id, owner: owner)
    }

    func save(
        _ capture: PageCapture, as id: SavedPage.ID, owner: OwnerID, attempt: Int, at time: Date
    ) async throws(LibraryError) -> PageContent? {
        try await pass(.save)
        return try await wrapped.save(capture, as: id, owner: owner, attempt: attempt, at: time)
    }

    func fail(
        _ id: SavedPage.ID, owner: OwnerID, attempt: Int, failure: CaptureFailure
    ) async throws(LibraryError) -> Bool {
        try await pass(.fail)
        return await wrapped.fail(id, owner: owner, attempt: attempt, failure: failure)
    }

    func delete(_ id: SavedPage.ID, owner: OwnerID, at time: Date) async throws(LibraryError) {
        try await pass(.delete)
        try await wrapped.delete(id, owner: owner, at: time)
    }

    func restore(_ id: SavedPage.ID, owner: OwnerID) async throws(LibraryError) {
        try await pass(.restore)
        try await wrapped.restore(id, owner: owner)
    }

    func purge(owner: OwnerID, deletedBefore time: Date) async throws(LibraryError) {
        try await pass(.purge)
        await wrapped.purge(owner: owner, deletedBefore: time)
    }

    func file(_ kind: FileKind, of id: SavedPage.ID, owner: OwnerID) async throws(LibraryError) -> PageFile? {
        try await pass(.file)
        return await wrapped.file(kind, of: id, owner: owner)
    }

    func find(_ query: LibraryQuery, owner: OwnerID, range: Range<Int>) async throws(LibraryError) -> FoundPages {
        try await pass(.find)
        return await wrapped.find(query, owner: owner, range: range)
    }

    func setMarks(_ marks: [SavedPage.ID: PageMarks], owner: OwnerID) async throws(LibraryError) {
        try await pass(.setMarks)
        await wrapped.setMarks(marks, owner: owner)
    }

    func setPosition(
        _ position: ReadingPosition, in view: ReadingView, of id: SavedPage.ID, owner: OwnerID
    ) async throws(LibraryError) {
        try await pass(.setPosition)
        await wrapped.setPosition(position, in: view, of: id, owner: owner)
    }

    func setReadingMarks(_ marks: [SavedPage.ID: ReadingPosition?], owner: OwnerID) async throws(LibraryError) {
        try await pass(.setReadingMarks)
        await wrapped.setReadingMarks(marks, owner: owner)
    }

    func unreadArchive(after number: Int64) async throws(LibraryError) -> UnreadArchive? {
        try await pass(.unreadArchive)
        return await wrapped.unreadArchive(after: number)
    }

    func saveText(_ text: String, of archive: UnreadArchive) async throws(LibraryError) {
        try await pass(.saveText)
        await wrapped.saveText(text, of: archive)
    }

    func saveViewer(
        _ html: Data, as kind: FileKind, from archive: PageFile, of id: SavedPage.ID, owner: OwnerID
    ) async throws(LibraryError) -> Bool {
        try await pass(.saveViewer)
        return try await wrapped.saveViewer(html, as: kind, from: archive, of: id, owner: owner)
    }
}
