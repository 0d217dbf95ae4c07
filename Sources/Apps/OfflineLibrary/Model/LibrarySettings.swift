public import Capture
public import Foundation
public import Persistence

/// An owner's settings, which record the owner's last choices in the list; there is no settings page.
public struct LibrarySettings: Hashable, Sendable {
    /// The order of the list.
    public enum Order: String, CaseIterable, Codable, Hashable, Sendable {
        /// The most recent request first.
        case newest
        /// The oldest request first.
        case oldest
        /// By title, in localized order.
        case title
    }

    /// The formats for the next page: those that the owner chose last.
    ///
    /// At first, they don't include WACZ, which contains the same resources as the web archive.
    public var formats: Set<PageFormat> = [.png, .pdf, .webArchive]
    /// The order of the list.
    public var order = Order.newest

    /// The identifier of the library's feed; `nil` before the feed was first read.
    public var feedID: UUID?

    /// Creates the default settings.
    public init() {}
}

extension LibrarySettings: Codable {
    private enum Key: String, CodingKey {
        case formats, order, feedID
    }

    /// Decodes settings; missing values and an unknown order become defaults, and unknown formats are left out.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        if let names = try values.decodeIfPresent([String].self, forKey: .formats) {
            formats = Set(names.compactMap(PageFormat.init(rawValue:)))
        }
        if let name = try values.decodeIfPresent(String.self, forKey: .order) {
            order = Order(rawValue: name) ?? .newest
        }
        feedID = try values.decodeIfPresent(String.self, forKey: .feedID).flatMap { UUID(uuidString: $0) }
    }

    /// Encodes settings.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(formats.map(\.rawValue).sorted(), forKey: .formats)
        try values.encode(order, forKey: .order)
        try values.encodeIfPresent(feedID?.uuidString, forKey: .feedID)
    }
}

extension LibrarySettings {
    /// The settings in an owner's store.
    ///
    /// - Parameters:
    ///   - store: The owner's store.
    ///   - group: The group that saves them when the program ends.
    /// - Returns: The settings; an empty set of formats is rejected.
    @MainActor
    public static func stored(in store: any Store, group: SaveGroup? = nil) -> Stored<LibrarySettings> {
        Stored(
            "library/settings", in: store, format: StoredFormat("library.settings"), default: LibrarySettings(),
            settings: AutosaveSettings(group: group), validating: { $0.formats.isEmpty ? nil : $0 })
    }
}
