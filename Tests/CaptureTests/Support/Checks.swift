import Foundation
import Subprocess
import SystemPackage
import Testing

@testable import Capture

/// The checks in `Tests/Checks`, which inspect output files with third-party programs.
enum Checks {
    /// The result of `check_archive.py` for a valid archive.
    struct Archive: Decodable {
        var ok: Bool
        var resources: Int
        var frames: Int
    }

    /// The difference between two pictures.
    struct Difference: Decodable {
        var width: Int
        var height: Int
        /// The share of pixels with a channel that differs by more than the tolerance.
        var different: Double
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Checks an archive's schema with plistlib, and extracts it with pywebarchive.
    static func archive(_ data: Data) async throws -> Archive {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "page.webarchive")
            try data.write(to: file)
            return try await python("check_archive.py", [file.path(), folder.appending(path: "extracted").path()])
        }
    }

    /// Compares two pictures of the same size; channels may differ by `tolerance` of 255.
    static func difference(_ first: Data, _ second: Data, tolerance: Int = 8) async throws -> Difference {
        try await withTemporaryFolder { folder in
            let files = [folder.appending(path: "a.png"), folder.appending(path: "b.png")]
            try first.write(to: files[0])
            try second.write(to: files[1])
            return try await python(
                "compare_pictures.py", files.map { $0.path() } + ["--tolerance", "\(tolerance)"])
        }
    }

    /// Runs a poppler program on a PDF.
    static func poppler(_ program: String, _ arguments: [String] = [], pdf: Data) async throws -> String {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "page.pdf")
            try pdf.write(to: file)
            let result = try await run(
                .name(program), arguments: Arguments(arguments + [file.path()] + (program == "pdftotext" ? ["-"] : [])),
                output: .string(limit: 10_000_000), error: .string(limit: 1_000_000))
            try #require(result.terminationStatus.isSuccess, "\(program): \(result.standardError)")
            return result.standardOutput
        }
    }

    /// A record of a WARC file.
    struct Record: Decodable {
        var type: String
        var fields: [String: String]
        /// The first line of a request or response.
        var line: String?
        /// The header fields of a request or response.
        var http: [[String]]
        var body: String
        var bytes: Int

        /// The values of a header field.
        func values(_ name: String) -> [String] {
            http.filter { $0.first?.lowercased() == name.lowercased() }.compactMap(\.last)
        }
    }

    /// The result of `check_wacz.py` for a valid WACZ file.
    struct WACZ: Decodable {
        struct Page: Decodable {
            var url: String?
            var title: String?
            var text: String?
            var hasText: Bool?
        }

        /// A response that pywb replayed.
        struct Shown: Decodable {
            var url: String
            var method: String
            var status: Int
            var bytes: Int
        }

        var records: [Record]
        var pages: [Page]
        var shown: [Shown]
    }

    /// Checks a WACZ file with wacz, warcio, cdxj-indexer and pywb, and compares the replayed responses with the site.
    static func wacz(_ data: Data, origin: String) async throws -> WACZ {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "page.wacz")
            try data.write(to: file)
            return try await python("check_wacz.py", [file.path(), "--origin", origin], environment: "python-archives")
        }
    }

    /// The sortable forms of URLs by the package surt.
    static func sortableURLs(of urls: [String]) async throws -> [String] {
        let input = String(decoding: try JSONEncoder().encode(urls), as: UTF8.self)
        return try await python("sortable_urls.py", [], environment: "python-archives", input: input)
    }

    /// The queries of requests with these types and bodies, by pywb and by cdxj-indexer.
    static func requestQueries(of requests: [(type: String, body: Data)]) async throws -> [[String]] {
        let input = try JSONEncoder().encode(requests.map { [$0.type, $0.body.base64EncodedString()] })
        return try await python(
            "request_queries.py", [], environment: "python-archives", input: String(decoding: input, as: UTF8.self))
    }

    private static func python<Answer: Decodable>(
        _ check: String, _ arguments: [String], environment: String = "python", input: String = ""
    ) async throws -> Answer {
        let script = root.appending(path: "Tests/Checks/\(check)").path()
        let program = root.appending(path: ".build/\(environment)/bin/python").path()
        let result = try await run(
            .path(FilePath(program)), arguments: Arguments([script] + arguments), input: .string(input),
            output: .string(limit: 10_000_000), error: .string(limit: 1_000_000))
        let output = result.standardOutput.suffix(20_000) + result.standardError.suffix(5_000)
        try #require(result.terminationStatus.isSuccess, "\(check): \(output)")
        return try JSONDecoder().decode(Answer.self, from: Data(result.standardOutput.utf8))
    }
}

/// Calls `body` with a temporary folder, and removes it afterwards.
func withTemporaryFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
    let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "meanwhile-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

extension Checks {
    struct Pixel: Hashable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8
    }

    /// The colours of a PDF's first page at low resolution.
    static func colours(ofPDF pdf: Data) async throws -> Set<Pixel> {
        Set(try await rows(ofPDF: pdf, ["-r", "20", "-f", "1", "-l", "1"]).flatMap { $0.flatMap { $0 } })
    }

    /// The heights of the green areas in a PDF's first column that has any, in dots.
    static func heights(ofGreenAreasIn pdf: Data, resolution: Int) async throws -> [Int] {
        var heights: [Int] = []
        for page in try await rows(ofPDF: pdf, ["-r", "\(resolution)"]) {
            let isGreen = page.map { row in row.prefix(60).contains { $0.green > 140 && $0.red < 40 && $0.blue < 40 } }
            heights += isGreen.split(separator: false).map(\.count)
        }
        return heights
    }

    /// The rows of pixels of each page of a PDF.
    private static func rows(ofPDF pdf: Data, _ arguments: [String]) async throws -> [[[Pixel]]] {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "page.pdf")
            try pdf.write(to: file)
            let result = try await run(
                .name("pdftoppm"), arguments: Arguments(arguments + [file.path()]),
                output: .data(limit: 100_000_000), error: .string(limit: 100_000))
            try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
            var (rest, pages) = (result.standardOutput[...], [[[Pixel]]]())
            while !rest.isEmpty {
                // PPM: “P6”, the size, and the maximum value, each on its own line; then three bytes per pixel.
                let header = rest.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
                try #require(header.count == 4)
                let size = String(decoding: header[1], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
                let (width, height) = (try #require(size.first), try #require(size.last))
                let bytes = header[3].prefix(width * height * 3)
                try #require(bytes.count == width * height * 3)
                pages.append(
                    (0..<height).map { y in
                        (0..<width).map { x in
                            let index = bytes.startIndex + (y * width + x) * 3
                            return Pixel(red: bytes[index], green: bytes[index + 1], blue: bytes[index + 2])
                        }
                    })
                rest = header[3].dropFirst(bytes.count)
            }
            return pages
        }
    }
}
