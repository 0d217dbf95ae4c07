import Capture
package import Foundation
package import OfflineLibraryModel

// Reads files with addresses, which aren't trusted. The content tells the kind of file.

extension AddressFile {
    /// The maximum number of files in a ZIP file: Omnivore has three for each page.
    private static let maximumFiles = 4 * ImportLimits.addresses
    /// The maximum size of the files that are read from a ZIP file, in bytes.
    private static let unpackedBytes = 4 * ImportLimits.fileBytes

    /// Reads a file.
    ///
    /// - Parameter data: The content.
    /// - Throws: ``LibraryFileError``.
    package init(reading data: Data) throws(LibraryFileError) {
        guard !data.isEmpty else { throw .empty }
        guard data.count <= ImportLimits.fileBytes else { throw .tooLarge }
        let file = data.starts(with: [0x50, 0x4B, 3, 4]) ? try Self.zip(data) : try Self.text(data)
        guard !file.addresses.isEmpty else { throw .noAddresses }
        self = file
    }

    /// An export of Omnivore or Pocket as they send it, or of Offline Library, whose other HTML files are pages.
    private static func zip(_ data: Data) throws(LibraryFileError) -> AddressFile {
        let files: [String: Data]
        do throws(WACZError) {
            files = try ZipReader.files(
                in: data, limit: unpackedBytes, maximumFiles: maximumFiles,
                where: { path in
                    if path == LibraryExport.bookmarks { return true }
                    let name = path.split(separator: "/").last?.lowercased() ?? ""
                    return name.hasSuffix(".csv") || name.hasPrefix("metadata_") && name.hasSuffix(".json")
                        || highlightedArticle(path) != nil
                })
        } catch {
            throw .damaged(LibraryWords.zipProblem)
        }
        var highlights: [String: String] = [:]
        for (path, content) in files {
            if let article = highlightedArticle(path) { highlights[article] = String(decoding: content, as: UTF8.self) }
        }
        // `metadata_0_to_20.json` comes before `metadata_100_to_120.json`.
        let names = files.keys.filter { highlightedArticle($0) == nil }.sorted {
            $0.compare($1, options: .numeric) == .orderedAscending
        }
        guard !names.isEmpty else { throw .unknownFormat }
        var all = AddressFile(format: .list, addresses: [])
        for name in names {
            guard let content = files[name], !content.isEmpty else { continue }
            let file = try text(content, highlights: highlights)
            if all.addresses.isEmpty { all.format = file.format }
            for var address in file.addresses {
                address.place = all.addresses.count + 1
                all.addresses.append(address)
            }
            guard all.addresses.count <= ImportLimits.addresses else { throw .tooMany }
        }
        return all
    }

    /// The name of the article whose highlights a file of Omnivore contains; `nil` for any other file.
    private static func highlightedArticle(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        guard parts.count >= 2, parts[parts.count - 2] == "highlights", parts[parts.count - 1].hasSuffix(".md") else {
            return nil
        }
        return String(parts[parts.count - 1].dropLast(3))
    }

    private static func text(
        _ data: Data, highlights: [String: String] = [:]
    ) throws(LibraryFileError) -> AddressFile {
        guard let text = decoded(data), !text.utf8.contains(0) else { throw .unknownFormat }
        let bytes = Array(text.utf8)
        switch bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
        case nil: throw .empty
        case UInt8(ascii: "{"), UInt8(ascii: "["): return try ExportReader.file(bytes, highlights: highlights)
        case UInt8(ascii: "<"):
            guard BookmarkReader.isBookmarkFile(bytes) else { throw .unknownFormat }
            var reader = BookmarkReader(bytes)
            return try reader.file()
        default:
            var table = TableReader(bytes)
            if let columns = table.columns() { return try table.file(columns) }
            return try list(text)
        }
    }

    /// The text of a file in UTF-8 or, with a byte order mark, UTF-16; `nil` for any other.
    private static func decoded(_ data: Data) -> String? {
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
            return String(data: data, encoding: .utf16)
        }
        let bytes = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        // Old browsers wrote bookmarks in the encoding of the system. The addresses are ASCII anyway.
        return bytes.first == UInt8(ascii: "<") ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// A list of addresses, one on each line; a title may follow after a bar, as in lists of OneTab.
    private static func list(_ text: String) throws(LibraryFileError) -> AddressFile {
        var addresses: [ImportedAddress] = []
        var place = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            place += 1
            let parts = line.split(separator: " | ", maxSplits: 1)
            guard let first = parts.first else { continue }
            let address = ImportedAddress(
                place: place, address: String(first), title: parts.count > 1 ? String(parts[1]) : "")
            if address.address.isEmpty { continue }
            guard addresses.count < ImportLimits.addresses else { throw .tooMany }
            addresses.append(address)
        }
        return AddressFile(format: .list, addresses: addresses)
    }
}

extension ImportedAddress {
    /// A time as exports write it: a number since 1970, or as in ISO 8601.
    static func time(in text: String) -> Date? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let number = Double(text) { return time(number) }
        let style = Date.ISO8601FormatStyle()
        return (try? style.parse(text))
            ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
    }
}
