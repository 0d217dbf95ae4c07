import Foundation

/// What needs to be known of a PDF that Chromium has made.
enum PDFDocument {
    /// How many pages it has.
    ///
    /// Chromium writes page objects plainly, one `/Type /Page` each; `/Type /Pages` is the tree above them.
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
