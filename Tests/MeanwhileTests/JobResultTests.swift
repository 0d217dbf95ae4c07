import Capture
import DurableFiles
import EmojiArtModel
import Foundation
import Futures
import Jobs
import OfflineLibraryModel
import Persistence
import SystemPackage
import Testing

@testable import Meanwhile

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Results of a job whose process is compromised.
@Suite(.timeLimit(.minutes(10))) struct JobResultTests {
    /// Runs a closure with a job's output folder.
    private static func withFolder(
        leaving floor: FreeDiskFloor = .bytes(0), _ body: (JobFolder) throws -> Void
    ) throws {
        let parent = FilePath(NSTemporaryDirectory()).appending("results-\(UUID().uuidString)").string
        defer { try? FileManager.default.removeItem(atPath: parent) }
        let folder = JobFolder(path: FilePath(parent).appending("1-1").string, floor: floor)
        try folder.make()
        try body(folder)
        try FileManager.default.removeItem(atPath: folder.path)
        // The copies of large files have already been unlinked.
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent).isEmpty)
    }

    @Test func outputBeyondTheFreeDiskFloorIsRefused() throws {
        try Self.withFolder(leaving: .bytes(.max)) { folder in
            let error = try #require(throws: StoreError.self) { try folder.write(Data([1]), as: JobFolder.onlyFile) }
            let received = JobError(error)
            #expect(received.code == OverBudget.code)
            #expect(received.error(OverBudget.self)?.statusCode == 507)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    private static func report<Value: Decodable>(_ json: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(json.utf8))
    }

    @Test(arguments: [
        (#"{"type": "text/html", "width": 1, "height": 1}"#, JobResultError.pictureType),
        (#"{"type": "image/png\r\nA: b", "width": 1, "height": 1}"#, .pictureType),
        (#"{"type": "image/png", "width": 0, "height": 1}"#, .pictureSize),
        (#"{"type": "image/png", "width": -1, "height": -1}"#, .pictureSize),
        (#"{"type": "image/png", "width": 8000, "height": 8001}"#, .pictureSize),
        (#"{"type": "image/png", "width": 9223372036854775807, "height": 9223372036854775807}"#, .pictureSize),
    ])
    func pictureWithAnInvalidTypeOrSizeIsRefused(json: String, error: JobResultError) throws {
        try Self.withFolder { folder in
            try folder.write(Data("bytes".utf8), as: PictureReport.file)
            let report: PictureReport = try Self.report(json)
            #expect(throws: error) { try report.picture(in: folder) }
        }
    }

    @Test func aPictureIsReadWithItsSize() throws {
        try Self.withFolder { folder in
            try folder.write(Data("bytes".utf8), as: PictureReport.file)
            let report: PictureReport = try Self.report(#"{"type": "image/webp", "width": 3, "height": 2}"#)
            let picture = try report.picture(in: folder)
            #expect(picture.picture.data == Data("bytes".utf8) && picture.picture.type == "image/webp")
            #expect(picture.width == 3 && picture.height == 2)
        }
    }

    @Test func aFileThatIsTooLargeIsNotRead() throws {
        try Self.withFolder { folder in
            for (count, limit) in [(11, 10), (6_000_000, 5_999_999)] {
                try folder.write(Data(count: count), as: "file-\(count)")
                #expect(throws: Errno.fileTooLarge) { try folder.read("file-\(count)", upTo: limit) }
                #expect(try folder.read("file-\(count)", upTo: count) == Data(count: count))
            }
        }
    }

    @Test func fileTruncatedAfterReadingStaysIntact() throws {
        try Self.withFolder { folder in
            let content = Data((0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 / 4_096) })
            try folder.write(content, as: JobFolder.onlyFile)
            let read = try folder.read(JobFolder.onlyFile, upTo: 10_000_000)
            try #require(truncate(folder.path + "/" + JobFolder.onlyFile, 0) == 0)
            #expect(read == content)
        }
    }

    @Test func linksPipesAndFoldersAreNotRead() throws {
        try Self.withFolder { folder in
            try #require(symlink("/etc/passwd", folder.path + "/link") == 0)
            try #require(mkfifo(folder.path + "/pipe", 0o600) == 0)
            try #require(mkdir(folder.path + "/folder", 0o700) == 0)
            for name in ["link", "pipe", "folder", "nothing"] {
                #expect(throws: Errno.self) { try folder.read(name, upTo: 1_000_000) }
            }
        }
    }

    @Test func boardResultIsValidatedLikeARequest() throws {
        try Self.withFolder { folder in
            let long = String(repeating: "x", count: 5_000)
            let report = BoardFileReport(
                fileName: long, name: long, notes: Array(repeating: long, count: 500), picture: nil)
            let emoji = #"{"id":"a","text":"🐶","x":0,"y":0,"size":40,"z":1}"#
            try folder.write(Data(#"{"background":null,"emojis":[\#(emoji)]}"#.utf8), as: BoardFileReport.board)
            let board = try report.board(in: folder)
            #expect(board.file.art.emojis.map(\.text) == ["🐶"])
            #expect(board.file.name?.count == 1_000 && board.fileName?.count == 1_000)
            #expect(board.file.notes.count == 100 && board.file.notes.allSatisfy { $0.count == 1_000 })
        }
        for json in [
            #"{"background":null,"emojis":[{"id":"a","text":"🐶","x":1e300,"y":0,"size":40,"z":1}]}"#,
            #"{"background":{"address":"javascript:a"},"emojis":[]}"#, "[", "",
            String(repeating: "[", count: 100_000),
        ] {
            try Self.withFolder { folder in
                try folder.write(Data(json.utf8), as: BoardFileReport.board)
                let report = BoardFileReport(fileName: nil, name: nil, notes: [], picture: nil)
                #expect(throws: (any Error).self) { try report.board(in: folder) }
            }
        }
    }

    /// A capture's job stays in the queue across a system crash, so its output must, too.
    @Test func captureOutputIsSyncedBeforeItIsReported() throws {
        let url = try #require(URL(string: "https://example.org/a"))
        let capture = PageCapture(
            requestedURL: url, url: url, title: "Page", httpStatus: 200, contentSize: (10, 10), readiness: .almostIdle,
            data: [.png: Data("png".utf8), .pdf: Data("pdf".utf8)], thumbnail: Data("small".utf8), resources: [],
            warnings: [], duration: .seconds(1))
        try Self.withFolder { folder in
            let jobs = FilePath(folder.path).removingLastComponent()
            let unsynced = Lock<Set<String>>([jobs.string, jobs.removingLastComponent().string])
            var folder = folder
            folder.disk = Disk { (step: Disk.Step) throws(Errno) in unsynced.withLock { Self.note(step, in: &$0) } }
            let captured = try CapturedPage(capture, in: folder)
            let left = unsynced.withLock(\.self)
            #expect(left.isEmpty, "\(left)")
            let read = try captured.capture(of: CaptureRequest(url: url, formats: [.png, .pdf]), in: folder)
            #expect(read.data == capture.data && read.thumbnail == capture.thumbnail)
        }
    }

    /// Updates the set of files and folders whose last change a system crash could undo.
    private static func note(_ step: Disk.Step, in unsynced: inout Set<String>) {
        switch step {
        case .create(let path): unsynced.formUnion([path, FilePath(path).removingLastComponent().string])
        case .write(let path): unsynced.insert(path)
        case .sync(let path), .syncFolder(let path): unsynced.remove(path)
        case .makeFolder, .read, .rename, .link, .remove: break
        }
    }

    @Test func captureResultIsLimitedToTheRequest() throws {
        let url = try #require(URL(string: "https://example.org/a"))
        let request = CaptureRequest(url: url, formats: [.png])
        let json = """
            {"requestedURL": "https://elsewhere.example/", "url": "javascript:alert(1)", "title": "\(
                String(repeating: "é", count: 5_000))", "httpStatus": -7, "width": 9223372036854775807, "height": -5,
            "readiness": READINESS, "warnings": [], "formats": ["png"], "hasThumbnail": false, "duration": DURATION}
            """
            .replacing("READINESS", with: try Self.json(PageCapture.Readiness.almostIdle))
            .replacing("DURATION", with: try Self.json(Duration(secondsComponent: .max, attosecondsComponent: 0)))
        try Self.withFolder { folder in
            try folder.write(Data("png".utf8), as: "png")
            let captured: CapturedPage = try Self.report(json)
            let capture = try captured.capture(of: request, in: folder)
            #expect(capture.requestedURL == url && capture.url == url)
            #expect(capture.title == String(repeating: "é", count: 1_000))
            #expect(capture.httpStatus == nil && capture.duration == .seconds(86_400))
            #expect(capture.contentSize == (1 << 24, 0))
            for formats in [#"["png","png"]"#, #"["webarchive"]"#, #"["png","pdf"]"#] {
                let other: CapturedPage = try Self.report(json.replacing(#"["png"]"#, with: formats))
                #expect(throws: JobResultError.format) { try other.capture(of: request, in: folder) }
            }
        }
    }

    private static func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    @Test func oversizedErrorIsReplacedByAShortMessage() {
        var error = JobError(PictureError.script("a script"), code: "picture")
        #expect(error.error(PictureError.self) == .script("a script"))
        error = JobError(PictureError.script(String(repeating: "x", count: 100_000)), code: "picture")
        #expect(error.error(PictureError.self) == nil && error.message.count <= 2_000)
    }
}
