extension HeaderBytes {
    /// Reads the image's header.
    func header() throws(HeaderStop) -> ImageHeader {
        guard let signature = try signature() else { return try markup() }
        switch signature.type {
        case .png: return try png()
        case .jpeg: return try jpeg()
        case .gif: return try gif()
        case .webP: return try webP()
        case .bmp: return try bmp()
        // AVIF, HEIC or video.
        case nil: return try isoMedia()
        case .text: throw .refused(.notAnImage("text in UTF-16", "Save it in UTF-8, if it is SVG."))
        case let type?: throw .refused(.unexpected(type))
        }
    }

    /// Returns the matching signature; `nil` if there is none, in which case the bytes may be SVG.
    private func signature() throws(HeaderStop) -> TypeSignature? {
        var needed: Int?
        for signature in TypeSignature.all {
            switch signature.matches(peek) {
            case true: return signature
            case false: break
            case nil: needed = min(needed ?? signature.bytes.count, signature.bytes.count)
            }
        }
        if let needed { throw .needs(needed) }
        return nil
    }
}

extension ImageError {
    /// The error for an image that browsers don't draw, or for other content.
    static func unexpected(_ type: SniffedType) -> ImageError {
        type.isImage ? .unsupported(type.name, advice(for: type)) : .notAnImage(type.name, advice(for: type))
    }

    private static func advice(for type: SniffedType) -> String {
        switch type {
        case .tiff: "Convert it to PNG, which loses nothing."
        case .heif: "Save it as JPEG; iPhones do that with Settings, Camera, Most Compatible."
        case .jpegXL: "Save it as JPEG or WebP."
        case .photoshop: "Export it as PNG or JPEG."
        case .icon: "Save the picture that you need as PNG."
        case .cursor: "Save it as PNG."
        case .pdf: "Save the page that you need as PNG."
        case .media: "If it is a video, save the frame that you need as PNG or JPEG."
        case .gzip: "Unpack it: an .svgz file contains an SVG image."
        case .zip, .rar: "Unpack it, and take the image out of it."
        case .html:
            "The address may be of a page that contains the image, or of an error page. Open it in a browser, and copy "
                + "the address of the image itself."
        case .nothing, .png, .jpeg, .gif, .webP, .avif, .bmp, .svg, .postScript, .xml, .json, .text, .font, .binary:
            "Check whether it is the right file."
        }
    }
}
