import Foundation
import OfflineLibraryModel

@testable import OfflineLibraryReading

extension FuzzTarget {
    /// Files with addresses: their texts are within the limits and survive a round trip between processes.
    static let addressFiles = FuzzTarget(
        "address-files", maximumLength: 8_192,
        dictionary: [
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>", "<title>Pocket Export</title>", "<a href=\"", "<dl>", "</dl>",
            "<h3>",
            "add_date=", "time_added=", "tags=\"", "&amp;", "&#x41;", "<!--", "-->", "title,url,time_added,tags",
            "\"bookmarks\":[", "\"content\":{\"url\":", "\"collections\":[", "\"links\":[", "\"parentId\":", "\"url\":",
            "\"savedAt\":", "\"labels\":[", "\"createdAt\":", "2024-01-02T03:04:05.000Z", "https://a.example/", " | ",
            "PK\u{3}\u{4}", "1e308", "-1", "\"lists\":[",
        ]
    ) { data in
        let file: AddressFile
        do throws(LibraryFileError) {
            file = try AddressFile(reading: data)
        } catch {
            return try require(!error.description.isEmpty, "an error has no message")
        }
        try require(!file.addresses.isEmpty, "a file without addresses is accepted")
        try require(file.addresses.map(\.place) == file.addresses.map(\.place).sorted(), "the places are not in order")
        for address in file.addresses {
            let texts = [address.title] + address.tags + address.folders
            try require(texts.allSatisfy { $0.unicodeScalars.count <= 500 }, "a text is too long")
            try require(!(texts + [address.address]).contains { $0.utf8.contains(0) }, "a text contains U+0000")
        }
        let again = try JSONDecoder().decode(AddressFile.self, from: try JSONEncoder().encode(file))
        try require(again == file, "a file does not survive a round trip")
    }
}
