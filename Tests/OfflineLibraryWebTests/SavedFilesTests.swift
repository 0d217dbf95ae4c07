import BrowserDriver
import Capture
import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import Testing

@testable import OfflineLibraryWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the list says about a page's files.
@Suite(.timeLimit(.minutes(20))) struct SavedFilesTests {
    private static func save(_ address: String, _ formats: Set<PageFormat>, in server: LibraryServer) async throws
        -> SavedPage.ID
    {
        let id = try await server.libraries.use(.local) { try await $0.library.save(address, formats: formats) }
        try await eventually("the page is saved") {
            try await server.libraries.use(.local) { $0.library.item(id)?.state.value != nil }
        }
        return id
    }

    private static func get(_ path: String, from server: LibraryServer) async throws -> (String, HTTPURLResponse) {
        let (data, response) = try await URLSession.shared.data(from: server.url(path))
        return (String(decoding: data, as: UTF8.self), try #require(response as? HTTPURLResponse))
    }

    @Test func pageSavedOnlyAsWACZCanBeDownloaded() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await Self.save("https://page.example/", [.wacz], in: server)
            let path = "/library/pages/\(id)"
            let (list, _) = try await Self.get("/library/", from: server)
            #expect(list.contains("\(path)/page.wacz?download"))
            for viewer in ["archive", "picture", "pdf", "wacz"] {
                #expect(!list.contains("href=\"\(path)/\(viewer)\""))
            }
            let (content, response) = try await Self.get("\(path)/page.wacz?download", from: server)
            #expect(content == "A page" && response.statusCode == 200)
            #expect(response.value(forHTTPHeaderField: "Content-Type") == "application/wacz")
            let disposition = response.value(forHTTPHeaderField: "Content-Disposition") ?? ""
            #expect(disposition.contains("A page.wacz") || disposition.contains("A%20page.wacz"), "\(disposition)")
            #expect(response.value(forHTTPHeaderField: "Content-Security-Policy")?.contains("sandbox") == true)
            #expect(try await Self.get("\(path)/archive", from: server).1.statusCode == 404)
        }
    }

    @Test func eachVersionInPiecesIsDownloadedWhole() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let address = "https://pictures.example/"
            let url = try #require(URL(string: address))
            var ids: [SavedPage.ID] = []
            for _ in 0..<2 { ids.append(try await Self.save(address, [.webArchive], in: server)) }
            for (index, id) in ids.enumerated() {
                let file = try #require(try await server.store.file(.webArchive, of: id, owner: .local))
                guard case .pieces(let pieces) = file.content else {
                    Issue.record("The archive is one file.")
                    continue
                }
                #expect(pieces.count == 7)
                let (data, reply) = try await URLSession.shared.data(
                    from: server.url("/library/pages/\(id)/page.webarchive?download"))
                #expect(data == ScriptedCapturer.archive(of: url, text: "\(index + 1)", pictures: 3))
                let response = try #require(reply as? HTTPURLResponse)
                #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(data.count)")
                let tag = try #require(response.value(forHTTPHeaderField: "ETag"))
                #expect(tag == "\"\(BlobStore.ID(of: data))\"")
                var request = URLRequest(url: try server.url("/library/pages/\(id)/page.webarchive"))
                request.cachePolicy = .reloadIgnoringLocalCacheData
                request.setValue(tag, forHTTPHeaderField: "If-None-Match")
                let (_, again) = try await URLSession.shared.data(for: request)
                #expect((again as? HTTPURLResponse)?.statusCode == 304)
            }
            let (versions, _) = try await Self.get("/library/pages/\(ids[0])/versions", from: server)
            #expect(versions.contains(" kB, ") && versions.contains(" new</span>"), "\(versions)")
            let file = try #require(try await server.store.file(.webArchive, of: ids[0], owner: .local))
            guard case .pieces(let pieces) = file.content else { return }
            try FileManager.default.removeItem(atPath: pieces[1].path)
            let (page, response) = try await Self.get("/library/pages/\(ids[1])/page.webarchive", from: server)
            #expect(response.statusCode >= 400 && !page.contains(pieces[1].path))
        }
    }

    @Test func tallPictureIsShownInTiles() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let tall = "/library/pages/\(try await Self.save("https://tall.example/", [.png], in: server))"
            let usual = "/library/pages/\(try await Self.save("https://page.example/", [.png], in: server))"
            #expect(try await Self.get("\(usual)/picture", from: server).0.contains("src=\"\(usual)/page.png\""))
            #expect(try await Self.get("\(usual)/tiles/0", from: server).1.statusCode == 404)
            try await BrowserTab.run { tab in
                try await tab.open(server.url("\(tall)/picture"))
                // Scrolling shows the lazy tiles.
                try await tab.wait(
                    until: "[...document.images].every(image => image.complete && image.naturalWidth === 8)")
                let places = try await tab.evaluate(
                    "[...document.images].map(image => image.getAttribute('src') + ' ' + image.offsetTop).join()",
                    as: String.self)
                let tops = places.split(separator: ",").map { $0.split(separator: " ").map(String.init) }
                #expect(tops.map { $0[0] } == (0..<3).map { "\(tall)/tiles/\($0)" })
                let first = try #require(Int(tops[0][1]))
                #expect(tops.map { Int($0[1]) } == [first, first + 5, first + 10])
                // In a narrower window, a tile keeps its proportions.
                let size = try await tab.evaluate(
                    """
                    document.querySelector('.viewer').style.maxWidth = '4px';
                    (({ width, height }) => `${width} × ${height}`)(document.images[2].getBoundingClientRect())
                    """, as: String.self)
                #expect(size == "4 × 2.5")
            }
            for tile in ["3", "-1", "x", "99999999999999999999"] {
                #expect(try await Self.get("\(tall)/tiles/\(tile)", from: server).1.statusCode == 404)
            }
        }
    }

    @Test(arguments: [("page.example", "complete"), ("partial.example", "partial")])
    func pageSaysWhetherItIsComplete(host: String, word: String) async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            let id = try await Self.save("https://\(host)/", [.webArchive], in: server)
            for path in ["/library/", "/library/pages/\(id)/archive"] {
                let (page, _) = try await Self.get(path, from: server)
                #expect(page.contains(">\(word)</span>"), "\(path)")
                #expect(page.contains("badge busy") == (word == "partial"), "\(path)")
            }
        }
    }
}
