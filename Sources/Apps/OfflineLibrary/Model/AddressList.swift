import Foundation

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
        try self.init(
            lines: text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty })
    }

    /// Parses addresses.
    ///
    /// - Parameter lines: The addresses as typed.
    /// - Throws: ``LibraryError/invalidAddressList(_:)``, as ``init(_:)`` does.
    public init(lines: [String]) throws(LibraryError) {
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
    /// - Parameter library: The library. Its deleted pages and error pages don't count as saved.
    /// - Returns: The addresses as typed.
    /// - Throws: ``LibraryError/invalidAddressList(_:)`` if all pages are saved.
    @MainActor
    public func unsaved(in library: Library) throws(LibraryError) -> [String] {
        let new = divided(in: library).unsaved
        guard !new.isEmpty else { throw .invalidAddressList(LibraryWords.allSaved) }
        return new
    }

    /// The addresses of pages that aren't saved yet, and of those that are, each page once.
    ///
    /// - Parameter library: The library. Its deleted pages and error pages don't count as saved.
    /// - Returns: The addresses as typed.
    @MainActor
    public func divided(in library: Library) -> (unsaved: [String], saved: [String]) {
        var seen: Set<String> = []
        var result: (unsaved: [String], saved: [String]) = ([], [])
        for address in addresses where seen.insert(address.name).inserted {
            if library.table.saved(at: address.name) == nil {
                result.unsaved.append(address.text)
            } else {
                result.saved.append(address.text)
            }
        }
        return result
    }
}
