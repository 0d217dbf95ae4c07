import Capture
import Foundation
import Testing

@Suite struct WebAddressTests {
    @Test(arguments: [
        "https://example.org/", "http://127.0.0.1:8080/a?b=c#d", "HTTP://EXAMPLE.ORG", "http://[::1]:80/",
        "https://user:secret@example.org/", "https://example.org/%D1%8E", "file:///etc/passwd", "chrome://version",
    ])
    func validAddressesAreAcceptedUnchanged(text: String) throws {
        #expect(try WebAddress.parse(text).absoluteString == text)
    }

    @Test(arguments: ["https://bücher.example/", "https://example.org/日本語?q=ü"])
    func addressesInAnyScriptAreAccepted(text: String) throws {
        let url = try WebAddress.parse(text)
        #expect(url.scheme == "https")
        #expect(url.absoluteString.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func whitespaceAroundAnAddressIsRemoved() throws {
        #expect(try WebAddress.parse(" \thttps://example.org/\r\n").absoluteString == "https://example.org/")
    }

    @Test(arguments: ["example.org", "example.org/page", "example.org:8080/", "localhost", "localhost:8080"])
    func addressWithoutASchemeIsRefusedWithASuggestion(text: String) {
        let error = refusal(of: text)
        #expect(error?.code == .invalidAddress)
        #expect(error?.message.contains("Did you mean https://\(text) ?") == true)
    }

    @Test(arguments: ["banana", "/etc/passwd", "", " ", "://", ":80", "?q", "-"])
    func invalidAddressIsRefusedWithAnExample(text: String) {
        let error = refusal(of: text)
        #expect(error?.code == .invalidAddress)
        #expect(error?.message.contains("Did you mean") == false)
        #expect(error.map { $0.message.contains("https://example.org") || $0.message.contains("empty") } == true)
    }

    @Test(arguments: ["https://example.org/a b", "https://exa\tmple.org/", "two words", "https://example.org/\u{1}x"])
    func anAddressWithSpaceOrControlCharactersInItIsRefused(text: String) {
        #expect(refusal(of: text)?.message.contains("contains spaces") == true)
    }

    @Test func suggestionDoesNotDoubleLeadingSlashes() {
        #expect(refusal(of: "//example.org/page")?.message.contains("https:////") == false)
    }

    @Test(arguments: [
        ("example.org", "https://example.org"), ("example.org:8080/a", "https://example.org:8080/a"),
        ("//example.org/", "https://example.org/"), ("localhost:8080", "http://localhost:8080"),
        ("127.0.0.1/a?b", "http://127.0.0.1/a?b"),
    ])
    func missingSchemeIsAddedOnRequest(text: String, whole: String) throws {
        #expect(try WebAddress.parse(text, isCompleted: true).absoluteString == whole)
    }

    @Test(arguments: ["nonsense", "two words.org", "", "//"])
    func invalidAddressIsNotCompleted(text: String) {
        #expect(throws: CaptureError.self) { try WebAddress.parse(text, isCompleted: true) }
    }

    @Test func tooLongAddressIsRefusedWithAShortMessage() {
        let error = refusal(of: "https://example.org/" + String(repeating: "a", count: 10_000_000))
        #expect(error?.message.contains("it has 10000020 bytes") == true)
        #expect((error?.message.count ?? 0) < 200)
    }

    @Test(arguments: [1_000, 1_900_000])
    func longAddressIsShortenedToItsBeginningAndEnd(length: Int) {
        let shown = WebAddress.shortened("https://example.org/" + String(repeating: "a", count: length) + "/end")
        #expect(shown.hasPrefix("https://example.org/aaa"))
        #expect(shown.hasSuffix("aaa/end"))
        #expect(shown.count < 300)
    }

    private func refusal(of text: String) -> CaptureError? {
        do throws(CaptureError) {
            _ = try WebAddress.parse(text)
            return nil
        } catch {
            return error
        }
    }
}
