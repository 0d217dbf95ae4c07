import EmojiArtModel
import Observation

/// The state and actions of the palette views: all calls of the model are here, so that Linux compiles and runs them.
///
/// `PaletteStore` is observable, so SwiftUI redraws a view that reads it through this type when it changes.
@MainActor @Observable
final class PaletteScreen {
    let stores: PaletteStores
    /// The name of the store that the chooser shows; see `PaletteStores.names`.
    var storeName: String
    /// The last error message, for an alert.
    var message: String?

    init(stores: PaletteStores) {
        self.stores = stores
        self.storeName = stores.stores[0].name
    }

    /// The store that the chooser shows.
    var store: PaletteStore {
        stores.stores.first { $0.name == storeName } ?? stores.stores[0]
    }

    /// The palette that the chooser shows.
    var current: Palette { store.list.current }

    func open() async {
        do {
            try await stores.open()
        } catch {
            message = error.description
        }
    }

    /// Saves all changes, for an app that is about to be suspended.
    func save() async {
        for store in stores.stores {
            do {
                try await store.save()
            } catch {
                message = error.description
            }
        }
    }
}

// MARK: - The chooser

extension PaletteScreen {
    /// Shows the next palette; after the last one, the first.
    func showNext() {
        store.cursorIndex += 1
    }

    func show(_ id: Palette.ID) {
        attempt { () throws(PaletteError) in
            try store.edit { list throws(PaletteError) in try list.show(id) }
        }
    }

    /// The course's “New”: inserts the palette Math before the current one.
    func insertNew() {
        attempt { () throws(PaletteError) in _ = try store.insertNew() }
    }

    func deleteCurrent() {
        delete(current.id, from: store)
    }
}

// MARK: - The list and the manager

extension PaletteScreen {
    func delete(_ id: Palette.ID, from store: PaletteStore) {
        attempt { () throws(PaletteError) in
            try store.edit { list throws(PaletteError) in try list.delete(id) }
        }
    }

    /// Deletes the palettes that `onDelete` passes; the indices refer to the list before the first deletion.
    func delete(at indices: [Int], from store: PaletteStore) {
        for id in indices.map({ store.palettes[$0].id }) { delete(id, from: store) }
    }

    /// Moves a palette as `onMove` asks: `place` is an index of the list before the palette is removed.
    func move(from index: Int, before place: Int, in store: PaletteStore) {
        let id = store.palettes[index].id
        attempt { () throws(PaletteError) in
            try store.edit { list throws(PaletteError) in try list.move(id, to: place > index ? place - 1 : place) }
        }
    }
}

// MARK: - The editor

extension PaletteScreen {
    /// A palette by its id; `nil` if it was deleted while its editor is open.
    func palette(_ id: Palette.ID, in store: PaletteStore) -> Palette? {
        try? store.list.palette(id)
    }

    func rename(_ id: Palette.ID, to name: String, in store: PaletteStore) {
        attempt { () throws(PaletteError) in
            try store.edit { list throws(PaletteError) in try list.rename(id, to: name) }
        }
    }

    func add(_ text: String, to id: Palette.ID, in store: PaletteStore) {
        attempt { () throws(PaletteError) in
            try store.edit { list throws(PaletteError) in _ = try list.add(text, to: id) }
        }
    }

    func remove(_ emoji: String, from id: Palette.ID, in store: PaletteStore) {
        attempt { () throws(PaletteError) in
            try store.edit { list throws(PaletteError) in try list.remove(emoji, from: id) }
        }
    }

    private func attempt(_ change: () throws(PaletteError) -> Void) {
        do {
            try change()
        } catch {
            message = error.description
        }
    }
}
