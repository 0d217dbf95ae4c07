import EmojiArtModel
import Persistence

/// The app where SwiftUI exists; elsewhere one line.
@main @MainActor
enum Program {
    /// In memory, for the example: an app opens a `FolderStore` instead, see `Examples/Palettes`.
    static let stores = PaletteStores(in: MemoryStore())

    static func main() {
        #if canImport(SwiftUI)
            PalettesApp.main()
        #else
            print("SwiftUI isn't available on this system: the views are not compiled or run here.")
        #endif
    }
}
