public import Observation
public import Persistence

/// The emoji that somebody used last, the latest first, each once; kept with `Stored`.
@MainActor @Observable
public final class Recents {
    /// How many there are at the most.
    public static let most = 40

    @ObservationIgnored let stored: Stored<[String]>

    /// Those that are stored; none until they have been read, see ``open()``.
    public init(in store: any Store, settings: AutosaveSettings = AutosaveSettings()) {
        stored = Stored(
            "EmojiRecents", in: store, format: StoredFormat("emojiart.recents"), default: [], settings: settings,
            validating: { Self.tolerated($0) },
            merge: { .merged(Self.merged($0.local, with: $0.foreign, from: $0.base ?? [])) })
    }

    /// The emoji, the latest first.
    public var emojis: [String] { stored.value }

    /// How far what was used has come.
    public var status: SaveStatus { stored.status }

    /// Reads what is kept, if it was not read yet.
    ///
    /// - Throws: ``PaletteError``: `fromTheFuture` or `failed`.
    public func open() async throws(PaletteError) {
        await stored.load()
        if let failure = stored.status.failure { throw PaletteError(failure) }
    }

    /// Puts an emoji, or a sign of a palette, before the others; ``PaletteError/noEmoji(_:)`` if it is something else.
    public func use(_ emoji: String) throws(PaletteError) {
        guard emoji.count == 1, let used = Self.tolerated([emoji]).first else { throw .noEmoji(emoji) }
        stored.value = Self.first([used], before: stored.value)
    }

    /// Returns when all that was used is kept.
    ///
    /// - Throws: ``PaletteError``: why it is not kept; it is tried again.
    public func save() async throws(PaletteError) {
        try await rethrowing(PaletteError.init) { () async throws(StoreError) in
            try await stored.flush(within: PaletteStore.patience)
        }
    }
}

// MARK: - What is kept

extension Recents {
    private static func first(_ used: [String], before others: [String]) -> [String] {
        Array((used + others).uniqued.prefix(most))
    }

    private static func tolerated(_ emojis: [String]) -> [String] {
        first(Palette(tolerating: 0, name: "", emojis: emojis).emojis, before: [])
    }

    /// What two have used at once: what was used here since, then what the other has.
    static func merged(_ local: [String], with foreign: [String], from base: [String]) -> [String] {
        let used = (0...local.count).first { count in
            let used = local.prefix(count)
            return first(Array(used), before: base) == local
        }
        return first(Array(local.prefix(used ?? local.count)), before: foreign)
    }
}
