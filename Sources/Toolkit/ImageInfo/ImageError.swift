/// The error for bytes that aren't an image that browsers can show.
///
/// ``description`` is for people: what happened, to what, and what to do now.
public struct ImageError: Error, Sendable, Hashable, Codable {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, Codable, CustomStringConvertible {
        private let kind: String

        /// The code's name, stable across versions.
        public var description: String { kind }

        /// The bytes are something else, such as a page: ``ImageError/found`` says what.
        public static let notAnImage = Code(kind: "notAnImage")
        /// The image has a format that browsers don't draw: ``ImageError/found`` says which.
        public static let unsupported = Code(kind: "unsupported")
        /// The bytes end before the part that states the image's size.
        public static let truncated = Code(kind: "truncated")
        /// The image violates its format.
        public static let damaged = Code(kind: "damaged")
        /// The image has more pixels than allowed, or its header has more bytes than allowed.
        public static let tooLarge = Code(kind: "tooLarge")
    }

    /// The kind of failure.
    public var code: Code
    /// What happened, to what, and what to do now.
    public var message: String
    /// The type of the bytes, with its article: “an HTML page”.
    public var found: String

    /// Creates an error.
    public init(_ code: Code, _ message: String, found: String) {
        self.code = code
        self.message = message
        self.found = found
    }
}

extension ImageError {
    static func notAnImage(_ found: String, _ advice: String) -> ImageError {
        ImageError(.notAnImage, "This is not an image but \(found). \(advice)", found: found)
    }

    static func unsupported(_ found: String, _ advice: String) -> ImageError {
        ImageError(.unsupported, "This is \(found), which browsers do not draw. \(advice)", found: found)
    }

    static func damaged(_ found: String, _ reason: String) -> ImageError {
        ImageError(
            .damaged,
            "This looks like \(found), but \(reason). Fetch it again, or save it again in the program that made it.",
            found: found)
    }
}

extension ImageError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
