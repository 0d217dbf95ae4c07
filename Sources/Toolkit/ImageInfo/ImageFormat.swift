/// An image format that browsers can draw.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    /// Portable Network Graphics.
    case png
    /// JPEG.
    case jpeg
    /// Graphics Interchange Format.
    case gif
    /// WebP.
    case webP
    /// AV1 Image File Format.
    case avif
    /// Windows bitmap.
    case bmp
    /// Scalable Vector Graphics, which may contain scripts: see ``isActive``.
    case svg
}

extension ImageFormat {
    /// The media type to serve it as.
    public var mediaType: String {
        switch self {
        case .png: "image/png"
        case .jpeg: "image/jpeg"
        case .gif: "image/gif"
        case .webP: "image/webp"
        case .avif: "image/avif"
        case .bmp: "image/bmp"
        case .svg: "image/svg+xml"
        }
    }

    /// Whether the format can contain links, and scripts, which a browser runs when it opens the image's URL unless the
    /// response forbids it.
    ///
    /// In `<img>` and in CSS, browsers run no scripts of an image and load nothing for it. Never embed it in a page's
    /// own markup, nor in `<object>`, `<embed>` or a frame without a sandbox, and serve it only with
    /// ``headersForUntrustedImages``.
    public var isActive: Bool {
        switch self {
        case .svg: true
        case .png, .jpeg, .gif, .webP, .avif, .bmp: false
        }
    }

    /// The header fields with which an untrusted image must be served, including its type.
    ///
    /// The policy allows no scripts, no fetches and no form submissions, however the image is opened: `sandbox` gives it
    /// an opaque origin (https://www.w3.org/TR/CSP3/#directive-sandbox). `nosniff` keeps browsers from treating the
    /// response as a page (https://fetch.spec.whatwg.org/#x-content-type-options-header). The fields are the same for
    /// all formats, so that none is forgotten.
    public var headersForUntrustedImages: [(name: String, value: String)] {
        [
            ("Content-Type", mediaType),
            ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"),
            ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
    }
}
