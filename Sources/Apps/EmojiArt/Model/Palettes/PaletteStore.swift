public import Observation
public import Persistence

/// Palettes under a name, as in the course, kept with `Stored` and observed.
///
/// What is changed is shown at once and written soon after; what other tabs and processes change comes in by itself, and of
/// what two change at once neither is lost.
@MainActor @Observable
public final class PaletteStore: Identifiable {
    /// How long somebody waits until what they have changed is kept.
    static let patience = Duration.seconds(5)

    /// Its name, such as `Main`.
    public let name: String
    @ObservationIgnored let stored: Stored<PaletteList>
    @ObservationIgnored private let builtIn: PaletteList
    /// The palettes of this name that are set aside, the oldest first; observed, as ``loadSetAside()`` found them last.
    public private(set) var setAside: [SetAsidePalettes] = []
    /// How many reports there were when it was read which palettes are set aside.
    @ObservationIgnored private(set) var loadedReports = 0
    @ObservationIgnored private let makeID: @Sendable () -> Palette.ID

    /// The palettes of that name; the built-in ones until what is kept has been read, see ``open()``.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - store: Where they are kept.
    ///   - firstID: The number of the first built-in palette; without it, one that follows from the store's name, so that stores
    ///     of different names have different numbers.
    ///   - settings: When they are written.
    ///   - makeID: Makes numbers that no other palette has.
    /// - Throws: ``PaletteError``, if nothing can be kept under that name.
    public init(
        named name: String, in store: any Store, firstID: Int? = nil, settings: AutosaveSettings = AutosaveSettings(),
        makeID: @escaping @Sendable () -> Palette.ID = { Palette.freshID() }
    ) throws(PaletteError) {
        self.name = name
        self.makeID = makeID
        let firstID = firstID ?? Palette.firstBuiltinID(of: name)
        self.builtIn = PaletteList.builtins(firstID: firstID)
        do throws(StoreError) {
            stored = try PaletteList.kept(
                named: name, in: store, firstID: firstID, settings: settings)
        } catch {
            throw PaletteError(error)
        }
    }

    /// Its name.
    public nonisolated var id: String { name }
}

// MARK: - What is kept

extension PaletteStore {
    /// The palettes and the cursor.
    public var list: PaletteList { stored.value }

    /// How far what was changed has come.
    public var status: SaveStatus { stored.status }

    /// What happened to what was kept, the oldest first; see `Stored`.
    public var reports: [StoredReport] { stored.reports }

    /// Whether the palettes are the built-in ones.
    public var isBuiltIn: Bool { stored.value == builtIn }

    func show(setAside found: [SetAsidePalettes], asOf reportCount: Int) {
        loadedReports = reportCount
        if setAside != found { setAside = found }
    }

    /// Reads what is kept, if it was not read yet.
    ///
    /// - Throws: ``PaletteError``: `fromTheFuture` or `failed`. What is shown then are the built-in palettes; what cannot be read
    ///   now is tried again.
    public func open() async throws(PaletteError) {
        await stored.load()
        if let failure = stored.status.failure { throw PaletteError(failure) }
    }

    /// Changes the palettes or the cursor, which is seen at once; if the change throws, nothing is changed.
    ///
    /// - Throws: ``PaletteError``: what the change throws, or `fromTheFuture`.
    @discardableResult
    public func edit<Outcome>(
        _ change: (inout PaletteList) throws(PaletteError) -> Outcome
    ) throws(PaletteError) -> Outcome {
        let before = stored.value
        var list = before
        let outcome = try change(&list)
        guard list != before else { return outcome }
        stored.value = list
        // Nothing is set over what a newer program has written.
        if stored.value != list, let failure = stored.status.failure { throw PaletteError(failure) }
        return outcome
    }

    /// Returns when all that was changed is kept.
    ///
    /// - Throws: ``PaletteError``: why it is not kept; what was changed is shown all the same, and it is tried again.
    public func save() async throws(PaletteError) {
        try await rethrowing(PaletteError.init) { () async throws(StoreError) in
            try await stored.flush(within: Self.patience)
        }
    }
}

// MARK: - By the names of the course

extension PaletteStore {
    /// Takes over the palettes that the course's application has stored in the same defaults, and returns whether there
    /// were some.
    ///
    /// They are JSON data, under `PaletteStore:` and the name, or in the lecture's first version under the name alone. They are
    /// taken over once, and replace no palettes that are stored here. The application's own entry stays. The store that
    /// ``init(named:in:firstID:settings:makeID:)`` gets afterwards is the same.
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
    /// The palettes; setting none is refused, and nobody is told.
    public var palettes: [Palette] {
        get { list.palettes }
        set { apply { list in list.replace(with: newValue) } }
    }

    /// Which palette is shown, as an index that wraps round at both ends.
    public var cursorIndex: Int {
        get { list.cursor }
        set { apply { list in list.cursor = newValue } }
    }

    /// A property cannot throw; that what a newer program has written is left alone, ``status`` says.
    private func apply<Outcome>(_ change: (inout PaletteList) -> Outcome) {
        _ = try? edit { list throws(PaletteError) in change(&list) }
    }

    /// Puts a palette somewhere; see ``PaletteList/insert(_:at:)``.
    public func insert(_ palette: Palette, at place: Int? = nil) throws(PaletteError) {
        try edit { list throws(PaletteError) in try list.insert(palette, at: place) }
    }

    /// Puts a palette at the end; see ``PaletteList/append(_:)``.
    public func append(_ palette: Palette) throws(PaletteError) {
        try edit { list throws(PaletteError) in try list.append(palette) }
    }

    /// Makes a new palette in the place of the one that is shown, and shows it.
    ///
    /// Without a name it is that of the course's “New”, and without emoji it has the signs of Math if it is called so.
    @discardableResult
    public func insertNew(
        name: String = Palette.math.name, emojis: String? = nil
    ) throws(PaletteError) -> Palette {
        let signs = Palette.math.emojis
        var contents = emojis.map { EmojiText.emojis(in: $0) } ?? (name == Palette.math.name ? signs : [])
        // A form that offers the signs of Math sends them back.
        if let emojis, emojis.map(String.init) == signs { contents = signs }
        if let emojis, contents.isEmpty, !emojis.allSatisfy(\.isWhitespace) { throw .noEmoji(emojis) }
        let palette = try Palette(id: makeID(), name: name, emojis: contents)
        try insert(palette)
        return palette
    }
}
