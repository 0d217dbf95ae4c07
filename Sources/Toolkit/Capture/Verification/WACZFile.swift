import Foundation

/// The content of a WACZ file, which isn't trusted.
struct WACZFile {
    /// A recorded response.
    struct Item: Sendable {
        var url: String
        var method: String
        var response: WARCRecord.Response
    }

    /// The maximum size of the decompressed content, in bytes.
    private static let limit = 1 << 30

    /// The URL of the page that the file shows first.
    private(set) var page: String?
    private(set) var items: [Item] = []
    /// The faults that were found.
    private(set) var problems: [String] = []
    /// The limit of a list, so that a hostile file can't fill the memory with faults.
    private static let maximumProblems = 100

    /// Reads and checks a file.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - isCancelled: Checked often.
    /// - Throws: `cancelled`, or `failed` if the file can't be read at all.
    init(_ data: Data, isCancelled: () -> Bool) throws(WACZError) {
        let files = try ZipReader.files(in: data, limit: Self.limit)
        checkPackage(files)
        var rest = Self.limit
        var places: [String: Set<WARCWriter.Place>] = [:]
        let warcs = files.filter { $0.key.hasPrefix("archive/") }.sorted { $0.key < $1.key }
        if warcs.isEmpty { report("It has no WARC file.") }
        for (path, warc) in warcs {
            do throws(WACZError) {
                places[String(path.dropFirst("archive/".count))] = try read(warc, path, &rest, isCancelled)
            } catch {
                guard case .failed(let reason) = error else { throw error }
                report("\(path) can't be read: \(reason).")
            }
        }
        try checkIndex(files, places, &rest, isCancelled)
        findPage(files)
    }

    private mutating func report(_ problem: String) {
        if problems.count < Self.maximumProblems { problems.append(problem) }
    }

    // MARK: The package

    private struct Package: Decodable {
        struct Resource: Decodable {
            var path: String
            var hash: String
            var bytes: Int
        }
        var resources: [Resource]
        var mainPageUrl: String?
    }

    private struct PackageDigest: Decodable {
        var hash: String
    }

    private mutating func checkPackage(_ files: [String: Data]) {
        guard let json = files["datapackage.json"], let package = try? JSONDecoder().decode(Package.self, from: json)
        else { return report("Its list of files, datapackage.json, is missing or damaged.") }
        if let digest = files["datapackage-digest.json"] {
            let hash = (try? JSONDecoder().decode(PackageDigest.self, from: digest))?.hash
            if hash != WARCWriter.digest([json]) { report("datapackage.json has changed.") }
        }
        page = package.mainPageUrl
        var listed: Set<String> = []
        for resource in package.resources {
            // Hashing a large file for each of many lines would take very long.
            guard listed.insert(resource.path).inserted else {
                report("\(resource.path) is listed twice.")
                continue
            }
            guard let data = files[resource.path] else {
                report("\(resource.path) is missing.")
                continue
            }
            if data.count != resource.bytes
                || resource.hash.hasPrefix("sha256:")
                    && resource.hash != WARCWriter.digest([data])
            {
                report("\(resource.path) has changed.")
            }
        }
        for path in files.keys.sorted() where !listed.contains(path) && !path.hasPrefix("datapackage") {
            report("\(path) isn't in the list of files.")
        }
    }

    // MARK: Records

    private mutating func read(
        _ warc: Data, _ path: String, _ rest: inout Int, _ isCancelled: () -> Bool
    ) throws(WACZError) -> Set<WARCWriter.Place> {
        var places: Set<WARCWriter.Place> = []
        var methods: [String: String] = [:]
        var found: [(id: String, item: Item)] = []
        var originals: [String: Data] = [:]
        var faults: [String] = []
        try GzipReader.readMembers(of: warc, limit: &rest, isCancelled: isCancelled) { member in
            guard let record = WARCRecord(member.content) else {
                faults.append("\(path) has a damaged record at byte \(member.place.offset).")
                return
            }
            places.insert(member.place)
            let id = record.fields["warc-record-id"] ?? ""
            if record.isWrong("warc-block-digest", for: record.block)
                || record.isWrong("warc-payload-digest", for: record.payload)
            {
                faults.append("A record of \((record.url ?? id).shortened) has changed: its digest is wrong.")
            }
            if record.type == "request", let response = record.fields["warc-concurrent-to"] {
                let line = String(decoding: record.block.prefix(20), as: UTF8.self)
                methods[response] = String(line.prefix { $0 != " " })
            }
            guard let url = record.url else { return }
            if record.type == "resource" {
                let type = record.fields["content-type"] ?? "application/octet-stream"
                let response = WARCRecord.Response(
                    status: 200, fields: [("content-type", type)], body: record.block)
                found.append((id, Item(url: url, method: "GET", response: response)))
            } else if var response = record.response {
                if record.type == "response" {
                    originals[id] = response.body
                } else {
                    // A repeated response has the body of the earlier one.
                    response.body = originals[record.fields["warc-refers-to"] ?? ""] ?? Data()
                    if response.status == 304 { return }
                }
                found.append((id, Item(url: url, method: "GET", response: response)))
            }
        }
        for fault in faults { report(fault) }
        items += found.map { id, item in
            var item = item
            item.method = methods[id] ?? "GET"
            return item
        }
        return places
    }

    // MARK: The index

    private struct Line: Decodable {
        var url: String
        var offset: String
        var length: String
        var filename: String
    }

    private mutating func checkIndex(
        _ files: [String: Data], _ places: [String: Set<WARCWriter.Place>], _ rest: inout Int,
        _ isCancelled: () -> Bool
    ) throws(WACZError) {
        var text = files["indexes/index.cdx"] ?? files["indexes/index.cdxj"] ?? Data()
        if let compressed = files["indexes/index.cdx.gz"] {
            do throws(WACZError) {
                try GzipReader.readMembers(of: compressed, limit: &rest, isCancelled: isCancelled) {
                    text += $0.content
                }
            } catch {
                guard case .failed(let reason) = error else { throw error }
                return report("Its index can't be read: \(reason).")
            }
        }
        let lines = text.split(separator: UInt8(ascii: "\n"))
        if lines.isEmpty { report("Its index is missing or empty.") }
        for line in lines {
            if isCancelled() { throw .cancelled }
            guard let start = line.firstIndex(of: UInt8(ascii: "{")),
                let entry = try? JSONDecoder().decode(Line.self, from: line[start...]),
                let offset = Int(entry.offset), let length = Int(entry.length)
            else {
                report("Its index has a line that can't be read.")
                continue
            }
            if places[entry.filename]?.contains(.init(offset: offset, length: length)) != true {
                report("Its index has a wrong place for \(entry.url.shortened).")
            }
        }
    }

    private struct Page: Decodable {
        var url: String
    }

    private mutating func findPage(_ files: [String: Data]) {
        let lines = (files["pages/pages.jsonl"] ?? Data()).split(separator: UInt8(ascii: "\n"))
        let pages = lines.compactMap { try? JSONDecoder().decode(Page.self, from: $0) }
        if pages.isEmpty { report("Its list of pages is missing or empty.") }
        page = page ?? pages.first?.url
        let recorded = Set(items.map(\.url))
        for page in pages where !recorded.contains(page.url) {
            report("The page \(page.url.shortened) isn't recorded.")
        }
    }
}
