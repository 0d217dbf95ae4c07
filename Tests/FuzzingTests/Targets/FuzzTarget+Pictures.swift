import Foundation

@testable import EmojiArtModel
@testable import EmojiArtReading
@testable import ImageInfo

extension FuzzTarget {
    /// Image headers, whole and in pieces, and the check of the data after them.
    static let imageHeaders = FuzzTarget(
        "image-headers", maximumLength: 2_048,
        dictionary: [
            "IHDR", "IDAT", "IEND", "GIF89a", "RIFF", "WEBP", "VP8 ", "VP8L", "VP8X", "ANMF", "ftyp", "avif", "meta",
            "pitm", "iprp", "ipco", "ipma", "ispe", "irot", "mdat", "idat", "Exif", "<svg ", "viewBox=\"", "width=\"",
            "height=\"", "<!DOCTYPE ", "<!--", "-->", "<?xml ", "?>", "1e999", "%", "em",
        ]
    ) { data in
        let limits = ImageLimits(maximumPixels: 64_000_000)
        let whole: ImageHeader?
        do throws(ImageError) {
            whole = try ImageHeader(data, limits: limits)
        } catch {
            try require(!error.message.isEmpty && !error.found.isEmpty, "an error has no message")
            whole = nil
        }
        if let whole { try check(whole, limits) }
        // Each piece is read from the beginning.
        if data.count <= 8_192 { try checkPieces(of: data, whole, limits) }
        _ = SniffedType(sniffing: data)
        if let picture = try? CheckedPicture(data) {
            try require(whole?.format.mediaType == picture.picture.type, "a picture is of another type than its header")
        }
    }

    private static func check(_ header: ImageHeader, _ limits: ImageLimits) throws {
        try require(header.width > 0 && header.height > 0, "\(header) is empty")
        try require((1...8).contains(header.orientation), "\(header) has an invalid orientation")
        guard header.format != .svg else { return }
        let (pixels, overflows) = header.width.multipliedReportingOverflow(by: header.height)
        try require(!overflows && pixels <= limits.maximumPixels, "\(header) has too many pixels")
    }

    /// Checks that reading advances with each piece, and ends with the result for the whole.
    private static func checkPieces(of data: Data, _ whole: ImageHeader?, _ limits: ImageLimits) throws {
        var count = 0
        for _ in 0..<(data.count + 2) {
            let beginning = data.prefix(count)
            let reading = Result { () throws(ImageError) in
                try ImageHeader.read(beginning, isComplete: false, limits: limits)
            }
            switch reading {
            case .success(.header(let header)):
                return try require(header == whole, "the pieces give \(header), but the whole does not")
            case .success(.needs(let needed)):
                try require(needed > count, "\(needed) bytes are requested, but \(count) are available")
                try require(needed <= limits.maximumHeaderBytes, "\(needed) bytes are requested")
                guard needed <= data.count else {
                    // The signature of up to 12 bytes is requested as a whole: a shorter SVG is recognised only at its
                    // end.
                    return try require(whole == nil || needed <= 12, "more bytes are requested than needed")
                }
                count = needed
            case .failure:
                return try require(whole == nil, "a piece is refused, but the whole is not")
            }
        }
        throw BrokenInvariant(description: "The parser requests more bytes without end.")
    }

    /// The screening of SVG, compared with a strict parser: anything that a browser would run must be found.
    static let svgScreening = FuzzTarget(
        "svg-screening",
        dictionary: [
            "<svg xmlns=\"http://www.w3.org/2000/svg\">", "xmlns:xlink=\"http://www.w3.org/1999/xlink\"",
            "xlink:href=\"", "&#x0000000000006a;", "&colon;", "&Tab;", "&NewLine;", "\"-//W3C//DTD XHTML 1.1//EN\"",
            "<script", "<a:script", "onload=\"", "javascript:", "java&#115;cript:", "&#x6a;", "<!DOCTYPE svg [", "]>",
            "<!ENTITY ", "<!ATTLIST ", "SYSTEM ", "PUBLIC ", "<![CDATA[", "]]>", "<!--", "-->", "<?xml version=\"1.0\"",
            "encoding=\"utf-8\"", "<?xml-stylesheet", "<set attributeName=\"", "<animate ", "values=\"", "to=\"",
            "<foreignObject>", "<iframe", "xmlns=\"http://www.w3.org/1999/xhtml\"", "<handler", "&a;", "%a;",
            "\"-//W3C//DTD XHTML 1.1//EN\"", "&colon;", "&Tab;",
        ]
    ) { data in
        guard SVGScripts.first(in: data) == nil, let text = String(validating: data, as: UTF8.self),
            case .svg? = try? CheckedPicture(data).format
        else { return }
        let danger = SVGReference(text).danger
        try require(danger == nil, "the screening misses \(danger ?? "")")
    }
}

extension CheckedPicture {
    fileprivate var format: ImageFormat? { ImageFormat.allCases.first { $0.mediaType == picture.type } }
}
