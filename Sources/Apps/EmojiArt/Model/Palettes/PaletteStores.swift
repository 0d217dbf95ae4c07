public import Observation
public import Persistence

/// An owner's palettes: four stores side by side, and the recently used emoji.
@MainActor @Observable
public final class PaletteStores {
    /// The stores' names: those of the course, and one that all owners share.
    public nonisolated static let names = ["Main", "Alternate", "Special", shared]
    private nonisolated static let shared = "Shared"

    /// The stores, in the order of ``names``.
    public let stores: [PaletteStore]
    /// The recently used emoji.
    public let recents: Recents
    @ObservationIgnored private let makeID: @Sendable () -> Palette.ID

    /// Creates the stores of an owner.
    ///
    /// - Parameters:
    ///   - store: The owner's store.
    ///   - common: The store that all owners share; if it is `nil`, the owner's store.
    ///   - settings: When changes are written.
    ///   - makeID: Generates unique ids.
    public init(
        in store: any Store, shared common: (any Store)? = nil, settings: AutosaveSettings = AutosaveSettings(),
        makeID: @escaping @Sendable () -> Palette.ID = { Palette.freshID() }
    ) {
        self.makeID = makeID
        self.recents = Recents(in: store, settings: settings)
        self.stores = Self.names.enumerated().map { index, name in
            do throws(PaletteError) {
                // Distinct id ranges, so that a palette keeps its id when it is moved to another store.
                return try PaletteStore(
                    named: name, in: name == Self.shared ? common ?? store : store, firstID: 1 + 1_000 * index,
                    settings: settings, makeID: makeID)
            } catch {
                preconditionFailure("“\(name)” must be a valid name of a store: \(error)")
            }
        }
    }

    /// Reads the stored palettes, if they weren't read yet.
    ///
    /// - Throws: ``PaletteError``, of the first store that can't be read; the others are read anyway.
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

    /// Calls `body` with each store, and then throws the first error.
    func forEachStore(_ body: (PaletteStore) async throws(PaletteError) -> Void) async throws(PaletteError) {
        var failure: PaletteError?
        for store in stores {
            do throws(PaletteError) { try await body(store) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// The store with one of the ``names``; throws ``PaletteError/noStore(_:known:)`` for another name.
    public func store(named name: String) throws(PaletteError) -> PaletteStore {
        guard let store = stores.first(where: { $0.name == name }) else {
            throw .noStore(name, known: Self.names)
        }
        return store
    }
}

// MARK: - Moving palettes

extension PaletteStores {
    /// Moves a palette to another store, and returns when the move is stored.
    ///
    /// The palette is stored in the target before it is deleted from the source, so that a crash loses nothing.
    ///
    /// - Parameters:
    ///   - id: The palette's id.
    ///   - source: The store that contains it.
    ///   - target: The store to move it to.
    ///   - place: The index in the target; by default it is appended.
    /// - Throws: ``PaletteError``: among others `lastPalette`, if it is the source's only one. After any error the
    ///   palette is in the source, in the target, or in both.
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
        // Prevents replacing another palette with the same id, which may come from a file.
        let moved = taken == nil || taken == palette ? palette : palette.renumbered(makeID())
        try target.insert(moved, at: place ?? target.list.palettes.count)
        try await target.save()
        do throws(PaletteError) {
            try source.edit { list throws(PaletteError) in
                // If it was changed while it was written to the target, both copies are kept.
                guard try list.palette(id) == palette else { return }
                try list.delete(id)
            }
        } catch .noPalette {
            // It was moved or deleted concurrently.
        }
        try await source.save()
    }
}
