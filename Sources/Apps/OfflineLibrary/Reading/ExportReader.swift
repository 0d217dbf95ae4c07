import Foundation
import ModelJSON
import OfflineLibraryModel

/// Reads exports in JSON: those of Karakeep, Linkwarden and Omnivore.
enum ExportReader {
    /// How deep lists and objects may be nested: the exports need eight levels.
    private static let depth = 32
    /// How deep folders may be nested.
    private static let folderDepth = 20

    /// Reads an export.
    ///
    /// - Parameters:
    ///   - bytes: The JSON in UTF-8.
    ///   - highlights: The highlights and notes of Omnivore's articles, in Markdown, by the articles' names.
    /// - Returns: The addresses.
    /// - Throws: ``LibraryFileError``.
    static func file(
        _ bytes: [UInt8], highlights: [String: String] = [:]
    ) throws(LibraryFileError) -> AddressFile {
        let json: JSON
        do throws(JSONError) {
            json = try JSON(bytes, depth: depth)
        } catch {
            throw .damaged(LibraryWords.jsonProblem)
        }
        if let bookmarks = json["bookmarks"]?.array {
            return try karakeep(bookmarks, lists: json["lists"]?.array ?? [])
        }
        if let collections = json["collections"]?.array { return try linkwarden(collections) }
        if let articles = json.array, articles.isEmpty || articles.contains(where: { $0["url"]?.string != nil }) {
            return try omnivore(articles, highlights)
        }
        throw .unknownFormat
    }

    /// Karakeep's bookmarks, as `packages/shared/import-export/exporters.ts` writes them.
    ///
    /// Those without an address are texts and files.
    private static func karakeep(_ bookmarks: [JSON], lists: [JSON]) throws(LibraryFileError) -> AddressFile {
        let folders = Folders(lists)
        return try file(.karakeep, bookmarks) { bookmark in
            guard let address = bookmark["content"]?["url"]?.string else { return nil }
            return ImportedAddress(
                place: 0, address: address, title: bookmark["title"]?.string ?? "",
                addedAt: time(bookmark["createdAt"]),
                tags: names(bookmark["tags"]),
                folders: (bookmark["lists"]?.array ?? []).first.map { folders.path(of: $0) } ?? [],
                note: bookmark["note"]?.string ?? "")
        }
    }

    /// Linkwarden's collections, as `lib/api/controllers/migration/exportData.ts` writes them.
    private static func linkwarden(_ collections: [JSON]) throws(LibraryFileError) -> AddressFile {
        let folders = Folders(collections)
        let links = collections.flatMap { collection in
            (collection["links"]?.array ?? []).map { (link: $0, folders: folders.path(of: collection["id"] ?? .null)) }
        }
        return try file(.linkwarden, links) { link, folders in
            guard let address = link["url"]?.string, !address.isEmpty else { return nil }
            return ImportedAddress(
                place: 0, address: address, title: link["name"]?.string ?? "",
                addedAt: time(link["importDate"]) ?? time(link["createdAt"]), tags: names(link["tags"]),
                folders: folders, note: link["description"]?.string ?? "")
        }
    }

    /// Omnivore's articles, as in `metadata_0_to_20.json`.
    private static func omnivore(
        _ articles: [JSON], _ highlights: [String: String]
    ) throws(LibraryFileError) -> AddressFile {
        try file(.omnivore, articles) { article in
            guard let address = article["url"]?.string else { return nil }
            let notes = [article["description"]?.string, article["slug"]?.string.flatMap { highlights[$0] }]
            return ImportedAddress(
                place: 0, address: address, title: article["title"]?.string ?? "", addedAt: time(article["savedAt"]),
                tags: names(article["labels"]),
                note: notes.compactMap(\.self).map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
                    .filter { !$0.isEmpty }.joined(separator: "\n\n"))
        }
    }

    private static func file<Entry>(
        _ format: AddressFormat, _ entries: [Entry], _ address: (Entry) -> ImportedAddress?
    ) throws(LibraryFileError) -> AddressFile {
        var addresses: [ImportedAddress] = []
        for (index, entry) in entries.enumerated() {
            guard var next = address(entry) else { continue }
            guard addresses.count < ImportLimits.addresses else { throw .tooMany }
            next.place = index + 1
            addresses.append(next)
        }
        return AddressFile(format: format, addresses: addresses)
    }

    /// The names of tags, which are texts or objects.
    private static func names(_ json: JSON?) -> [String] {
        (json?.array ?? []).compactMap { $0.string ?? $0["name"]?.string }
    }

    private static func time(_ json: JSON?) -> Date? {
        json?.number.flatMap { ImportedAddress.time($0) } ?? json?.string.flatMap { ImportedAddress.time(in: $0) }
    }

    /// The folders of an export, each with a number or a text as its identifier.
    private struct Folders {
        private var folders: [JSON: JSON] = [:]

        init(_ folders: [JSON]) {
            for folder in folders { if let id = folder["id"] { self.folders[id] = folder } }
        }

        /// The names of a folder and of those around it, from the outermost on.
        ///
        /// Folders that contain each other are cut off.
        func path(of id: JSON) -> [String] {
            var (names, next): ([String], JSON?) = ([], id)
            while names.count < ExportReader.folderDepth, let id = next, let folder = folders[id] {
                names.append(folder["name"]?.string ?? "")
                next = folder["parentId"]
            }
            return names.reversed()
        }
    }
}
