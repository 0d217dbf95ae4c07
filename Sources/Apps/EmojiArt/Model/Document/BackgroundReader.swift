import Futures
import Loading
public import Persistence

/// Loads a board's background picture: from the store if it is stored, otherwise from its address.
public struct BackgroundReader: Sendable {
    let board: BoardID
    let owner: OwnerID
    let store: any BoardStoring
    let fetching: any BackgroundFetching
    /// The addresses to fetch once more although their pictures are stored.
    private let addressesToRefetch = Addresses()

    private final class Addresses: Sendable {
        let all = Lock(Set<String>())
    }

    /// Creates a reader for a board.
    public init(board: BoardID, owner: OwnerID, store: any BoardStoring, fetching: any BackgroundFetching) {
        (self.board, self.owner, self.store, self.fetching) = (board, owner, store, fetching)
    }
}

extension BackgroundReader {
    /// Loads the picture of a background, off the caller's actor.
    ///
    /// - Returns: The picture, after it has been stored.
    /// - Throws: The reason why the picture can't be shown.
    @concurrent
    func picture(
        of background: Background, progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(BackgroundError) -> BackgroundPicture {
        switch background {
        case .blank: throw .missing
        case .picture:
            guard let picture = try await stored(background) else { throw .missing }
            return picture
        case .address(let address):
            let mustRefetch = addressesToRefetch.all.withLock { $0.contains(address) }
            if !mustRefetch, let picture = try await stored(background) { return picture }
            let picture = try await fetched(from: address, progress: progress)
            addressesToRefetch.all.withLock { _ = $0.remove(address) }
            return picture
        }
    }

    /// Makes the next read fetch the address even if its picture is stored.
    func readAnew(_ address: String) {
        addressesToRefetch.all.withLock { _ = $0.insert(address) }
    }

    /// Loads a background's picture with its bytes, off the caller's actor, and stores it if it had to be fetched.
    ///
    /// - Throws: The reason why the picture can't be shown; ``BackgroundError/missing`` for ``Background/blank``.
    @concurrent
    public func checkedPicture(of background: Background) async throws(BackgroundError) -> CheckedPicture {
        let id = try await picture(of: background) { _ in }.id
        guard let picture = try await bytes(of: id) else { throw .missing }
        return picture
    }

    /// The stored picture of a background; `nil` if there is none, or the picture must be fetched again.
    private func stored(_ background: Background) async throws(BackgroundError) -> BackgroundPicture? {
        let found = try await rethrowing(BackgroundError.of) { () async throws(BoardStoreError) in
            try await store.storedPicture(of: background, on: board, owner: owner)
        }
        guard let found else { return nil }
        if let size = found.size {
            return BackgroundPicture(id: found.id, type: found.type, width: size.width, height: size.height)
        }
        do throws(BackgroundError) {
            return try await bytes(of: found.id).map { BackgroundPicture(found.id, $0) }
        } catch {
            // An earlier version of the app accepted these bytes. Fetch again: the address may have a valid picture by
            // now.
            if case .picture(.store) = error { throw error }
            if background.address != nil { return nil }
            throw error
        }
    }

    /// The picture with its size; if an earlier version stored it without one, its size is determined and stored.
    private func bytes(of id: PictureID) async throws(BackgroundError) -> CheckedPicture? {
        let stored = try await rethrowing(BackgroundError.of) { () async throws(BoardStoreError) in
            try await store.picture(id, of: board, owner: owner)
        }
        guard let stored else { return nil }
        if let checked = CheckedPicture(stored) { return checked }
        let found = try await rethrowing(BackgroundError.picture) { () async throws(PictureError) in
            try await fetching.check(stored.data)
        }
        guard let size = found.picture.size else { throw .missing }
        // If this fails, the next read determines the size again.
        try? await store.setSize(size, of: id, on: board, owner: owner)
        return CheckedPicture(data: stored.data, type: stored.type, size: size)
    }

    private func fetched(
        from address: String, progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(BackgroundError) -> BackgroundPicture {
        let checked = try await fetching.fetch(address, limit: BoardLimits.pictureBytes, progress: progress)
        // A cancelled fetch stores nothing.
        if Task.isCancelled { throw .fetch(ArtWords.anotherBackground, .never) }
        let id = try await rethrowing(BackgroundError.of) { () async throws(BoardStoreError) in
            try await store.add(checked.picture, fetchedFrom: address, for: board, owner: owner)
        }
        return BackgroundPicture(id, checked)
    }
}

extension BackgroundPicture {
    /// Creates the description of a validated picture that is stored under an id.
    init(_ id: PictureID, _ checked: CheckedPicture) {
        self.init(id: id, type: checked.picture.type, width: checked.width, height: checked.height)
    }
}

extension BackgroundError {
    fileprivate static func of(_ error: BoardStoreError) -> BackgroundError { .picture(.store(error)) }
}
