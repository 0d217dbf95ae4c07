import Foundation
import OfflineLibraryModel

/// Reads bookmarks in HTML, as browsers and Pocket export them.
///
/// The files aren't well-formed HTML: only links, their notes, the names of folders and the lists that nest them are read.
/// https://learn.microsoft.com/previous-versions/windows/internet-explorer/ie-developer/platform-apis/aa753582(v=vs.85)
///
/// Takes time proportional to the size of the file.
struct BookmarkReader {
    private var scanner: HTMLScanner
    /// The names of the open folders; `nil` for a list without a name.
    private var folders: [String?] = []
    /// The name of the folder whose list comes next.
    private var nextFolder: String?
    private var addresses: [ImportedAddress] = []

    /// The maximum nesting of folders that is recorded.
    private static let depth = 20
    /// The maximum length of a note's HTML, in bytes: a reference to a character has up to ten.
    private static let noteLength = 10 * PageMarks.maximumNoteLength + 1_000
    /// - Parameter bytes: The HTML in UTF-8.
    init(_ bytes: [UInt8]) {
        scanner = HTMLScanner(bytes, attributes: ["href", "add_date", "time_added", "tags"])
    }

    /// Whether HTML looks like bookmarks.
    static func isBookmarkFile(_ bytes: [UInt8]) -> Bool {
        let start = String(decoding: bytes.prefix(4_096), as: UTF8.self).lowercased()
        return start.contains("netscape-bookmark-file") || start.contains("<title>pocket export")
    }

    mutating func file() throws(LibraryFileError) -> AddressFile {
        var isPocket = false
        /// Whether a note that comes next is that of the last link; folders have notes, too.
        var isNoteOfLink = false
        var next = scanner.nextTag()
        while let tag = next {
            if tag.name == "dd" {
                let note: String
                (note, next) = textAndNextTag()
                if isNoteOfLink, let last = addresses.indices.last { addNote(note, to: last) }
                isNoteOfLink = false
                continue
            }
            defer { next = scanner.nextTag() }
            switch tag.name {
            case "a":
                let title = scanner.text()
                isNoteOfLink = false
                guard let address = tag.attributes["href"] else { continue }
                isNoteOfLink = true
                guard addresses.count < ImportLimits.addresses else { throw .tooMany }
                if tag.attributes["time_added"] != nil { isPocket = true }
                let time = tag.attributes["add_date"] ?? tag.attributes["time_added"]
                addresses.append(
                    ImportedAddress(
                        place: addresses.count + 1, address: address, title: title,
                        addedAt: time.flatMap { ImportedAddress.time(in: $0) },
                        tags: (tag.attributes["tags"] ?? "").split(separator: ",").map(String.init),
                        folders: folders.compactMap(\.self)))
            case "h3":
                nextFolder = scanner.text()
                isNoteOfLink = false
            case "dl":
                isNoteOfLink = false
                if folders.count < Self.depth { folders.append(nextFolder) } else { skipped += 1 }
                nextFolder = nil
            case "/dl":
                if skipped > 0 { skipped -= 1 } else { _ = folders.popLast() }
            default: break
            }
        }
        return AddressFile(format: isPocket ? .pocket : .bookmarks, addresses: addresses)
    }

    /// The tags that end a note; others are in it.
    private static let endsOfNotes: Set<String> = ["dt", "dd", "/dd", "dl", "/dl", "a", "h1", "h3", "/body", "/html"]

    /// The text of a note, and the tag after it.
    private mutating func textAndNextTag() -> (text: String, next: HTMLScanner.Tag?) {
        var text = scanner.text(upTo: Self.noteLength)
        while let tag = scanner.nextTag() {
            if Self.endsOfNotes.contains(tag.name) { return (text, tag) }
            let more = scanner.text(upTo: max(0, Self.noteLength - text.utf8.count))
            text += (["br", "p", "li"].contains(tag.name) ? "\n" : "") + more
        }
        return (text, nil)
    }

    private mutating func addNote(_ note: String, to index: Int) {
        let old = addresses[index]
        addresses[index] = ImportedAddress(
            place: old.place, address: old.address, title: old.title, addedAt: old.addedAt, tags: old.tags,
            folders: old.folders, note: note)
    }

    /// The number of open lists that are nested too deeply.
    private var skipped = 0
}

/// Text of HTML.
enum HTMLText {
    private static let names: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ",
    ]
    /// The maximum length of a reference that is decoded, without `&` and `;`.
    private static let longestReference = 10

    /// Decodes text in UTF-8, with numeric references and those that exports use.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        var rest = bytes
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<start]
            rest = rest[(start + 1)...]
            guard let end = rest.prefix(longestReference + 1).firstIndex(of: UInt8(ascii: ";")),
                let scalar = scalar(String(decoding: rest[..<end], as: UTF8.self))
            else {
                result.append(UInt8(ascii: "&"))
                continue
            }
            result += Array(String(Character(scalar)).utf8)
            rest = rest[(end + 1)...]
        }
        return String(decoding: result + rest, as: UTF8.self)
    }

    private static func scalar(_ reference: String) -> Unicode.Scalar? {
        guard reference.hasPrefix("#") else { return names[reference] }
        let digits = reference.dropFirst()
        let number =
            digits.hasPrefix("x") || digits.hasPrefix("X") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init)
    }
}
