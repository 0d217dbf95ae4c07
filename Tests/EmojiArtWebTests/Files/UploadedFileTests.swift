import Foundation
import Multipart
import Testing

@testable import EmojiArtReading

/// Files in the body of a multipart form.
@Suite struct UploadedFileTests {
    @Test func fileIsFoundAmongOtherFields() {
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
    func bodyWithoutFileReturnsNil(body: String) {
        #expect(UploadedFile(in: Data(body.utf8), boundary: "x") == nil)
    }

    @Test func emptyFileIsAccepted() {
        let body = "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.json\"\r\n\r\n\r\n--x--\r\n"
        #expect(UploadedFile(in: Data(body.utf8), boundary: "x")?.data == Data())
    }

    @Test func fileAfterTooManyPartsIsIgnored() {
        let field = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb"
        let file = "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.json\"\r\n\r\n{}"
        func upload(after count: Int) -> UploadedFile? {
            let body = (Array(repeating: field, count: count) + [file, "--x--\r\n"]).joined(separator: "\r\n")
            return UploadedFile(in: Data(body.utf8), boundary: "x")
        }
        #expect(upload(after: 10)?.data == Data("{}".utf8))
        #expect(upload(after: 1_000) == nil)
    }

    /// An earlier parser took quadratic time for these: four seconds for 1 MB, over an hour for the allowed 40 MB.
    @Test(arguments: [
        ("-", "---", "\r\n---"), ("a", "--a", "\r\n--a"), ("a", "--a", "\r\n\r\n\r\n--a"), ("a", "--a", "\r\n-"),
        (String(repeating: "-", count: 69) + "x", "", "-"), ("a", "--a", "\r\n\r"), ("a", "--a\r\n", "b\n"),
    ])
    func bodyOfRepeatedBoundariesIsRefused(boundary: String, start: String, repeated: String) {
        let count = 4_000_000 / repeated.utf8.count
        let body = Data((start + String(repeating: repeated, count: count)).utf8)
        #expect(UploadedFile(in: body, boundary: boundary) == nil)
    }

    @Test func partWithOverlongHeadIsIgnored() {
        func upload(padding: Int) -> UploadedFile? {
            let head = "X: \(String(repeating: "x", count: padding))\r\nContent-Disposition: form-data; filename=\"a\""
            return UploadedFile(in: Data("--x\r\n\(head)\r\n\r\n{}\r\n--x--\r\n".utf8), boundary: "x")
        }
        #expect(upload(padding: 1_000)?.data == Data("{}".utf8))
        #expect(upload(padding: 20_000) == nil)
    }

    @Test(arguments: [
        ("multipart/form-data; boundary=x", "x"), ("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\"", "a b"),
        ("multipart/form-data", nil), ("multipart/form-data; boundary=", nil), ("application/json; boundary=x", nil),
        ("multipart/form-data; boundary=\(String(repeating: "x", count: 71))", nil), ("", nil),
    ])
    func boundaryIsReadFromContentType(type: String, boundary: String?) {
        #expect(MultipartForm.boundary(in: type) == boundary)
    }

    private static func body(_ parts: String...) -> Data { Data(parts.joined(separator: "\r\n").utf8) }
}
