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

    /// The fault of a file; `nil` if its beginning and end are those of a PDF.
    static func problem(with pdf: Data) -> String? {
        guard pdf.starts(with: Data("%PDF-".utf8)) else { return "The file isn't a PDF." }
        let end = pdf.suffix(1_024)
        guard let mark = end.range(of: Data("%%EOF".utf8), options: .backwards) else {
            return "The PDF's end is missing."
        }
        let text = String(decoding: end[..<mark.lowerBound], as: UTF8.self)
        guard let start = text.range(of: "startxref", options: .backwards),
            let offset = Int(text[start.upperBound...].trimmingCharacters(in: .whitespacesAndNewlines)),
            (0..<pdf.count).contains(offset)
        else { return "The PDF's table of contents can't be found." }
        return pageCount(of: pdf) > 0 ? nil : "The PDF has no pages."
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
