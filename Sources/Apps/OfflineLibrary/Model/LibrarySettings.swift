public import Capture
public import Persistence

/// What an owner has chosen, by doing it: there is no page of settings to be found first.
public struct LibrarySettings: Hashable, Sendable {
    /// How the list is ordered.
    public enum Order: String, CaseIterable, Codable, Hashable, Sendable {
        /// What was asked for last comes first.
        case newest
        /// What was asked for last comes last.
        case oldest
        /// By titles, as people sort them.
        case title
    }

    /// What the next page is to be kept as: what the last one was.
    public var formats = Set(PageFormat.allCases)
    /// How the list is ordered.
    public var order = Order.newest

    /// Creates those of somebody who has chosen nothing.
    public init() {}
}

extension LibrarySettings: Codable {
    private enum Key: String, CodingKey {
        case formats, order
    }

    /// Reads them; what is missing, or of a kind that is not known, is as if it had not been chosen.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        if let names = try values.decodeIfPresent([String].self, forKey: .formats) {
            formats = Set(names.compactMap(PageFormat.init(rawValue:)))
        }
        if let name = try values.decodeIfPresent(String.self, forKey: .order) {
            order = Order(rawValue: name) ?? .newest
        }
    }

    /// Writes them.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(formats.map(\.rawValue).sorted(), forKey: .formats)
        try values.encode(order, forKey: .order)
    }
}

extension LibrarySettings {
    /// The settings that are kept in an owner's store.
    ///
    /// - Parameters:
    ///   - store: The owner's.
    ///   - group: With whom they are written when the program ends.
    /// - Returns: The settings. A page that is to be kept as nothing is refused.
    @MainActor
    public static func kept(in store: any Store, group: SaveGroup? = nil) -> Stored<LibrarySettings> {
        Stored(
            "library/settings", in: store, format: StoredFormat("library.settings"), default: LibrarySettings(),
            settings: AutosaveSettings(group: group), validating: { $0.formats.isEmpty ? nil : $0 })
    }
}
