public import Capture
public import Foundation
import Loading
public import Persistence

/// An import of addresses, with the numbers of its report.
public struct LibraryImport: Identifiable, Hashable, Sendable {
    /// Identifies an import.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// Lower-case letters, digits and hyphens.
        public let description: String

        /// Creates a new identifier.
        public init() { description = UUID().uuidString.lowercased() }

        /// Parses an identifier; `nil` if the text isn't one.
        public init?(_ text: String) {
            guard let uuid = UUID(uuidString: text) else { return nil }
            description = uuid.uuidString.lowercased()
        }
    }

    /// The numbers of addresses in each state, which together are all addresses of the file.
    public struct Counts: Hashable, Sendable {
        /// New addresses whose pages haven't been added to the library yet.
        public var waiting = 0
        /// Pages that are being saved.
        public var saving = 0
        /// Pages that were saved.
        public var saved = 0
        /// Pages that couldn't be saved.
        public var failed = 0
        /// Pages that were deleted since.
        public var deleted = 0
        /// Addresses whose pages were in the library already.
        public var alreadySaved = 0
        /// Addresses that the file had before.
        public var repeated = 0
        /// Addresses that can't be saved.
        public var unusable = 0
        /// Notes that weren't added, because their pages have another one; their addresses are among the others.
        public var otherNotes = 0

        /// Creates numbers that are all 0.
        public init() {}

        /// The number of addresses whose pages are added to the library.
        public var new: Int { waiting + saving + saved + failed + deleted }
        /// The number of all addresses.
        public var total: Int { new + alreadySaved + repeated + unusable }
        /// Whether no page is waiting or being saved.
        public var isFinished: Bool { waiting == 0 && saving == 0 }
    }

    /// The import's identifier.
    public let id: ID
    /// The file's name; empty if it has none.
    public var name: String
    /// The kind of file.
    public var format: AddressFormat
    /// The formats in which the pages are saved.
    public var formats: Set<PageFormat>
    /// When the file was imported.
    public var createdAt: Date
    /// The numbers of addresses.
    public var counts: Counts

    /// Creates an import.
    public init(
        id: ID, name: String, format: AddressFormat, formats: Set<PageFormat>, createdAt: Date,
        counts: Counts = Counts()
    ) {
        self.id = id
        self.name = name
        self.format = format
        self.formats = formats
        self.createdAt = createdAt
        self.counts = counts
    }
}

/// An address of an import, when it is stored.
public struct ImportEntry: Hashable, Sendable {
    /// What becomes of an address.
    public enum State: Hashable, Sendable {
        /// Its page will be added to the library.
        case waiting(URL)
        /// Its page is in the library already.
        case alreadySaved(SavedPage.ID)
        /// The file has the same page before.
        case repeated
        /// It can't be saved, for this reason.
        case unusable(String)
    }

    /// The address, as in the file.
    public var address: ImportedAddress
    /// What becomes of it.
    public var state: State

    /// Creates an entry.
    public init(_ address: ImportedAddress, _ state: State) {
        (self.address, self.state) = (address, state)
    }
}

/// An address of an import whose page hasn't been added to the library yet.
public struct WaitingEntry: Hashable, Sendable {
    /// The entry's number, which is unique among all imports.
    public var number: Int64
    /// The page's URL, and the formats in which it is saved.
    public var request: CaptureRequest
    /// When it was bookmarked.
    public var addedAt: Date?
    /// The names of its tags.
    public var tags: [String]
    /// Its note; empty if there is none.
    public var note: String
    /// Its title in the import; empty if there is none.
    public var title: String

    /// Creates a reference to a waiting address.
    public init(
        number: Int64, request: CaptureRequest, addedAt: Date?, tags: [String], note: String = "", title: String = ""
    ) {
        (self.number, self.request, self.addedAt, self.tags) = (number, request, addedAt, tags)
        (self.note, self.title) = (note, title)
    }
}

/// An address of an import whose page is in the library already, and whose tags and note haven't been added to it yet.
public struct NotedEntry: Hashable, Sendable {
    /// The entry's number, which is unique among all imports.
    public var number: Int64
    /// The page.
    public var page: SavedPage.ID
    /// The note; empty if there is none.
    public var note: String
    /// The names of the tags.
    public var tags: [String]

    /// Creates a reference to the tags and the note of an address.
    public init(number: Int64, page: SavedPage.ID, note: String, tags: [String]) {
        (self.number, self.page, self.note, self.tags) = (number, page, note, tags)
    }
}

/// An address in a part of an import's report.
public struct ReportedEntry: Hashable, Sendable {
    /// A part of a report, which lists addresses.
    public enum Part: String, CaseIterable, Sendable {
        /// Those that couldn't be saved.
        case failed
        /// Those that can't be saved.
        case unusable
        /// Those whose notes weren't added, because their pages have another one.
        case otherNotes
    }

    /// The number of its line or entry in the file.
    public var place: Int
    /// The address.
    public var address: String
    /// The title in the file; empty if there is none.
    public var title: String
    /// Why it wasn't saved, or, in ``Part/otherNotes``, its note.
    public var reason: String

    /// Creates an entry of a report.
    public init(place: Int, address: String, title: String, reason: String) {
        (self.place, self.address, self.title, self.reason) = (place, address, title, reason)
    }
}

/// Stores imports, beside the pages of a ``LibraryStore``.
///
/// A change is durable once the call returns. Each import belongs to an owner; to other owners, it is unknown.
public protocol ImportStore: Sendable {
    /// Adds an import with its entries atomically.
    ///
    /// - Parameters:
    ///   - new: The import.
    ///   - entries: Its entries, in the order of the file.
    ///   - owner: The owner.
    /// - Throws: ``LibraryError/overBudget(_:)`` if the owner has ``ImportLimits/imports``; or a storage error.
    func addImport(_ new: LibraryImport, entries: [ImportEntry], owner: OwnerID) async throws(LibraryError)

    /// The imports of an owner, the newest first.
    func imports(ofOwner owner: OwnerID) async throws(LibraryError) -> [LibraryImport]

    /// The entries of a part of an import's report, in the order of the file.
    func entries(
        _ part: ReportedEntry.Part, of id: LibraryImport.ID, owner: OwnerID, limit: Int
    ) async throws(LibraryError) -> [ReportedEntry]

    /// The owners of imports with waiting entries, or with tags and notes that must still be added.
    func ownersWithWaitingEntries() async throws(LibraryError) -> [OwnerID]

    /// The next waiting entries of an owner, those of the oldest import first.
    func waitingEntries(ofOwner owner: OwnerID, limit: Int) async throws(LibraryError) -> [WaitingEntry]

    /// The next entries of an owner whose tags and notes must still be added to pages, those of the oldest import first.
    func notedEntries(ofOwner owner: OwnerID, limit: Int) async throws(LibraryError) -> [NotedEntry]

    /// Records what became of notes: those that pages have now are removed from their entries, and the others stay in
    /// the report.
    func settle(_ notes: [(entry: NotedEntry, isAdded: Bool)], owner: OwnerID) async throws(LibraryError)

    /// Adds the pages of waiting entries to the library, and begins their captures, in one transaction.
    ///
    /// Entries that are no longer waiting are skipped. Pages that don't fit into the owner's budget keep waiting.
    ///
    /// - Parameters:
    ///   - pages: The pages, by entry.
    ///   - known: The entries whose pages are in the library already.
    ///   - owner: The owner.
    /// - Returns: The pages that were added.
    /// - Throws: ``LibraryError/overBudget(_:)`` if no page fits; or a storage error.
    func start(
        _ pages: [(entry: WaitingEntry, page: SavedPage)], known: [(entry: WaitingEntry, page: SavedPage.ID)],
        owner: OwnerID
    ) async throws(LibraryError) -> [SavedPage]

    /// Removes an import with its report; the pages stay, and waiting entries aren't added.
    ///
    /// - Throws: ``LibraryError/noSuchImport`` if there is no such import; or a storage error.
    func removeImport(_ id: LibraryImport.ID, owner: OwnerID) async throws(LibraryError)
}
