import Foundation
import ModelJSON
import OfflineLibraryModel

/// Reads a table of addresses as comma-separated values (RFC 4180), as Pocket, Raindrop and Instapaper export it.
///
/// Takes time proportional to the size of the file.
struct TableReader {
    /// The columns that are read, by their meaning.
    struct Columns {
        var address: Int
        var title, time, tags, folder, note: Int?
        var isPocket: Bool
    }

    private let bytes: [UInt8]
    private var offset = 0

    /// The maximum number of columns: a row has at most as many values.
    private static let maximumColumns = 200

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the first row; `nil` if it doesn't name a column `url`.
    mutating func columns() -> Columns? {
        let names = row().map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        guard let address = names.firstIndex(of: "url") else { return nil }
        func column(_ choices: String...) -> Int? { names.firstIndex { choices.contains($0) } }
        return Columns(
            address: address, title: column("title", "name"),
            time: column("time_added", "created", "created_at", "timestamp", "added"), tags: column("tags", "labels"),
            folder: column("folder", "collection"),
            // Instapaper has the selected text; the “excerpt” of Raindrop is the beginning of the page.
            note: column("note", "notes", "description", "selection"), isPocket: names.contains("time_added"))
    }

    /// Reads the rows after the first one.
    mutating func file(_ columns: Columns) throws(LibraryFileError) -> AddressFile {
        var addresses: [ImportedAddress] = []
        var place = 0
        while offset < bytes.count {
            let values = row()
            place += 1
            func value(_ column: Int?) -> String {
                column.flatMap { values.indices.contains($0) ? values[$0] : nil } ?? ""
            }
            if values.allSatisfy(\.isEmpty) { continue }
            guard addresses.count < ImportLimits.addresses else { throw .tooMany }
            addresses.append(
                ImportedAddress(
                    place: place, address: value(columns.address), title: value(columns.title),
                    addedAt: ImportedAddress.time(in: value(columns.time)), tags: Self.tags(value(columns.tags)),
                    folders: [value(columns.folder)], note: value(columns.note)))
        }
        return AddressFile(format: columns.isPocket ? .pocket : .csv, addresses: addresses)
    }

    /// Tags are separated by bars or commas; Instapaper writes a JSON list.
    private static func tags(_ text: String) -> [String] {
        if text.hasPrefix("["), let list = try? JSON(Array(text.utf8)).array { return list.compactMap(\.string) }
        return text.split { $0 == "|" || $0 == "," }.map(String.init)
    }

    /// Reads a row with its line break.
    private mutating func row() -> [String] {
        var values: [String] = []
        while true {
            let value = value()
            if values.count < Self.maximumColumns { values.append(value) }
            guard offset < bytes.count else { return values }
            let byte = bytes[offset]
            offset += 1
            if byte == UInt8(ascii: ",") { continue }
            if byte == 0x0D, offset < bytes.count, bytes[offset] == 0x0A { offset += 1 }
            return values
        }
    }

    /// Reads a value up to its comma or line break.
    private mutating func value() -> String {
        var value: [UInt8] = []
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") {
            offset += 1
            while offset < bytes.count {
                let byte = bytes[offset]
                offset += 1
                if byte == UInt8(ascii: "\"") {
                    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { break }
                    offset += 1
                }
                value.append(byte)
            }
        }
        let start = offset
        while offset < bytes.count, ![UInt8(ascii: ","), 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
        return String(decoding: value + bytes[start..<offset], as: UTF8.self)
    }
}
