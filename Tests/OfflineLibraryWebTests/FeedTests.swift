import BrowserDriver
import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Persistence
import Testing

@testable import OfflineLibraryWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The text of all elements and attributes, by path.
private final class Reader: NSObject, XMLParserDelegate {
    private var path: [String] = []
    var texts: [String: [String]] = [:]

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        path.append(name)
        texts[path.joined(separator: "/"), default: []].append("")
        for (attribute, value) in attributes where name == "link" {
            texts["\(path.joined(separator: "/")) \(attributes["rel"] ?? "") \(attribute)", default: []].append(value)
        }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        let key = path.joined(separator: "/")
        let last = texts[key]?.popLast() ?? ""
        texts[key]?.append(last + text)
    }

    func parser(_ parser: XMLParser, didEndElement: String, namespaceURI: String?, qualifiedName: String?) {
        path.removeLast()
    }
}

/// The Atom feed of saved pages.
@Suite(.timeLimit(.minutes(20))) struct FeedTests {
    private static func feed(of server: LibraryServer) async throws -> [String: [String]] {
        let (data, response) = try await URLSession.shared.data(from: server.url("/library/feed.atom"))
        let http = try #require(response as? HTTPURLResponse)
        #expect(http.statusCode == 200)
        #expect(http.value(forHTTPHeaderField: "Content-Type") == "application/atom+xml; charset=utf-8")
        let parser = XMLParser(data: data)
        let reader = Reader()
        parser.delegate = reader
        #expect(parser.parse(), "\(String(decoding: data, as: UTF8.self))")
        return reader.texts
    }

    @Test func feedHasTheSavedPagesWithStableIdentifiers() async throws {
        let title = "<A> & \"B\" \u{1}é\u{FFFE}"
        try await LibraryServer.run(capturer: ScriptedCapturer(title: title)) { server in
            let empty = try await Self.feed(of: server)
            #expect(empty["feed/entry"] == nil)
            #expect(empty["feed/id"]?.first?.hasPrefix("urn:uuid:") == true)
            let ids = try await server.libraries.use(.local) { open in
                [
                    try await open.library.save("https://page.example/?a=1&b='2'", formats: [.webArchive, .wacz]),
                    try await open.library.save("https://other.example/", formats: [.wacz]),
                ]
            }
            for id in ids {
                try await eventually("the page is saved") {
                    try await server.libraries.use(.local) { $0.library.item(id)?.state.value != nil }
                }
            }
            let feed = try await Self.feed(of: server)
            #expect(feed["feed/id"] == empty["feed/id"])
            #expect(feed["feed/entry/id"] == ids.reversed().map { "urn:uuid:\($0)" })
            #expect(feed["feed/entry/title"] == ["<A> & \"B\" é", "<A> & \"B\" é"])
            #expect(feed["feed/updated"]?.count == 1 && feed["feed/author/name"]?.count == 1)
            #expect(feed["feed/entry/updated"]?.count == 2)
            let site = "http://127.0.0.1:\(server.port)"
            #expect(feed["feed/link self href"] == ["\(site)/library/feed.atom"])
            #expect(
                feed["feed/entry/link alternate href"] == [
                    "\(site)/library/#page-\(ids[1])", "\(site)/library/pages/\(ids[0])/archive",
                ])
            #expect(feed["feed/entry/link via href"] == ["https://other.example/", "https://page.example/?a=1&b='2'"])
            #expect(
                feed["feed/entry/link enclosure type"]?.sorted() == [
                    "application/wacz", "application/wacz", "application/x-webarchive",
                ])
            #expect(feed["feed/entry/summary"]?.allSatisfy { $0.hasPrefix("complete") } == true)
            try await server.libraries.use(.local) { try await $0.library.delete(ids[1]) }
            #expect(try await Self.feed(of: server)["feed/entry/id"] == ["urn:uuid:\(ids[0])"])
        }
    }
}
