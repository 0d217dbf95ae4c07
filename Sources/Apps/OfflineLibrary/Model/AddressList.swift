import Foundation
import Loading

/// The addresses of several pages to save.
public struct AddressList: Sendable {
    /// The maximum number of addresses.
    public static let maximumCount = 100

    /// The addresses as typed, each with the name of its page.
    private let addresses: [(text: String, name: String)]

    /// Parses addresses as typed, one on each line.
    ///
    /// - Parameter text: The lines; empty ones are ignored.
    /// - Throws: ``LibraryError/invalidAddressList(_:)`` if there is no address, if there are more than
    ///   ``maximumCount``, or if a line isn't the address of a web page.
    public init(_ text: String) throws(LibraryError) {
        let lines = text.split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        guard !lines.isEmpty else { throw .invalidAddressList(LibraryWords.noAddress) }
        guard lines.count <= Self.maximumCount else {
            throw .invalidAddressList(LibraryWords.tooManyAddresses(lines.count, limit: Self.maximumCount))
        }
        var addresses: [(text: String, name: String)] = []
        for line in lines {
            do throws(LibraryError) {
                let url = try PageAddress(line).url
                addresses.append((text: line, name: url.pageKey))
            } catch {
                throw .invalidAddressList(LibraryWords.invalidLine(line.prefix(80), because: "\(error)"))
            }
        }
        self.addresses = addresses
    }
}

extension AddressList {
    /// The addresses of pages that aren't saved yet, each page once.
    ///
    /// Takes some milliseconds for thousands of pages, so a server should call it off the main actor.
    ///
    /// - Parameter items: The pages of the library. Deleted pages and error pages don't count as saved.
    /// - Returns: The addresses as typed.
    /// - Throws: ``LibraryError/invalidAddressList(_:)`` if all pages are saved.
    public func unsaved(in items: [LibraryItem]) throws(LibraryError) -> [String] {
        var known: Set<String> = []
        for item in items {
            guard case .found(let content) = item.state, !item.isDeleted, content.errorStatus == nil else { continue }
            known.insert(item.request.url.pageKey)
            known.insert(content.url.pageKey)
        }
        let new = addresses.filter { known.insert($0.name).inserted }.map { $0.text }
        guard !new.isEmpty else { throw .invalidAddressList(LibraryWords.allSaved) }
        return new
    }
}
