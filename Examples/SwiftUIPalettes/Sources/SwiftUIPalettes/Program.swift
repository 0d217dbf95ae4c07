import EmojiArtModel
import Persistence

/// The app if SwiftUI is available; otherwise a program that prints one line.
@main @MainActor
enum Program {
    /// In memory, for the example; an app would open a `FolderStore`, see `Examples/Palettes`.
    static let stores = PaletteStores(in: MemoryStore())

    static func main() {
        #if canImport(SwiftUI)
            PalettesApp.main()
        #else
            print("SwiftUI isn't available on this system: the views are not compiled or run here.")
        #endif
    }
}
