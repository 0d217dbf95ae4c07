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
