import FixtureSite
import Foundation
import Testing

@testable import Capture

/// Tests of archives of pages that exceed the archive's size limit.
@Suite(.timeLimit(.minutes(10))) struct ArchiveBudgetTests {
    private static func item(_ name: String, kind: String, _ body: ResourceBody) -> CollectedBodies.Item {
        let entry = ResourceLog.Entry(
            id: name, session: "s", frame: "f", url: "http://a.example/\(name)",
            finalURL: "http://a.example/\(name)", kind: kind)
        return CollectedBodies.Item(entry: entry, body: body)
    }

    @Test func resourceOverTheArchiveLimitIsListedAsMissing() throws {
        let collected = CollectedBodies(
            [
                Self.item("first.png", kind: "Image", .bytes(Data(count: 10))),
                Self.item("large.css", kind: "Stylesheet", .text(Data(count: 20))),
                Self.item("small.js", kind: "Script", .text(Data(count: 5))),
                Self.item("failed.png", kind: "Image", .missing("net::ERR_FAILED")),
            ], limit: 15)
        let resources = collected.resources(ofFrame: "f")
        let sizes = Dictionary(uniqueKeysWithValues: resources.map { ($0.url, $0.data.count) })
        // The failed resource has an empty stand-in, so that readers don't request it from the network.
        #expect(
            sizes == [
                "http://a.example/first.png": 10, "http://a.example/small.js": 5, "http://a.example/failed.png": 0,
            ])
        let missing = collected.manifest.filter { $0.missing != nil }
        #expect(missing.map(\.url) == ["http://a.example/large.css", "http://a.example/failed.png"])
        #expect(missing.map(\.missing) == ["it exceeds the archive's limit of 15 bytes", "net::ERR_FAILED"])
        #expect(missing.allSatisfy { $0.byteCount == nil })
    }

    @Test func styleSheetOfAnErrorPageIsMissing() {
        var log = ResourceLog()
        for (id, kind) in [("1", "Stylesheet"), ("2", "XHR")] {
            log.requested(id, url: "http://a.example/\(id)", kind: kind, frame: "f", session: "s")
            log.answered(id, url: "http://a.example/\(id)", status: 404, mediaType: "text/html")
        }
        let items = log.entries.map { CollectedBodies.Item(entry: $0, body: .text(Data("<p>No".utf8))) }
        let missing = CollectedBodies(items, limit: 100).manifest.map(\.missing)
        #expect(missing == ["the server responded with status 404", nil])
    }

    @Test func anArchiveOverBudgetContainsOnlyWholePartsAndListsTheOthers() async throws {
        try await FixtureSite.run { site in
            let whole = try await sharedCapturer.capture(
                site.url("/"), formats: [.webArchive], options: .withLongTimeouts)
            let sizes = Dictionary(
                whole.resources.map { ($0.url, $0.byteCount) }, uniquingKeysWith: { first, _ in first })
            var options = CaptureOptions.withLongTimeouts
            options.maximumArchiveBytes = 2_000
            let cut = try await sharedCapturer.capture(site.url("/"), formats: [.webArchive], options: options)
            let absent = Set(cut.resources.filter { $0.missing?.contains("limit of 2 kB") == true }.map(\.url))
            #expect(!absent.isEmpty)
            #expect(cut.warnings.contains { $0.kind == .missingResources && $0.message.contains("2 kB") })
            let archive = try WebArchive(propertyList: #require(cut.data[.webArchive]))
            var parts: [WebArchive.Resource] = []
            func collect(_ archive: WebArchive) {
                parts += archive.subresources
                archive.subframes.forEach(collect)
            }
            collect(archive)
            #expect(!parts.isEmpty)
            #expect(absent.isDisjoint(with: parts.map(\.url)))
            for part in parts {
                guard let size = sizes[part.url], let size else { continue }
                #expect(part.data.count == size, "\(part.url)")
            }
        }
    }
}
