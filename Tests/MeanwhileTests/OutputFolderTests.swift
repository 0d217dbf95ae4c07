import Capture
import Foundation
import Testing

@testable import Meanwhile

@Suite struct OutputFolderNameTests {
    @Test(arguments: [
        ("https://example.org/", "example.org"), ("https://example.org", "example.org"),
        ("https://example.org/index.html", "example.org-index"), ("https://example.org/a/b.HTM", "example.org-a-b"),
        ("http://127.0.0.1:8080/plain", "127.0.0.1-8080-plain"),
        ("https://example.org/search?q=a/b&page=2", "example.org-search-q-a-b-page-2"),
        ("https://example.org/a%20b/%D1%8E_1", "example.org-a-b-ю_1"),
        ("https://example.org/page#part", "example.org-page"), ("http://[::1]/x", "1-x"),
    ])
    func fileNameConsistsOfHostAndPath(address: String, stem: String) throws {
        #expect(OutputFolder.stem(for: try #require(URL(string: address))) == stem)
    }

    @Test(arguments: [
        "https://example.org/../../etc/passwd", "https://example.org/%2E%2E%2F%2E%2E%2Fetc",
        "https://example.org/a%00b",
        "https://./", "https://example.org/a\\b", "https://example.org/%FF%FE", "https://example.org/.hidden",
        "https://example.org/%E0%B5%8E%2Fx", "https://example.org/a%E2%80%8D%2Fx",
        "https://example.org/%E2%80%AE%0A%0D%1B[31m", "https://-/-", "https://example.org/*?<>|:\"",
    ])
    func hostileAddressesGiveSafeFileNames(address: String) throws {
        let stem = OutputFolder.stem(for: try #require(URL(string: address)))
        #expect(!stem.isEmpty)
        #expect(!stem.hasPrefix("."))
        #expect(stem.unicodeScalars.allSatisfy { !"/\\\0:*?<>|\"".unicodeScalars.contains($0) && $0.value >= 0x20 })
        #expect(stem.unicodeScalars.allSatisfy { $0.properties.generalCategory != .format })
    }

    /// A slash that combines with a neighbour into one character is still a separator for the file system.
    @Test(arguments: ["/\u{301}etc/\u{301}cron", "\u{600}/x", "a\u{D4E}/b", "..\u{D4E}/..\u{D4E}/x", "a\r\nb", "a\0b"])
    func hostileBoardNamesGiveSafeFileNames(name: String) {
        let stem = OutputFolder.stem(for: name)
        #expect(!stem.isEmpty && !stem.hasPrefix("."))
        #expect(stem.unicodeScalars.allSatisfy { !"/\\".unicodeScalars.contains($0) && $0.value >= 0x20 }, "\(stem)")
    }

    // The last one is a combining accent: a thousand of them on one letter form a single character.
    @Test(arguments: ["a", "%E6%97%A5", "%CC%81"])
    func longAddressLeavesRoomForNumberAndExtension(repeated: String) throws {
        let path = "a" + String(repeating: repeated, count: 1_000)
        let stem = OutputFolder.stem(for: try #require(URL(string: "https://example.org/\(path)")))
        // Linux limits file names to 255 bytes.
        #expect("\(stem)-10000.webarchive".utf8.count <= 255)
        #expect(stem.hasPrefix("example.org"))
    }
}

@Suite struct OutputFolderTests {
    private let files: [(PageFormat, Data)] = [
        (.png, Data("picture".utf8)), (.pdf, Data("paper".utf8)), (.webArchive, Data("archive".utf8)),
    ]
    private let names = ["page.pdf", "page.png", "page.webarchive"]

    @Test func allFilesOfAPageAppearUnderOneName() async throws {
        try await Workspace.with { workspace in
            try workspace.makeFolder(workspace.output)
            let paths = try OutputFolder(path: workspace.output, overwrite: false).write(files, stem: "page")
            #expect(paths.map(\.0) == [.png, .pdf, .webArchive])
            #expect(paths.map(\.1) == ["png", "pdf", "webarchive"].map { "\(workspace.output)/page.\($0)" })
            #expect(workspace.outputNames == names)
            for (format, content) in files { #expect(try workspace.file("page.\(format.fileExtension)") == content) }
        }
    }

    @Test(arguments: ["png", "pdf", "webarchive"])
    func nameTakenByOneFormatIsSkippedForAll(taken: String) async throws {
        try await Workspace.with { workspace in
            try workspace.makeFolder(workspace.output)
            try workspace.makeFile("out/page.\(taken)", "old")
            let folder = OutputFolder(path: workspace.output + "/", overwrite: false)
            _ = try folder.write(files, stem: "page")
            _ = try folder.write(files, stem: "page")
            #expect(try workspace.file("page.\(taken)") == Data("old".utf8))
            let numbered = [2, 3].flatMap { number in names.map { $0.replacing("page", with: "page-\(number)") } }
            #expect(workspace.outputNames == (["page.\(taken)"] + numbered).sorted())
        }
    }

    @Test func overwriteReplacesExistingFiles() async throws {
        try await Workspace.with { workspace in
            try workspace.makeFolder(workspace.output)
            for name in names { try workspace.makeFile("out/\(name)", "old") }
            _ = try OutputFolder(path: workspace.output, overwrite: true).write(files, stem: "page")
            #expect(workspace.outputNames == names)
            for (format, content) in files { #expect(try workspace.file("page.\(format.fileExtension)") == content) }
        }
    }

    @Test func failedWriteReplacesNothing() async throws {
        try await Workspace.with { workspace in
            try workspace.makeFolder(workspace.output + "/page.webarchive")
            try workspace.makeFile("out/page.png", "old")
            let folder = OutputFolder(path: workspace.output, overwrite: true)
            #expect(throws: OutputError.self) { try folder.write(files, stem: "page") }
            #expect(workspace.outputNames == ["page.png", "page.webarchive"])
            #expect(try workspace.file("page.png") == Data("old".utf8))
        }
    }

    @Test func concurrentPagesOfOneNameGetSeparateFiles() async throws {
        try await Workspace.with { workspace in
            try workspace.makeFolder(workspace.output)
            let folder = OutputFolder(path: workspace.output, overwrite: false)
            let stems = try await withThrowingTaskGroup(of: [String].self) { group in
                for page in 0..<16 {
                    let formats: [PageFormat] = page.isMultiple(of: 2) ? [.png, .pdf] : [.pdf, .png]
                    group.addTask {
                        try folder.write(formats.map { ($0, Data("\(page)".utf8)) }, stem: "page").map(\.1)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(stems.joined()).count == 32)
            for paths in stems {
                let contents = try paths.map { try Data(contentsOf: URL(filePath: $0)) }
                #expect(contents[0] == contents[1])
                #expect(Set(paths.map { $0.split(separator: ".").first }).count == 1)
            }
            #expect(workspace.outputNames.count == 32)
        }
    }

    @Test func prepareCreatesAndReturnsMissingFolders() async throws {
        try await Workspace.with { workspace in
            let folder = OutputFolder(path: "\(workspace.output)/deep/down", overwrite: false)
            let created = try folder.prepare()
            let createdAgain = try folder.prepare()
            #expect(created.count == 3 && createdAgain.isEmpty)
            #expect(workspace.names(in: folder.path).isEmpty)
        }
    }

    @Test func fileInTheFoldersPathIsRefused() async throws {
        try await Workspace.with { workspace in
            let file = try workspace.makeFile("file")
            let whole = #expect(throws: OutputError.self) {
                try OutputFolder(path: file, overwrite: false).prepare()
            }
            #expect(whole?.description.contains("is a file, not a folder") == true)
            let part = #expect(throws: OutputError.self) {
                try OutputFolder(path: "\(file)/below", overwrite: false).prepare()
            }
            #expect(part?.description.contains("a part of its path is a file") == true)
        }
    }

    @Test func missingFolderIsReportedWithItsPath() async throws {
        try await Workspace.with { workspace in
            let folder = OutputFolder(path: workspace.output, overwrite: false)
            let error = #expect(throws: OutputError.self) { try folder.write(files, stem: "page") }
            #expect(error?.description.contains(workspace.output) == true)
        }
    }

    @Test func nonEmptyFolderIsNotRemoved() async throws {
        try await Workspace.with { workspace in
            try workspace.makeFolder(workspace.output)
            let file = try workspace.makeFile("out/mine")
            OutputFolder.removeIfEmpty([workspace.output])
            #expect(workspace.exists(file))
        }
    }
}
