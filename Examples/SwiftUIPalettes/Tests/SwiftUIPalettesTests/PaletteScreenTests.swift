import EmojiArtModel
import Observation
import Persistence
import Synchronization
import Testing

@testable import SwiftUIPalettes

/// Tests each member of the model that a view calls.
@Suite @MainActor struct PaletteScreenTests {
    private let memory = MemoryStore()

    private func opened() async -> PaletteScreen {
        let screen = PaletteScreen(stores: PaletteStores(in: memory))
        await screen.open()
        return screen
    }

    @Test func nextAfterTheLastPaletteIsTheFirst() async {
        let screen = await opened()
        let first = screen.current
        let count = screen.store.palettes.count
        for _ in 0..<count { screen.showNext() }
        #expect(count > 1 && screen.current == first)
        screen.show(screen.store.palettes[1].id)
        #expect(screen.current == screen.store.palettes[1])
        #expect(screen.message == nil)
    }

    @Test func newPaletteIsShownAndStored() async throws {
        let screen = await opened()
        screen.insertNew()
        #expect(screen.current.name == "Math")
        await screen.save()
        let again = await opened()
        #expect(again.current.name == "Math")
        again.deleteCurrent()
        #expect(again.current.name == "Vehicles")
    }

    /// SwiftUI updates a view only if observation tracks what the view reads through the screen.
    @Test func viewOfTheCurrentPaletteIsInvalidatedByEachChange() async {
        let screen = await opened()
        let id = screen.current.id
        let changes: [@MainActor () -> Void] = [
            { screen.rename(id, to: "Cars", in: screen.store) },
            { screen.add("🐶", to: id, in: screen.store) },
            { screen.remove("🐶", from: id, in: screen.store) },
            { screen.showNext() },
            { screen.storeName = PaletteStores.names[1] },
        ]
        for change in changes {
            let isInvalidated = Mutex(false)
            withObservationTracking {
                _ = screen.current.name
            } onChange: {
                isInvalidated.withLock { $0 = true }
            }
            change()
            #expect(isInvalidated.withLock { $0 })
        }
        #expect(screen.stores.stores[0].palettes[0].name == "Cars")
    }

    @Test func editorChangesOnePalette() async {
        let screen = await opened()
        let id = screen.current.id
        screen.add("🐶", to: id, in: screen.store)
        #expect(screen.palette(id, in: screen.store)?.emojis.first == "🐶")
        screen.remove("🐶", from: id, in: screen.store)
        #expect(screen.palette(id, in: screen.store)?.emojis.contains("🐶") == false)
        #expect(PaletteField.first(forName: screen.current.name) == .addition)
        screen.rename(id, to: "", in: screen.store)
        #expect(screen.message == PaletteError.name.description)
        #expect(screen.palette(0, in: screen.store) == nil)
    }

    @Test func listMovesAndDeletesAsSwiftUIAsks() async {
        let screen = await opened()
        let store = screen.store
        let names = store.palettes.map(\.name)
        // Dragged below the second row: SwiftUI passes the index before the third.
        screen.move(from: 0, before: 2, in: store)
        #expect(store.palettes.map(\.name) == [names[1], names[0]] + names.dropFirst(2))
        screen.move(from: 1, before: 0, in: store)
        #expect(store.palettes.map(\.name) == names)
        screen.delete(at: [0, 2], from: store)
        #expect(store.palettes.map(\.name) == [names[1]] + names.dropFirst(3))
    }

    @Test func lastPaletteStaysAndTheAlertSaysWhy() async {
        let screen = await opened()
        let store = screen.stores.stores[1]
        screen.delete(at: Array(store.palettes.indices), from: store)
        #expect(store.palettes.count == 1)
        #expect(screen.message == PaletteError.lastPalette.description)
    }

    @Test func managerListsTheStoresByName() async {
        let screen = await opened()
        #expect(screen.stores.stores.map(\.id) == PaletteStores.names)
        #expect(screen.stores.stores.map(\.name) == PaletteStores.names)
    }

    @Test func everyBackgroundStateHasItsView() {
        #expect(BackgroundScreen(.none) == .blank)
        #expect(
            BackgroundScreen(.fetching(address: "https://example.com/a.png", fraction: 0.5, previous: nil))
                == .progress(0.5))
        #expect(
            BackgroundScreen(.fetching(address: "https://example.com/a.png", fraction: nil, previous: nil))
                == .progress(nil))
        #expect(
            BackgroundScreen(.failed(address: nil, message: "Couldn't set background", previous: nil))
                == .alert(title: "Set Background", message: "Couldn't set background"))
    }
}
