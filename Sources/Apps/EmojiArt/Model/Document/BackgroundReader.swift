import Futures
import Loading

/// Gets the picture that a board is drawn on: what is kept from the store, and what is not from its address.
public struct BackgroundReader: Sendable {
    let board: BoardID
    let owner: String
    let store: any BoardStoring
    let fetching: any BackgroundFetching
    /// The addresses that are fetched although what they had is kept.
    private let anew = Addresses()

    private final class Addresses: Sendable {
        let all = Lock(Set<String>())
    }

    /// Creates one for a board.
    ///
    /// - Parameters:
    ///   - board: The board.
    ///   - owner: Whose it is.
    ///   - store: Where it is kept, and pictures are looked for first.
    ///   - fetching: What fetches those that are not kept yet.
    public init(board: BoardID, owner: String, store: any BoardStoring, fetching: any BackgroundFetching) {
        (self.board, self.owner, self.store, self.fetching) = (board, owner, store, fetching)
    }
}

extension BackgroundReader {
    /// Gets the picture of a background, on no actor.
    ///
    /// - Parameters:
    ///   - background: What is to be shown.
    ///   - progress: Told how much has arrived.
    /// - Returns: The picture, which is kept.
    /// - Throws: Why it cannot be shown.
    @concurrent
    func picture(
        of background: Background, progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(BackgroundError) -> BackgroundPicture {
        switch background {
        case .blank: throw .missing
        case .picture(let id): return BackgroundPicture(id, try await stored(id))
        case .address(let address):
            let isAnew = anew.all.withLock { $0.contains(address) }
            if !isAnew, let picture = try await fetchedBefore(from: address) { return picture }
            let picture = try await fetched(from: address, progress: progress)
            anew.all.withLock { _ = $0.remove(address) }
            return picture
        }
    }

    /// The next time, fetches a picture from its address also if it is kept.
    func readAnew(_ address: String) {
        anew.all.withLock { _ = $0.insert(address) }
    }

    /// Gets all of the picture of a background, on no actor; it is kept then.
    ///
    /// - Parameter background: What is to be shown.
    /// - Returns: Its bytes, and how large it is.
    /// - Throws: Why it cannot be shown; ``BackgroundError/missing`` for ``Background/blank``.
    @concurrent
    public func checkedPicture(of background: Background) async throws(BackgroundError) -> CheckedPicture {
        let id = try await picture(of: background) { _ in }.id
        return try await stored(id)
    }

    private func stored(_ id: PictureID) async throws(BackgroundError) -> CheckedPicture {
        let stored = try await ask { () async throws(BoardStoreError) in
            try await store.picture(id, of: board, owner: owner)
        }
        guard let stored else { throw .missing }
        return try await checked(stored, id)
    }

    private func fetchedBefore(from address: String) async throws(BackgroundError) -> BackgroundPicture? {
        let before = try await ask { () async throws(BoardStoreError) in
            try await store.fetched(from: address, for: board, owner: owner)
        }
        guard let before, let checked = try? await checked(before.picture, before.id) else {
            // What was taken once and is not any more is fetched anew: the address may have something better by now.
            return nil
        }
        return BackgroundPicture(before.id, checked)
    }

    private func fetched(
        from address: String, progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(BackgroundError) -> BackgroundPicture {
        let checked = try await fetching.fetch(address, limit: BoardLimits.pictureBytes, progress: progress)
        // Who is cancelled is not heard any more; then nothing is kept either.
        if Task.isCancelled { throw .fetch("Something else was set meanwhile.", .never) }
        let id = try await ask { () async throws(BoardStoreError) in
            try await store.keep(checked.picture, fetchedFrom: address, for: board, owner: owner)
        }
        return BackgroundPicture(id, checked)
    }

    private func ask<Value: Sendable>(
        _ question: () async throws(BoardStoreError) -> Value
    ) async throws(BackgroundError) -> Value {
        do throws(BoardStoreError) {
            return try await question()
        } catch {
            throw .picture(.store(error))
        }
    }

    /// The picture with its size, which is found and stored once if an earlier version stored the picture without it.
    private func checked(_ stored: KeptPicture, _ id: PictureID) async throws(BackgroundError) -> CheckedPicture {
        if let checked = CheckedPicture(stored) { return checked }
        let found: CheckedPicture
        do throws(PictureError) {
            found = try await fetching.check(stored.data)
        } catch {
            throw .picture(error)
        }
        guard let size = found.picture.size else { throw .missing }
        // If this fails, the size is found again the next time.
        try? await store.setSize(size, of: id, on: board, owner: owner)
        return CheckedPicture(data: stored.data, type: stored.type, size: size)
    }
}

extension BackgroundPicture {
    /// A picture that was looked at, under the name that it is kept by.
    init(_ id: PictureID, _ checked: CheckedPicture) {
        self.init(id: id, type: checked.picture.type, width: checked.width, height: checked.height)
    }
}
