import Foundation
import Testing

@testable import Capture

@Suite struct WebArchiveTests {
    private let archive = WebArchive(
        mainResource: .init(
            data: Data("<html></html>".utf8), url: "http://a.example/", mediaType: "text/html",
            textEncodingName: "UTF-8", frameName: ""),
        subresources: [.init(data: Data([0, 255]), url: "http://a.example/p.png", mediaType: "image/png")],
        subframes: [
            WebArchive(mainResource: .init(data: Data(), url: "http://b.example/", mediaType: "text/html"))
        ])

    @Test func isWrittenWithWebKitsKeysAndNothingElse() throws {
        let bytes = try archive.propertyList()
        #expect(bytes.starts(with: Data("bplist00".utf8)))
        let list = try #require(
            PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any])
        #expect(Set(list.keys) == ["WebMainResource", "WebSubresources", "WebSubframeArchives"])
        let main = try #require(list["WebMainResource"] as? [String: Any])
        #expect(
            Set(main.keys) == [
                "WebResourceData", "WebResourceURL", "WebResourceMIMEType", "WebResourceTextEncodingName",
                "WebResourceFrameName",
            ])
        #expect(main["WebResourceURL"] as? String == "http://a.example/")
        let frame = try #require((list["WebSubframeArchives"] as? [[String: Any]])?.first)
        // Empty lists and names that do not exist are left out.
        #expect(Set(frame.keys) == ["WebMainResource"])
        #expect(
            Set((frame["WebMainResource"] as? [String: Any] ?? [:]).keys)
                == ["WebResourceData", "WebResourceURL", "WebResourceMIMEType"])
    }

    @Test func isReadAsItWasWritten() throws {
        #expect(try WebArchive(propertyList: archive.propertyList()) == archive)
    }

    @Test(arguments: ["", "bplist00", "<plist></plist>", "not a property list"])
    func rubbishIsRefused(text: String) {
        #expect(throws: (any Error).self) { try WebArchive(propertyList: Data(text.utf8)) }
    }

    @Test func everyTruncationIsRefusedWithoutATrap() throws {
        let bytes = try archive.propertyList()
        for length in 0..<bytes.count {
            #expect(throws: (any Error).self) { try WebArchive(propertyList: bytes.prefix(length)) }
        }
    }

    @Test func requestsAreAnsweredByAddressWithoutFragment() {
        let answers = RequestAnswers(archive)
        #expect(answers.answer(to: "http://a.example/p.png#x")?.contentType == "image/png")
        #expect(answers.answer(to: "http://a.example/")?.contentType == "text/html; charset=UTF-8")
        #expect(answers.answer(to: "http://a.example/other") == nil)
        #expect(answers.unanswered == ["http://a.example/other"])
    }
}
