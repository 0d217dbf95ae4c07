public import Observation
public import Persistence

/// The palettes of somebody: four stores of them side by side, and what they used lately.
@MainActor @Observable
public final class PaletteStores {
    /// What the stores are called: those of the course, and one that all owners have in common.
    public nonisolated static let names = ["Main", "Alternate", "Special", shared]
    private nonisolated static let shared = "Shared"

    /// The stores, in the order of ``names``.
    public let stores: [PaletteStore]
    /// The emoji that were used last.
    public let recents: Recents
    @ObservationIgnored private let makeID: @Sendable () -> Palette.ID

    /// The palettes of an owner.
    ///
    /// - Parameters:
    ///   - store: Where the owner's are kept.
    ///   - common: Where those are kept that all owners have in common; without it, they are the owner's too.
    ///   - settings: When they are written.
    ///   - makeID: Makes numbers that no other palette has.
    public init(
        in store: any Store, shared common: (any Store)? = nil, settings: AutosaveSettings = AutosaveSettings(),
        makeID: @escaping @Sendable () -> Palette.ID = { Palette.freshID() }
    ) {
        self.makeID = makeID
        self.recents = Recents(in: store, settings: settings)
        self.stores = Self.names.enumerated().map { index, name in
            do throws(PaletteError) {
                // Numbers of their own, so that a palette keeps its number when it is moved.
                return try PaletteStore(
                    named: name, in: name == Self.shared ? common ?? store : store, firstID: 1 + 1_000 * index,
                    settings: settings, makeID: makeID)
            } catch {
                preconditionFailure("“\(name)” can name what is kept: \(error)")
            }
        }
    }

    /// Reads what is kept, if it was not read yet.
    ///
    /// - Throws: ``PaletteError``, of the first that cannot be read; the others are read all the same.
    public func open() async throws(PaletteError) {
        var failure: PaletteError?
        do throws(PaletteError) {
            try await forEachStore { store throws(PaletteError) in try await store.open() }
        } catch {
            failure = error
        }
        do throws(PaletteError) { try await recents.open() } catch { failure = failure ?? error }
        if let failure { throw failure }
    }

    /// Does something with all stores, and then throws the first error.
    func forEachStore(_ body: (PaletteStore) async throws(PaletteError) -> Void) async throws(PaletteError) {
        var failure: PaletteError?
        for store in stores {
            do throws(PaletteError) { try await body(store) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// A store by one of the ``names``; ``PaletteError/noStore(_:known:)`` for another one.
    public func store(named name: String) throws(PaletteError) -> PaletteStore {
        guard let store = stores.first(where: { $0.name == name }) else {
            throw .noStore(name, known: Self.names)
        }
        return store
    }
}

// MARK: - The manager

extension PaletteStores {
    /// Puts a palette into another store, and returns when that is kept.
    ///
    /// It is kept there before it is taken away here, so that the end of the process loses nothing.
    ///
    /// - Parameters:
    ///   - id: Which palette.
    ///   - source: The store that has it.
    ///   - target: The store that is to have it.
    ///   - place: The index that it has there; without it, it is the last.
    /// - Throws: ``PaletteError``: among others `lastPalette`, which stays. It is in one of the stores then, or in both.
    public func move(
        _ id: Palette.ID, from source: PaletteStore, to target: PaletteStore, at place: Int? = nil
    ) async throws(PaletteError) {
        let palette = try source.list.palette(id)
        guard source !== target else {
            try source.edit { list throws(PaletteError) in try list.move(id, to: place ?? list.palettes.count) }
            return try await source.save()
        }
        guard source.list.palettes.count > 1 else { throw .lastPalette }
        let taken = target.list.palettes.first { $0.id == id }
        // Another palette of this number, from a file perhaps, would be replaced.
        let moved = taken == nil || taken == palette ? palette : palette.renumbered(makeID())
        try target.insert(moved, at: place ?? target.list.palettes.count)
        try await target.save()
        do throws(PaletteError) {
            try source.edit { list throws(PaletteError) in
                // Somebody may have changed it while it was written there: then both stay.
                guard try list.palette(id) == palette else { return }
                try list.delete(id)
            }
        } catch .noPalette {
            // Somebody else has moved or deleted it meanwhile.
        }
        try await source.save()
    }
}
