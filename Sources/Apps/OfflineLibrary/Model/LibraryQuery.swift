public import Foundation

/// Which pages of a library to find.
public struct LibraryQuery: Hashable, Sendable {
    /// The words that the title, the addresses, the tags, the note and the text of a page must contain together.
    public var words: SearchWords
    /// What the pages must have.
    public var filter: PageFilter

    /// Creates a query.
    public init(words: SearchWords = SearchWords(), filter: PageFilter = PageFilter()) {
        (self.words, self.filter) = (words, filter)
    }

    /// Whether it asks for nothing, and therefore finds nothing.
    public var isEmpty: Bool { words.isEmpty && filter.isEmpty }
}

/// What pages must have to be found; without any property, all pages do.
public struct PageFilter: Hashable, Sendable {
    /// How a capture ended.
    public enum Outcome: String, CaseIterable, Hashable, Sendable {
        /// Nothing is missing from the copy.
        case complete
        /// Something is missing from the copy.
        case partial
        /// The last attempt failed.
        case failed
    }

    /// A tag.
    public var tag: PageTag?
    /// Whether it is a favourite.
    public var isFavourite = false
    /// Whether it has a note.
    public var hasNote = false
    /// The site of its address.
    public var site: PageSite?
    /// How its capture ended.
    public var outcome: Outcome?
    /// How far it has been read.
    public var reading: ReadingState?
    /// Whether it is the newest version of its address, differs from the version before it, and wasn't opened yet.
    public var isChanged = false
    /// The earliest time at which it was requested.
    public var since: Date?
    /// The time before which it was requested.
    public var before: Date?

    /// Creates a filter without any property.
    public init() {}

    /// Whether it admits all pages.
    public var isEmpty: Bool { self == PageFilter() }
}

/// A host, or one of its ports.
public struct PageSite: Hashable, Sendable, CustomStringConvertible {
    /// The host in ASCII, in lower case and without `www.`; an IPv6 address without brackets.
    public let host: String
    /// The port; `nil` for all ports.
    ///
    /// It is `nil` for the usual port of a scheme, too, which addresses leave out.
    public let port: Int?

    /// The site of an address; `nil` if the address has no host.
    public init?(of address: URL) {
        // Unlike `host()`, this is the same for a host as typed and as a browser reports it, such as `xn--4ca.example`.
        guard let encoded = URLComponents(url: address, resolvingAgainstBaseURL: true)?.encodedHost else { return nil }
        host = encoded.lowercased().trimmingPrefix("www.").trimmingCharacters(in: ["[", "]"])
        if host.isEmpty { return nil }
        port = address.port.flatMap { $0 == (address.scheme == "https" ? 443 : 80) ? nil : $0 }
    }

    /// The site that a text names as `example.com`, `example.com:8080` or a whole address; `nil` if there is none.
    public init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty, text.utf8.count <= 2_000,
            let address = URL(string: text.contains("://") ? text : "http://\(text)")
        else { return nil }
        self.init(of: address)
    }

    /// The host as in an address, and the port if there is one.
    public var description: String {
        (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }

    /// Whether an address is of the site.
    public func contains(_ address: URL) -> Bool {
        guard let other = PageSite(of: address) else { return false }
        return other.host == host && (port == nil || other.port == port)
    }
}

/// A part of the pages that a query finds, the best first.
public struct FoundPages: Hashable, Sendable {
    /// A page, and where its text contains the words.
    public struct Page: Hashable, Sendable {
        /// The page's identifier.
        public var id: SavedPage.ID
        /// The place in its text; `nil` if the words aren't in its text.
        public var excerpt: TextExcerpt?

        /// Creates a found page.
        public init(id: SavedPage.ID, excerpt: TextExcerpt? = nil) {
            (self.id, self.excerpt) = (id, excerpt)
        }
    }

    /// The pages of the part.
    public var pages: [Page]
    /// The number of pages in all parts, without deleted ones.
    public var count: Int
    /// Whether other parts follow.
    public var hasMore: Bool
    /// Whether more pages match than all parts contain; only the newest matches were ranked.
    public var isCutOff: Bool

    /// Creates a part.
    public init(pages: [Page] = [], count: Int = 0, hasMore: Bool = false, isCutOff: Bool = false) {
        (self.pages, self.count, self.hasMore, self.isCutOff) = (pages, count, hasMore, isCutOff)
    }
}

/// A few words of a page's text, some of which match a search.
public struct TextExcerpt: Hashable, Sendable {
    /// A piece of the text.
    public struct Part: Hashable, Sendable {
        /// The text.
        public var text: String
        /// Whether it matches.
        public var isMatch: Bool

        /// Creates a piece.
        public init(_ text: String, isMatch: Bool) {
            (self.text, self.isMatch) = (text, isMatch)
        }
    }

    /// The pieces, in order.
    public var parts: [Part]

    /// Creates an excerpt.
    public init(_ parts: [Part]) {
        self.parts = parts
    }
}

/// A page that a search found, for display.
public struct FoundItem: Hashable, Sendable {
    /// The page.
    public let item: LibraryItem
    /// Where its text contains the words; `nil` if they aren't in its text.
    public let excerpt: TextExcerpt?
}

extension Library {
    /// Finds pages, the best first.
    ///
    /// - Parameters:
    ///   - query: Which pages to find.
    ///   - range: Which of the pages to return, such as the first 50.
    /// - Returns: The pages of the range, and what the store says of all.
    /// - Throws: ``LibraryError`` if it takes too long, the task is cancelled, or the store can't be read.
    public func find(
        _ query: LibraryQuery, range: Range<Int>
    ) async throws(LibraryError) -> (items: [FoundItem], found: FoundPages) {
        guard !query.isEmpty else { return ([], FoundPages()) }
        let found = try await store.find(query, owner: owner, range: range)
        let items = found.pages.compactMap { page in
            item(page.id).map { FoundItem(item: $0, excerpt: page.excerpt) }
        }
        return (items, found)
    }
}
