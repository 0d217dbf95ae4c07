package import Hummingbird
import NIOCore

/// A file of the program whose path has no version, so that browsers ask each time whether it has changed.
package struct UnversionedFile: Sendable {
    private let type: String
    private let tag: EntityTag
    private let content: ByteBuffer

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - type: The media type.
    package init(_ bytes: [UInt8], type: String) {
        (self.type, tag, content) = (type, EntityTag(of: bytes), ByteBuffer(bytes: bytes))
    }

    /// Creates a service worker from its script.
    package init(serviceWorker script: [UInt8]) {
        self.init(script, type: "text/javascript; charset=utf-8")
    }

    /// The response to a request for the file.
    package func response(to request: Request) -> Response {
        tag.response(to: request, headers: [.contentType: type, .cacheControl: "no-cache"], body: content)
    }
}
