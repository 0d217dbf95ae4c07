import Capture
import Foundation
import Loading

/// The address of a page to save.
struct PageAddress {
    /// The maximum length of a URL; browsers allow 2 MB.
    private static let limit = 20_000

    /// The page's URL.
    let url: URL

    /// Parses an address as typed.
    ///
    /// - Throws: ``LibraryError/invalidAddress(_:)`` if it isn't the address of a web page.
    init(_ text: String) throws(LibraryError) {
        let url: URL
        do {
            url = try WebAddress.parse(text, isCompleted: true, limit: Self.limit)
            try PageCapturer.validate(url)
        } catch {
            throw .invalidAddress(error.message)
        }
        self.url = url
    }
}

extension LibraryItem {
    /// Finds a page that is already saved.
    ///
    /// Takes some milliseconds for thousands of pages, so a server should call it off the main actor.
    ///
    /// - Parameters:
    ///   - address: The address as typed: the one from which the page was requested, or to which it was redirected.
    ///   - items: The pages, the newest first.
    /// - Returns: The newest saved page that isn't deleted or an error page; `nil` if there is none.
    public static func saved(at address: String, in items: [LibraryItem]) -> LibraryItem? {
        guard let key = (try? PageAddress(address))?.url.pageKey else { return nil }
        return items.first { item in
            guard case .found(let content) = item.state, !item.isDeleted, content.errorStatus == nil else {
                return false
            }
            return item.request.url.pageKey == key || content.url.pageKey == key
        }
    }

    /// Finds the copies that were saved from the same address as this page, which is one of them.
    ///
    /// Takes some milliseconds for thousands of pages, so a server should call it off the main actor.
    ///
    /// - Parameter items: The pages, in any order.
    /// - Returns: The saved pages in the given order, without deleted ones.
    public func copies(in items: [LibraryItem]) -> [LibraryItem] {
        let key = request.url.pageKey
        return items.filter { $0.state.value != nil && !$0.isDeleted && $0.request.url.pageKey == key }
    }
}

extension URL {
    /// The URL without parts that make no difference to the page: a trailing slash, and a fragment.
    package var pageKey: String {
        var name = absoluteString.unicodeScalars[...]
        if let hash = name.firstIndex(of: "#") {
            // Some apps have a page for each fragment, such as `#/inbox` or `#!inbox`.
            let next = name[name.index(after: hash)...].first
            if next != "/" && next != "!" { name = name[..<hash] }
        }
        if name.last == "/" { name = name.dropLast() }
        return String(name)
    }
}
