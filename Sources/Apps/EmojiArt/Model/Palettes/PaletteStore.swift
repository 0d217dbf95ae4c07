import Futures
public import Observation
public import Persistence

/// A named store of palettes, as in the course, persisted with `Stored` and observed.
///
/// A change is visible at once and written soon after. Changes of other tabs and processes arrive automatically, and
/// concurrent changes are merged.
@MainActor @Observable
public final class PaletteStore: Identifiable {
    /// The maximum time that ``save()`` waits until changes are stored.
    static let flushTimeout = Duration.seconds(30)

    /// The name, such as `Main`.
    public let name: String
    @ObservationIgnored let stored: Stored<PaletteList>
    @ObservationIgnored private let builtIn: PaletteList
    /// The set-aside palettes of this store, the oldest first; observed, and updated by ``loadSetAside()``.
    public private(set) var setAside: [SetAsidePalettes] = []
    /// The number of reports when the set-aside palettes were last loaded.
    @ObservationIgnored private(set) var loadedReports = 0
    /// The last palettes that were deleted in this process, the oldest first.
    private var deletions: [PaletteDeletion] = []
    @ObservationIgnored private let makeID: @Sendable () -> Palette.ID

    /// Creates a store with a name; it has the built-in palettes until ``open()`` has read the stored ones.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - store: The underlying store.
    ///   - firstID: The id of the first built-in palette; by default it is derived from the name, so that stores with
    ///     different names have different ids.
    ///   - settings: When changes are written.
    ///   - makeID: Generates unique ids.
    /// - Throws: ``PaletteError``, if the name can't be part of a key.
    public init(
        named name: String, in store: any Store, firstID: Int? = nil, settings: AutosaveSettings = AutosaveSettings(),
        makeID: @escaping @Sendable () -> Palette.ID = { Palette.freshID() }
    ) throws(PaletteError) {
        self.name = name
        self.makeID = makeID
        let firstID = firstID ?? Palette.firstBuiltinID(of: name)
        self.builtIn = PaletteList.builtins(firstID: firstID)
        do throws(StoreError) {
            stored = try PaletteList.stored(
                named: name, in: store, firstID: firstID, settings: settings)
        } catch {
            throw PaletteError(error)
        }
    }

    /// The name.
    public nonisolated var id: String { name }
}

// MARK: - Storage

extension PaletteStore {
    /// The palettes and the cursor.
    public var list: PaletteList { stored.value }

    /// Whether the changes are stored.
    public var status: SaveStatus { stored.status }

    /// Reports of problems with the stored data, the oldest first; see `Stored`.
    public var reports: [StoredReport] { stored.reports }

    /// Whether the palettes are the built-in ones.
    public var isBuiltIn: Bool { stored.value == builtIn }

    func show(setAside found: [SetAsidePalettes], asOf reportCount: Int) {
        loadedReports = reportCount
        if setAside != found { setAside = found }
    }

    /// Reads the stored palettes, if they weren't read yet.
    ///
    /// - Throws: ``PaletteError``: `newerVersion` or `failed`. The store shows the built-in palettes then; a failed
    ///   read is retried.
    public func open() async throws(PaletteError) {
        await stored.load()
        if let failure = stored.status.failure { throw PaletteError(failure) }
    }

    /// Changes the palettes or the cursor, visibly at once; if the closure throws, nothing is changed.
    ///
    /// - Throws: ``PaletteError``: the closure's error, or `newerVersion`.
    @discardableResult
    public func edit<Outcome>(
        _ change: (inout PaletteList) throws(PaletteError) -> Outcome
    ) throws(PaletteError) -> Outcome {
        let before = stored.value
        var list = before
        let outcome = try change(&list)
        guard list != before else { return outcome }
        stored.value = list
        // `Stored` ignores changes if a newer version of the program has written the data.
        if stored.value != list, let failure = stored.status.failure { throw PaletteError(failure) }
        return outcome
    }

    /// Returns when all changes are stored.
    ///
    /// - Throws: ``PaletteError``: why they aren't stored; they stay visible, and writing is retried.
    public func save() async throws(PaletteError) {
        try await rethrowing(PaletteError.init) { () async throws(StoreError) in
            try await stored.flush(within: Self.flushTimeout)
        }
    }
}

// MARK: - Deleting

/// A palette that was deleted.
package struct PaletteDeletion: Hashable, Sendable {
    /// The palette.
    package let palette: Palette
    /// The index that it had in its list.
    package let index: Int
    /// The palettes that were left.
    fileprivate let others: [Palette]
}

extension PaletteStore {
    /// The maximum number of deletions that can be undone.
    private static let maximumDeletions = 20

    /// The deletion that the page offers to undo: the last one, if the palettes haven't changed since.
    ///
    /// Once that deletion is undone, this is the deletion before it.
    package var lastDeletion: PaletteDeletion? {
        deletions.last { $0.others == list.palettes }
    }

    /// Deletes a palette, which ``restore(_:)`` can insert again until this process ends.
    ///
    /// - Throws: ``PaletteError``: `noPalette`, or `lastPalette` if it is the only one.
    package func delete(_ id: Palette.ID) throws(PaletteError) {
        let before = list.palettes
        try edit { list throws(PaletteError) in try list.delete(id) }
        guard let index = before.firstIndex(where: { $0.id == id }) else { return }
        if deletions.count == Self.maximumDeletions { deletions.removeFirst() }
        deletions.append(PaletteDeletion(palette: before[index], index: index, others: list.palettes))
    }

    /// Inserts a deleted palette in its place again; does nothing if the list has it.
    ///
    /// - Throws: ``PaletteError``: `noPalette` if it isn't among the last deletions of this process; `tooManyPalettes`.
    package func restore(_ id: Palette.ID) throws(PaletteError) {
        if list.palettes.contains(where: { $0.id == id }) { return }
        guard let deletion = deletions.last(where: { $0.palette.id == id }) else { throw .noPalette }
        try insert(deletion.palette, at: deletion.index)
    }
}

// MARK: - The course's interface

extension PaletteStore {
    /// Adopts the palettes that the course's application has stored in the same defaults, and returns whether any
    /// were adopted.
    ///
    /// They are JSON data, under `PaletteStore:` and the name, or in the lecture's first version under the name alone.
    /// They are adopted once, and never replace palettes that are stored here. The application's own entry is retained.
    /// Pass the same defaults to ``init(named:in:firstID:settings:makeID:)`` afterwards.
    @discardableResult
    public static func adoptCoursePalettes(
        named name: String, in defaults: UserDefaultsStore
    ) async throws(PaletteError) -> Bool {
        try await rethrowing(PaletteError.init) { () async throws(StoreError) in
            let key = try PaletteList.key(named: name)
            for entry in ["PaletteStore:" + name, name] {
                if try await defaults.adopt(entry: entry, as: key, format: PaletteList.format.name, version: 1) {
                    return true
                }
            }
            return false
        }
    }
}

extension PaletteStore {
    /// The palettes; setting an empty array is ignored, without notifying observers.
    public var palettes: [Palette] {
        get { list.palettes }
        set { apply { list in list.replace(with: newValue) } }
    }

    /// The index of the selected palette, which wraps around at both ends.
    public var cursorIndex: Int {
        get { list.cursor }
        set { apply { list in list.cursor = newValue } }
    }

    /// Ignores errors, which a property setter can't throw; ``status`` reports data of a newer program.
    private func apply<Outcome>(_ change: (inout PaletteList) -> Outcome) {
        _ = try? edit { list throws(PaletteError) in change(&list) }
    }

    /// Inserts a palette; see ``PaletteList/insert(_:at:)``.
    public func insert(_ palette: Palette, at place: Int? = nil) throws(PaletteError) {
        try edit { list throws(PaletteError) in try list.insert(palette, at: place) }
    }

    /// Inserts a palette at the end; see ``PaletteList/append(_:)``.
    public func append(_ palette: Palette) throws(PaletteError) {
        try edit { list throws(PaletteError) in try list.append(palette) }
    }

    /// Creates a palette at the cursor, and selects it.
    ///
    /// The default name is that of the course's “New” command. If `emojis` is `nil`, a palette with that name gets the
    /// mathematical signs of ``Palette/math``.
    @discardableResult
    public func insertNew(
        name: String = Palette.math.name, emojis: String? = nil
    ) throws(PaletteError) -> Palette {
        let signs = Palette.math.emojis
        var contents = emojis.map { EmojiText.emojis(in: $0) } ?? (name == Palette.math.name ? signs : [])
        // A form that is prefilled with the mathematical signs sends them back.
        if let emojis, emojis.map(String.init) == signs { contents = signs }
        if let emojis, contents.isEmpty, !emojis.allSatisfy(\.isWhitespace) { throw .noEmoji(emojis) }
        let palette = try Palette(id: makeID(), name: name, emojis: contents)
        try insert(palette)
        return palette
    }
}
