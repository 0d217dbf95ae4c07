import Futures
import Loading
public import Persistence

/// Gets the picture that a board is drawn on: what is kept from the store, and what is not from its address.
public struct BackgroundReader: Sendable {
    let board: BoardID
    let owner: OwnerID
    let store: any BoardStoring
    let fetching: any BackgroundFetching
    /// The addresses that are fetched although what they had is kept.
    private let anew = Addresses()

    private final class Addresses: Sendable {
        let all = Lock(Set<String>())
    }

    /// A reader for a board: stored pictures come from the store, and others are fetched.
    public init(board: BoardID, owner: OwnerID, store: any BoardStoring, fetching: any BackgroundFetching) {
        (self.board, self.owner, self.store, self.fetching) = (board, owner, store, fetching)
    }
}

extension BackgroundReader {
    /// Gets the picture of a background, on no actor.
    ///
    /// - Returns: The picture, which is kept.
    /// - Throws: Why it cannot be shown.
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
            let isAnew = anew.all.withLock { $0.contains(address) }
            if !isAnew, let picture = try await stored(background) { return picture }
            let picture = try await fetched(from: address, progress: progress)
            anew.all.withLock { _ = $0.remove(address) }
            return picture
        }
    }

    /// The next time, fetches a picture from its address also if it is kept.
    func readAnew(_ address: String) {
        anew.all.withLock { _ = $0.insert(address) }
    }

    /// Gets all of the picture of a background, on no actor; it is stored then.
    ///
    /// - Throws: Why it cannot be shown; ``BackgroundError/missing`` for ``Background/blank``.
    @concurrent
    public func checkedPicture(of background: Background) async throws(BackgroundError) -> CheckedPicture {
        let id = try await picture(of: background) { _ in }.id
        guard let picture = try await bytes(of: id) else { throw .missing }
        return picture
    }

    /// The stored picture of a background; `nil` if there is none, or one that is to be fetched anew.
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
            // An earlier version took it. The address may have a better one by now.
            if case .picture(.store) = error { throw error }
            if background.address != nil { return nil }
            throw error
        }
    }

    /// The picture with its size, which is found and stored once if an earlier version stored the picture without it.
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
        // If this fails, the size is found again the next time.
        try? await store.setSize(size, of: id, on: board, owner: owner)
        return CheckedPicture(data: stored.data, type: stored.type, size: size)
    }

    private func fetched(
        from address: String, progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(BackgroundError) -> BackgroundPicture {
        let checked = try await fetching.fetch(address, limit: BoardLimits.pictureBytes, progress: progress)
        // A cancelled fetch stores nothing.
        if Task.isCancelled { throw .fetch("Something else was set meanwhile.", .never) }
        let id = try await rethrowing(BackgroundError.of) { () async throws(BoardStoreError) in
            try await store.keep(checked.picture, fetchedFrom: address, for: board, owner: owner)
        }
        return BackgroundPicture(id, checked)
    }
}

extension BackgroundPicture {
    /// A picture that was looked at, under the name that it is kept by.
    init(_ id: PictureID, _ checked: CheckedPicture) {
        self.init(id: id, type: checked.picture.type, width: checked.width, height: checked.height)
    }
}

extension BackgroundError {
    /// An error of the store.
    fileprivate static func of(_ error: BoardStoreError) -> BackgroundError { .picture(.store(error)) }
}
