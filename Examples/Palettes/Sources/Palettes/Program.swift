import Foundation
import Observation
import Persistence

/// Opens one folder three times, as a program does that is launched on three days.
@main @MainActor
enum Program {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("palettes-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }

        let first = try await PaletteStore(name: "Main", in: FolderStore.open(at: folder))
        print("first start:", first.summary)
        withObservationTracking {
            _ = first.palettes
        } onChange: {
            print("the palettes change")
        }
        first.palettes.append(Palette(name: "Math", emojis: "➕➖✖️"))
        print("status:", first.$palettes.status)
        first.palettes = []
        print("an empty list is refused:", first.palettes.count, "palettes")
        try await first.$palettes.flush()
        print("status:", first.$palettes.status)

        let second = try await PaletteStore(name: "Main", in: FolderStore.open(at: folder))
        print("second start:", second.summary)
        print("the same ids:", second.palettes.map(\.id) == first.palettes.map(\.id))
        // Two windows write at the same time: the losing value is stored as a conflict copy.
        first.palettes[0].name = "Cars"
        second.palettes[0].name = "Traffic"
        try await first.$palettes.flush()
        try await second.$palettes.flush()

        let store = try await FolderStore.open(at: folder)
        let third = try await PaletteStore(name: "Main", in: store)
        print("third start:", third.summary)
        for key in try await store.keys(beginningWith: "palettes/") { print("stored:", key) }
    }
}
