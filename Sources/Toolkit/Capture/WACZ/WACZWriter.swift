import Foundation

/// Writes a WACZ file: a ZIP file with a WARC file, its index, and a list of pages.
///
/// https://specs.webrecorder.net/wacz/1.1.1/
enum WACZWriter {
    /// The page that the file shows first.
    struct Page {
        /// The URL of the page's response.
        var url: String
        var title: String
        /// The text that people read, for a search.
        var text: String
        var date: Date
    }

    private static let warcName = "data.warc.gz"
    private static let indexName = "index.cdx.gz"

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - exchanges: Its requests and responses, in order.
    ///   - isCancelled: Checked often.
    /// - Returns: The file.
    /// - Throws: `cancelled` or `failed`.
    static func file(
        of page: Page, exchanges: [RecordedExchange], isCancelled: @escaping () -> Bool = { false }
    ) throws(WACZError) -> Data {
        var warc = WARCWriter(isCancelled: isCancelled)
        try warc.appendInfo(fileName: warcName, at: page.date)
        var originals: [String: WARCWriter.Original] = [:]
        var records: [IndexedRecord] = []
        for exchange in exchanges { records.append(try warc.append(exchange, originals: &originals)) }
        let index = try CaptureIndex(records, of: warcName, named: indexName, isCancelled: isCancelled)
        var entries = [
            ZipWriter.Entry(path: "archive/\(warcName)", data: warc.data, isCompressed: false),
            ZipWriter.Entry(path: "indexes/\(indexName)", data: index.compressed, isCompressed: false),
            ZipWriter.Entry(path: "indexes/index.idx", data: index.parts, isCompressed: true),
            ZipWriter.Entry(path: "pages/pages.jsonl", data: try pages(page), isCompressed: true),
        ]
        let package = Data(try json(DataPackage(page, entries)).utf8)
        let digest = PackageDigest(path: "datapackage.json", hash: WARCWriter.digest([package]))
        entries.append(ZipWriter.Entry(path: "datapackage.json", data: package, isCompressed: true))
        entries.append(
            ZipWriter.Entry(path: "datapackage-digest.json", data: Data(try json(digest).utf8), isCompressed: true))
        if isCancelled() { throw .cancelled }
        return try ZipWriter.file(with: entries, at: page.date)
    }

    private static func pages(_ page: Page) throws(WACZError) -> Data {
        let header = PagesHeader(hasText: !page.text.isEmpty)
        let entry = PageEntry(
            id: UUID().uuidString.lowercased(), url: page.url, ts: page.date.formatted(.iso8601), title: page.title,
            text: page.text.isEmpty ? nil : page.text)
        return Data("\(try json(header))\n\(try json(entry))\n".utf8)
    }

    static func json(_ value: some Encodable) throws(WACZError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw .failed("\(error)")
        }
    }
}

private struct PagesHeader: Encodable {
    var format = "json-pages-1.0"
    var id = "pages"
    var title = "Pages"
    var hasText: Bool
}

private struct PageEntry: Encodable {
    var id: String
    var url: String
    var ts: String
    var title: String
    var text: String?
}

/// The list of all files, `datapackage.json`.
///
/// https://specs.frictionlessdata.io/data-package/
private struct DataPackage: Encodable {
    struct Resource: Encodable {
        var name: String
        var path: String
        var hash: String
        var bytes: Int
    }

    enum CodingKeys: String, CodingKey {
        case profile, resources, created, title, software, mainPageDate
        case version = "wacz_version"
        case mainPageURL = "mainPageUrl"
    }

    var profile = "data-package"
    var version = "1.1.1"
    var resources: [Resource]
    var created: String
    var title: String?
    var software = "Meanwhile"
    var mainPageURL: String
    var mainPageDate: String

    init(_ page: WACZWriter.Page, _ entries: [ZipWriter.Entry]) {
        resources = entries.map { entry in
            let name = entry.path.split(separator: "/").last.map { String($0) } ?? entry.path
            return Resource(
                name: name, path: entry.path, hash: WARCWriter.digest([entry.data]), bytes: entry.data.count)
        }
        created = page.date.formatted(.iso8601)
        title = page.title.isEmpty ? nil : page.title
        mainPageURL = page.url
        mainPageDate = created
    }
}

private struct PackageDigest: Encodable {
    var path: String
    var hash: String
}
