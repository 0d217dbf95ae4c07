import Foundation
import Testing

@testable import EmojiArtWeb

/// Files that a form brings.
@Suite struct UploadedFileTests {
    @Test func aFileIsFoundAmongOtherFields() {
        let body = Self.body(
            "--x\r\nContent-Disposition: form-data; name=\"page\"\r\n\r\n2",
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a %22b%22.emojiart\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\n{\"a\":\r\n\r\n1}--x",
            "--x--\r\n")
        let file = UploadedFile(in: body, boundary: "x")
        #expect(file?.name == "a \"b\".emojiart")
        #expect(file?.data == Data("{\"a\":\r\n\r\n1}--x".utf8))
    }

    @Test(arguments: [
        "", "--x", "--x--\r\n", "--x\r\n\r\n--x--",
        "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--x--\r\n",
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\"\r\n\r\n\r\n--x--\r\n",
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\ncut off",
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\r\n\r\nb\r\n--x--\r\n",
    ])
    func whatIsNoFileIsNone(body: String) {
        #expect(UploadedFile(in: Data(body.utf8), boundary: "x") == nil)
    }

    @Test func anEmptyFileIsOne() {
        let body = "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.json\"\r\n\r\n\r\n--x--\r\n"
        #expect(UploadedFile(in: Data(body.utf8), boundary: "x")?.data == Data())
    }

    @Test(arguments: [
        ("multipart/form-data; boundary=x", "x"), ("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\"", "a b"),
        ("multipart/form-data", nil), ("multipart/form-data; boundary=", nil), ("application/json; boundary=x", nil),
        ("multipart/form-data; boundary=\(String(repeating: "x", count: 71))", nil), ("", nil),
    ])
    func theBoundaryIsInTheType(type: String, boundary: String?) {
        #expect(UploadedFile.boundary(in: type) == boundary)
    }

    private static func body(_ parts: String...) -> Data { Data(parts.joined(separator: "\r\n").utf8) }
}
