import Foundation
import Observation
import Persistence

struct Palette: Codable, Hashable, Identifiable, Sendable {
    var id = UUID()
    var name: String
    var emojis: String

    /// New on each call, so that two palette stores never share an ID.
    static var builtins: [Palette] {
        [Palette(name: "Vehicles", emojis: "🚗🚕🚙"), Palette(name: "Sports", emojis: "⚽️🏀🏈")]
    }
}

/// The lecture's palette store: a property that is persisted, never empty, and observed.
@MainActor @Observable final class PaletteStore {
    @ObservationIgnored @Stored var palettes: [Palette]

    init(name: String, in store: any Store) async throws {
        _palettes = Stored(
            try StoreKey("palettes/\(name)"), in: store, format: StoredFormat("palettes"), default: Palette.builtins,
            validating: { $0.isEmpty ? nil : $0 })
        await $palettes.load()
    }

    var summary: String { palettes.map { "\($0.name) \($0.emojis)" }.joined(separator: ", ") }
}
