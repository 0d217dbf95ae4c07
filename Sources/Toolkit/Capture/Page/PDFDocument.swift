import Foundation

/// Reads properties of a PDF that Chromium created.
enum PDFDocument {
    /// The number of pages.
    ///
    /// Chromium writes each page object uncompressed as `/Type /Page`; `/Type /Pages` is a node of the page tree.
    static func pageCount(of pdf: Data) -> Int {
        let mark = Data("/Type /Page".utf8)
        var count = 0
        var rest = pdf[...]
        while let found = rest.range(of: mark) {
            if found.upperBound == rest.endIndex || !isLetter(rest[found.upperBound]) { count += 1 }
            rest = rest[found.upperBound...]
        }
        return count
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
