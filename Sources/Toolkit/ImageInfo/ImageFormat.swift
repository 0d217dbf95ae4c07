/// A format of images that browsers draw.
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
    /// Scalable Vector Graphics, a document with a life of its own: see ``isActive``.
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

    /// Whether it can hold scripts and links: a browser that opens its address runs them, unless the response forbids it.
    ///
    /// In `<img>` and in CSS a browser runs none of it, and fetches nothing for it. Never put it into a page's own markup,
    /// nor into `<object>`, `<embed>` or a frame without a sandbox, and serve it with ``headersFromOutside`` only.
    public var isActive: Bool {
        switch self {
        case .svg: true
        case .png, .jpeg, .gif, .webP, .avif, .bmp: false
        }
    }

    /// The header fields that an image from outside must be served with, its type among them.
    ///
    /// The policy lets no script run, nothing be fetched and no form be sent, whatever opens it: `sandbox` gives it an origin
    /// of its own that nothing belongs to
    /// (https://www.w3.org/TR/CSP3/#directive-sandbox). `nosniff` keeps what only looks like an image from being taken for a
    /// page (https://fetch.spec.whatwg.org/#x-content-type-options-header). They are the same for all formats, so that none
    /// is forgotten.
    public var headersFromOutside: [(name: String, value: String)] {
        [
            ("Content-Type", mediaType),
            ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"),
            ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
    }
}
