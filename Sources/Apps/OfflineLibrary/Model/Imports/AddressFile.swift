public import Foundation
import Loading

/// The limits of imported files.
public enum ImportLimits {
    /// The maximum size of a file, in bytes.
    public static let fileBytes = 64_000_000
    /// The maximum size of an uploaded page, in bytes.
    public static let pageBytes = 100_000_000
    /// The maximum size of a page's content, in bytes: a web archive is larger than the file that it is made from.
    public static let contentBytes = 256_000_000
    /// The maximum size of the contents of all pages in a file together, in bytes.
    public static let contentsBytes = 1_000_000_000
    /// The maximum number of pages in a file.
    public static let pages = 200
    /// The maximum number of addresses in a file.
    public static let addresses = 20_000
    /// The maximum number of imports of an owner, each with its report.
    public static let imports = 50
    /// The maximum length of a title, a tag or the name of a folder, in Unicode scalars.
    static let textLength = 500
    /// The maximum number of tags of an address.
    static let tags = 50
    /// The maximum number of captures that may wait while pages of an import are added, so that the owner can still
    /// save other pages.
    static let waitingCaptures = 100
    /// The number of notes that are added to saved pages in one transaction.
    static let notesAtOnce = 200
}

/// The kind of a file with addresses.
public enum AddressFormat: String, Codable, CaseIterable, Sendable {
    /// Bookmarks in HTML, as browsers export them.
    case bookmarks
    /// A list of addresses, one on each line.
    case list
    /// A table with a column `url`.
    case csv
    case karakeep
    case linkwarden
    case omnivore
    case pocket
}

/// The addresses in a file.
public struct AddressFile: Hashable, Codable, Sendable {
    /// The kind of file.
    public var format: AddressFormat
    /// The addresses in their order, including those that can't be saved.
    public var addresses: [ImportedAddress]

    /// Creates the content of a file.
    public init(format: AddressFormat, addresses: [ImportedAddress]) {
        (self.format, self.addresses) = (format, addresses)
    }
}

extension AddressFile {
    /// Makes the names of each address's folders its tags, after those that it has.
    public mutating func makeFoldersTags() {
        for index in addresses.indices { addresses[index].add(tags: addresses[index].folders) }
    }
}

/// An address in a file, with what the file says about it.
public struct ImportedAddress: Hashable, Codable, Sendable {
    /// The number of its line or entry in the file, starting at 1.
    public var place: Int
    /// The address as it is in the file.
    public var address: String
    /// The page's title; empty if the file has none.
    public var title: String
    /// When it was bookmarked; `nil` if the file doesn't say it.
    public var addedAt: Date?
    /// The tags.
    public var tags: [String]
    /// The names of its folder and of those around it, from the outermost on; empty if it is in none.
    public var folders: [String]
    /// The note; empty if there is none.
    public var note: String

    /// Creates an address; texts are shortened, and an implausible time is left out.
    public init(
        place: Int, address: String, title: String = "", addedAt: Date? = nil, tags: [String] = [],
        folders: [String] = [], note: String = ""
    ) {
        self.place = place
        self.address = Self.shortened(address, to: 20_001)
        self.title = Self.shortened(title, to: ImportLimits.textLength)
        self.addedAt = addedAt.flatMap { Self.plausibleTimes.contains($0) ? $0 : nil }
        self.tags = Self.names(tags)
        self.folders = Self.names(folders)
        self.note = PageMarks.importedNote(note)
    }

    /// From 1990, before the first web page, to 2100.
    private static let plausibleTimes =
        Date(timeIntervalSince1970: 631_152_000)...Date(timeIntervalSince1970: 4_102_444_800)

    /// Adds tags that it doesn't have.
    mutating func add(tags new: [String]) { tags = Self.names(tags + new) }

    private static func names(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.map { shortened($0, to: ImportLimits.textLength) }
            .filter { !$0.isEmpty && seen.insert($0).inserted }
            .prefix(ImportLimits.tags).map(\.self)
    }

    private static func shortened(_ text: String, to length: Int) -> String {
        // A text of SQLite ends before U+0000.
        let short = text.unicodeScalars.lazy.filter { $0.value != 0 }.prefix(length)
        return String(String.UnicodeScalarView(Array(short))).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A time in seconds, milliseconds or microseconds since 1970, which exports use.
    ///
    /// The number's size tells the unit: no bookmark is older than the web.
    public static func time(_ number: Double) -> Date? {
        guard number.isFinite, number > 0 else { return nil }
        let seconds = number < 1e11 ? number : number < 1e14 ? number / 1_000 : number / 1_000_000
        return Date(timeIntervalSince1970: seconds)
    }
}

extension ImportedAddress {
    private enum CodingKeys: String, CodingKey {
        case place, address, title, addedAt, tags, folders, note
    }

    /// Decodes an address with the same limits as the initializer.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            place: try values.decode(Int.self, forKey: .place),
            address: try values.decode(String.self, forKey: .address),
            title: try values.decode(String.self, forKey: .title),
            addedAt: try values.decodeIfPresent(Date.self, forKey: .addedAt),
            tags: try values.decode([String].self, forKey: .tags),
            folders: try values.decode([String].self, forKey: .folders),
            note: try values.decodeIfPresent(String.self, forKey: .note) ?? "")
    }
}
