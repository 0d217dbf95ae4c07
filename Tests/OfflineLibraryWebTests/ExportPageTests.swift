import BrowserDriver
import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import StoreTesting
import Testing

@testable import Capture
@testable import OfflineLibraryWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Downloads of several pages.
@Suite(.timeLimit(.minutes(20))) struct ExportPageTests {
    private static func savePages(on server: LibraryServer, _ names: String...) async throws -> [SavedPage.ID] {
        var ids: [SavedPage.ID] = []
        for name in names {
            let id = try await server.libraries.use(.local) {
                try await $0.library.save("https://page.example/\(name)", formats: [.png, .webArchive])
            }
            try await eventually("the page is saved") {
                try await server.libraries.use(.local) { $0.library.item(id)?.state.value != nil }
            }
            ids.append(id)
        }
        return ids
    }

    private static func get(_ path: String, of server: LibraryServer) async throws -> (Data, HTTPURLResponse) {
        let (data, response) = try await URLSession.shared.data(from: server.url(path))
        return (data, try #require(response as? HTTPURLResponse))
    }

    /// The addresses of the pages in an exported file.
    private static func addresses(in zip: Data) throws -> [String] {
        let files = try ZipReader.files(in: zip, limit: 10_000_000)
        let json = try JSONSerialization.jsonObject(with: try #require(files["pages.json"])) as? [String: Any]
        return try #require(json?["pages"] as? [[String: Any]]).compactMap { $0["address"] as? String }
    }

    @Test func allPagesASelectionAndASearchAreDownloaded() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let ids = try await Self.savePages(on: server, "a", "b", "c")
            let all = try await Self.get("/library/export.zip", of: server)
            #expect(all.1.statusCode == 200 && all.1.value(forHTTPHeaderField: "Content-Type") == "application/zip")
            let disposition = try #require(all.1.value(forHTTPHeaderField: "Content-Disposition"))
            #expect(disposition.hasPrefix("attachment; filename=\"Offline Library 2"))
            let page = "https://page.example/"
            #expect(try Self.addresses(in: all.0) == ["\(page)c", "\(page)b", "\(page)a"])
            let path = "/library/export.zip?tags=&selected=1&page%5B%5D=\(ids[0])&page%5B%5D=\(ids[2])"
            #expect(try Self.addresses(in: try await Self.get(path, of: server).0) == ["\(page)c", "\(page)a"])
            let found = try await Self.get("/library/export.zip?q=example%2Fb", of: server).0
            #expect(try Self.addresses(in: found) == ["\(page)b"])
            #expect(try await Self.get("/library/export.zip?tags=&selected=1", of: server).1.statusCode == 422)
            let results = String(decoding: try await Self.get("/library/?q=example", of: server).0, as: UTF8.self)
            #expect(results.contains("href=\"/library/export.zip?q=example\""))
        }
    }

    @Test func damagedFileIsReportedInAValidZIPFile() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let ids = try await Self.savePages(on: server, "a", "b", "c")
            var paths: [String] = []
            for id in ids {
                let file = try #require(try await server.store.file(.webArchive, of: id, owner: .local))
                guard case .path(let path) = file.content else { continue }
                paths.append(path)
            }
            try Data("short".utf8).write(to: URL(filePath: paths[0]))
            try FileManager.default.removeItem(atPath: paths[1])
            let (zip, _) = try await Self.get("/library/export.zip", of: server)
            let files = try ZipReader.files(in: zip, limit: 10_000_000)
            let errors = String(decoding: try #require(files["errors.txt"]), as: UTF8.self)
            #expect(errors.contains(LibraryWords.exportFileMissing) && errors.contains(LibraryWords.exportFileDamaged))
            #expect(errors.split(separator: "\n").count == 2)
            #expect(files.keys.count { $0.hasSuffix("page.webarchive") } == 2)
            #expect(files.keys.count { $0.hasSuffix("page.png") } == 3)
        }
    }

    @Test func downloadsAtOnceAreLimited() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let exports = server.libraries.exports
            var running = [exports.begin(), exports.begin()]
            #expect(!running.contains { $0 == nil } && exports.begin() == nil)
            #expect(try await Self.get("/library/export.zip", of: server).1.statusCode == 503)
            running.removeLast()
            #expect(try await Self.get("/library/export.zip", of: server).1.statusCode == 200)
            try await eventually("the download has ended") { exports.count == 1 }
            exports.shutDown()
            #expect(throws: LibraryError.shuttingDown) { try running[0]?.check() }
        }
    }
}
