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

    private static func python<Answer: Decodable>(_ check: String, _ arguments: [String]) async throws -> Answer {
        let script = root.appending(path: "Tests/Checks/\(check)").path()
        let program = root.appending(path: ".build/python/bin/python").path()
        let result = try await run(
            .path(FilePath(program)), arguments: Arguments([script] + arguments), output: .string(limit: 1_000_000),
            error: .string(limit: 1_000_000))
        let output = result.standardOutput + result.standardError
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
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "page.pdf")
            try pdf.write(to: file)
            let result = try await run(
                .name("pdftoppm"), arguments: ["-r", "20", "-f", "1", "-l", "1", file.path()],
                output: .data(limit: 50_000_000), error: .string(limit: 100_000))
            try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
            // PPM: “P6”, the size, and the maximum value, each on its own line; then three bytes per pixel.
            let header = result.standardOutput.split(separator: UInt8(ascii: "\n"), maxSplits: 3)
            let bytes = try #require(header.last)
            return Set(
                stride(from: bytes.startIndex, to: bytes.endIndex - 2, by: 3).map {
                    Pixel(red: bytes[$0], green: bytes[$0 + 1], blue: bytes[$0 + 2])
                })
        }
    }
}
