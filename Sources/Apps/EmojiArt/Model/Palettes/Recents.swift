import Futures
public import Observation
public import Persistence

/// The recently used emoji, distinct, the latest first; persisted with `Stored`.
@MainActor @Observable
public final class Recents {
    /// The maximum number of emoji.
    public static let maximumCount = 40

    @ObservationIgnored let stored: Stored<[String]>

    /// Creates an empty list; ``open()`` reads the stored emoji.
    public init(in store: any Store, settings: AutosaveSettings = AutosaveSettings()) {
        stored = Stored(
            "EmojiRecents", in: store, format: StoredFormat("emojiart.recents"), default: [], settings: settings,
            validating: { Self.sanitized($0) },
            merge: { .merged(Self.merged($0.local, with: $0.foreign, from: $0.base ?? [])) })
    }

    /// The emoji, the latest first.
    public var emojis: [String] { stored.value }

    /// Whether the changes are stored.
    public var status: SaveStatus { stored.status }

    /// Reads the stored emoji, if they haven't been read yet.
    ///
    /// - Throws: ``PaletteError``: `newerVersion` or `failed`.
    public func open() async throws(PaletteError) {
        await stored.load()
        if let failure = stored.status.failure { throw PaletteError(failure) }
    }

    /// Moves an emoji, or another visible character, to the front; throws ``PaletteError/noEmoji(_:)`` for other text.
    public func use(_ emoji: String) throws(PaletteError) {
        guard emoji.count == 1, let used = Self.sanitized([emoji]).first else { throw .noEmoji(emoji) }
        stored.value = Self.first([used], before: stored.value)
    }

    /// Returns when all changes are stored.
    ///
    /// - Throws: ``PaletteError``: why they aren't stored; writing is retried.
    public func save() async throws(PaletteError) {
        try await rethrowing(PaletteError.init) { () async throws(StoreError) in
            try await stored.flush(within: PaletteStore.flushTimeout)
        }
    }
}

// MARK: - Limits and merging

extension Recents {
    private static func first(_ used: [String], before others: [String]) -> [String] {
        Array((used + others).uniqued.prefix(maximumCount))
    }

    private static func sanitized(_ emojis: [String]) -> [String] {
        first(Palette(tolerating: 0, name: "", emojis: emojis).emojis, before: [])
    }

    /// Merges concurrent uses: the emoji used here since the base, then the foreign list.
    static func merged(_ local: [String], with foreign: [String], from base: [String]) -> [String] {
        let used = (0...local.count).first { count in
            let used = local.prefix(count)
            return first(Array(used), before: base) == local
        }
        return first(Array(local.prefix(used ?? local.count)), before: foreign)
    }
}
