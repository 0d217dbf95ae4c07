import EmojiArtModel
import Formats
import Foundation
import Site

/// The values of the template `palettes`.
struct PalettesView: Sendable {
    let tabs = ArtTab.all(current: .palettes)
    let notice: String?
    let version: String
    /// Why the palettes couldn't be read.
    let failure: String?
    let setAside: [SetAsideView]
    let editor: PaletteEditorView?
    let stores: [PaletteStoreView]

    init(_ snapshot: PaletteSnapshot, _ query: PaletteQuery, failure: String?, notice: String?) {
        let opened = query.opened(in: snapshot)
        (self.failure, self.notice) = (failure, notice)
        version = snapshot.version
        setAside = snapshot.stores.flatMap { SetAsideView.all(in: $0, query) }
        editor = opened.map { PaletteEditorView($0.palette, in: $0.store, recents: snapshot.recents, query) }
        stores = snapshot.stores.enumerated().map { index, store in
            PaletteStoreView(
                store, after: snapshot.stores[..<index],
                others: snapshot.stores.map(\.name).filter { $0 != store.name }, query, opened: opened?.palette.id)
        }
    }

    fileprivate static func action(_ id: Palette.ID, in store: String) -> Link {
        Link("/art/palettes/\(store)/\(id)")
    }
}

/// The values of the template `palettestore`.
struct PaletteStoreView: Sendable {
    struct Row: Sendable {
        let id, store, name, index, preview, count: String
        let path, action: Link
        let isOpen: Bool
        let up, down: String
        let isFirst, isLast: Bool
        let others: [String]
        /// The query of the open palette, which the forms send back.
        let open: String
        /// The palette that was deleted in front of this one.
        let deleted: Deleted?
    }

    /// The palette that was deleted last, in its place.
    struct Deleted: Sendable {
        let id, store, name, open: String
        let action: Link

        init(_ palette: Palette, in store: String, _ query: PaletteQuery) {
            (id, self.store, name, open) = ("\(palette.id)", store, palette.name, query.text)
            action = PalettesView.action(palette.id, in: store)
        }
    }

    /// Another store on the page that has the same palettes.
    struct EqualStore: Sendable {
        let store: String
        /// Whether the palettes are shown nevertheless, because one of them is open.
        let isShown: Bool
    }

    /// The number of emoji in a palette's preview: more than fit.
    private static let previewLength = 16

    let name, count: String
    let palettes: [Row]
    /// The palette that was deleted after the last one.
    let deletedAtEnd: Deleted?
    /// An earlier store with the same palettes, such as the initial nine; if set, these palettes are collapsed.
    let same: EqualStore?

    /// Creates the values of a store; `before` are the stores above it on the page.
    init(
        _ store: PaletteSnapshot.Store, after before: ArraySlice<PaletteSnapshot.Store>, others: [String],
        _ query: PaletteQuery, opened: Palette.ID?
    ) {
        let all = store.list.palettes
        name = store.name
        same = before.first { Self.areSame($0.list.palettes, all) }.map { other in
            EqualStore(store: other.name, isShown: all.contains { $0.id == opened })
        }
        count = ArtWords.paletteCount(all.count)
        let deletion = store.deletion
        func deleted(at index: Int) -> Deleted? {
            guard let deletion, deletion.index == index else { return nil }
            return Deleted(deletion.palette, in: store.name, query)
        }
        deletedAtEnd = deleted(at: all.count)
        palettes = all.enumerated().map { index, palette in
            Row(
                id: "\(palette.id)", store: store.name, name: palette.name, index: "\(index)",
                preview: palette.emojis.prefix(Self.previewLength).joined(),
                count: ArtWords.emojiCount(palette.emojis.count),
                path: Link(PaletteQuery(store: store.name, palette: palette.id).path),
                action: PalettesView.action(palette.id, in: store.name), isOpen: palette.id == opened,
                up: "\(index - 1)", down: "\(index + 1)", isFirst: index == 0, isLast: index == all.count - 1,
                others: others, open: query.text, deleted: deleted(at: index))
        }
    }

    /// Whether palettes have the same names and emoji; their ids differ between stores.
    private static func areSame(_ palettes: [Palette], _ others: [Palette]) -> Bool {
        palettes.count == others.count
            && zip(palettes, others).allSatisfy { $0.name == $1.name && $0.emojis == $1.emojis }
    }
}

/// The values of the template `paletteeditor`.
struct PaletteEditorView: Sendable {
    struct Button: Sendable {
        let emoji, label: String
        let isInPalette: Bool
    }

    /// The results of the search, or the emoji of a group.
    struct Found: Sendable {
        let title: String
        let hits: [Button]
    }

    struct Group: Sendable {
        let path: Link
        let emoji, label, name: String
        let isCurrent: Bool
    }

    /// A choice of the skin tone.
    struct Tone: Sendable {
        let value, label: String
        let isChosen: Bool
    }

    struct Recents: Sendable {
        let used: [Button]
    }

    let id, store, name, open: String
    let action: Link
    let count: String
    /// Whether the name is focused first, rather than the field for emoji to add.
    let startsWithName: Bool
    let contents: [Button]
    let isEmpty: Bool
    let query, group: String?
    let tones: [Tone]
    let groups: [Group]
    let found: Found
    let recents: Recents?

    init(_ palette: Palette, in store: String, recents: [String], _ query: PaletteQuery) {
        let present = Set(palette.emojis)
        func button(_ emoji: String) -> Button {
            Button(emoji: emoji, label: EmojiSearch.name(of: emoji) ?? emoji, isInPalette: present.contains(emoji))
        }
        (id, name, self.store, open) = ("\(palette.id)", palette.name, store, query.text)
        action = PalettesView.action(palette.id, in: store)
        count = "\(palette.emojis.count)"
        let isNew = palette.name == PaletteForm.newName && palette.emojis.isEmpty
        startsWithName = isNew || PaletteField.first(forName: palette.name) == .name
        contents = palette.emojis.map(button)
        isEmpty = palette.emojis.isEmpty
        (self.query, group) = (query.q, query.group)
        let all = EmojiSearch.groups
        let shown = all.first { $0.key == query.group } ?? all.first
        let hits = query.toned(
            query.q.map { EmojiSearch.search($0, limit: ArtPages.maximumResults) } ?? shown?.hits ?? [])
        let title = query.q == nil ? shown?.name ?? "" : ArtWords.found(hits.count)
        found = Found(
            title: hits.isEmpty ? "" : ArtWords.tapToAdd(title),
            hits: hits.map { Button(emoji: $0.emoji, label: $0.name, isInPalette: present.contains($0.emoji)) })
        groups = all.map { group in
            var other = query
            other.q = nil
            other.group = group.key
            return Group(
                path: Link("\(other.path)#found"), emoji: group.hits.first?.emoji ?? "", label: group.label,
                name: group.name, isCurrent: query.q == nil && group.key == shown?.key)
        }
        tones =
            [Tone(value: "", label: "✋ Default", isChosen: query.tone == nil)]
            + SkinTone.allCases.map { Tone(value: $0.rawValue, label: $0.label, isChosen: query.tone == $0) }
        self.recents = recents.isEmpty ? nil : Recents(used: recents.map(button))
    }
}

extension SkinTone {
    /// The choice of the skin tone, with an example.
    fileprivate var label: String { "✋\(scalar) \(rawValue.prefix(1).uppercased())\(rawValue.dropFirst())" }
}

/// The values of the template `palettesetaside`: a message about palettes that were set aside.
struct SetAsideView: Sendable {
    struct Restorable: Sendable {
        let label: String
    }

    /// The maximum number of messages per store.
    ///
    /// If there are more, the newest are shown. The page “Your data” lists all of them.
    private static let maximumSetAside = 5

    let id, store, open: String
    let action: Link
    let isReplaced: Bool
    let heading, happened: String
    let problem: String?
    let restorable: Restorable?

    /// The messages about a store's palettes, the newest first.
    static func all(in store: PaletteSnapshot.Store, _ query: PaletteQuery) -> [SetAsideView] {
        store.setAside.suffix(maximumSetAside).reversed().map { SetAsideView($0, in: store, query) }
    }

    private init(_ palettes: SetAsidePalettes, in store: PaletteSnapshot.Store, _ query: PaletteQuery) {
        (id, self.store, open) = (palettes.id, store.name, query.text)
        action = Link("/art/palettes/\(store.name)/set-aside/\(palettes.id)")
        isReplaced = palettes.cause == .replaced
        let time = ReaderFormats.current.dateAndTime(palettes.time)
        switch palettes.cause {
        case .replaced:
            heading = ArtWords.replaced(in: store.name)
            happened = ArtWords.replacedDetail(at: time)
        case .unreadable(let reason):
            heading = ArtWords.unreadable(in: store.name)
            happened = ArtWords.unreadableDetail(
                at: time, because: reason.hasSuffix(".") ? reason : "\(reason).",
                replaced: store.isBuiltIn ? ArtWords.builtInReplaced : ArtWords.lastCopyReplaced)
        }
        problem = palettes.problem.map {
            palettes.cause == .unreadable($0) ? ArtWords.stillUnreadable : $0
        }
        restorable =
            palettes.problem == nil
            ? Restorable(label: ArtWords.restorePalettes(palettes.count)) : nil
    }
}
