public import Foundation
import Futures

/// A web page with everything it is made of, as Safari keeps it in a `.webarchive`.
///
/// The format is a binary property list; its keys and their meaning are those of WebKit's `LegacyWebArchive.cpp`.
/// What is in it is found by its address, character by character, and frames by their name or address.
public struct WebArchive: Hashable, Sendable {
    /// A document, style sheet, picture, font or script.
    public struct Resource: Hashable, Sendable {
        /// The bytes.
        public var data: Data
        /// The absolute address.
        public var url: String
        /// The media type, such as `text/html`.
        public var mediaType: String
        /// The character encoding's name, such as `UTF-8`; `nil` for what is not text.
        public var textEncodingName: String?
        /// The name of the frame that a main resource is shown in: empty at the top, `nil` in a frame without one.
        public var frameName: String?

        /// Creates a resource.
        public init(
            data: Data, url: String, mediaType: String, textEncodingName: String? = nil, frameName: String? = nil
        ) {
            self.data = data
            self.url = url
            self.mediaType = mediaType
            self.textEncodingName = textEncodingName
            self.frameName = frameName
        }
    }

    /// The document.
    public var mainResource: Resource
    /// What the document is made of, each address once.
    public var subresources: [Resource]
    /// The frames in it.
    public var subframes: [WebArchive]

    /// Creates an archive.
    public init(mainResource: Resource, subresources: [Resource] = [], subframes: [WebArchive] = []) {
        self.mainResource = mainResource
        self.subresources = subresources
        self.subframes = subframes
    }

    /// Everything in it, frames included, the document first.
    public var allResources: [Resource] {
        [mainResource] + subresources + subframes.flatMap(\.allResources)
    }
}

extension WebArchive.Resource: Codable {
    private enum CodingKeys: String, CodingKey {
        case data = "WebResourceData"
        case url = "WebResourceURL"
        case mediaType = "WebResourceMIMEType"
        case textEncodingName = "WebResourceTextEncodingName"
        case frameName = "WebResourceFrameName"
    }
}

extension WebArchive: Codable {
    private enum CodingKeys: String, CodingKey {
        case mainResource = "WebMainResource"
        case subresources = "WebSubresources"
        case subframes = "WebSubframeArchives"
    }

    /// How deep frames may be nested, and how many there may be in an archive that is read.
    ///
    /// Decoding recurses, so that deep nesting overflows the stack; and an object of a property list may stand in many places,
    /// so that a small file can have 2ⁿ frames. Chromium opens at most 1,000 frames in a page, and `JSONDecoder`, which
    /// reads its frame tree, at most 255 levels of them.
    private static let deepestFrame = 256
    private static let mostFrames = 4_000

    private static let countKey = CodingUserInfoKey(rawValue: "meanwhile.webarchive.count")

    /// Reads an archive.
    ///
    /// - Parameter decoder: Where it is read from.
    /// - Throws: `DecodingError`, also where frames are nested too deep or there are too many of them.
    public init(from decoder: any Decoder) throws {
        let count = Self.countKey.flatMap { decoder.userInfo[$0] as? FrameCount }
        // Of each frame the path has its list's name and its place in it.
        guard decoder.codingPath.count / 2 <= Self.deepestFrame, count?.next() ?? 0 <= Self.mostFrames else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "The archive has too many frames, or nests them too deep."))
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.mainResource = try container.decode(Resource.self, forKey: .mainResource)
        self.subresources = try container.decodeIfPresent([Resource].self, forKey: .subresources) ?? []
        self.subframes = try container.decodeIfPresent([WebArchive].self, forKey: .subframes) ?? []
    }

    /// Writes an archive; lists that are empty are left out, as WebKit does.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(mainResource, forKey: .mainResource)
        if !subresources.isEmpty { try container.encode(subresources, forKey: .subresources) }
        if !subframes.isEmpty { try container.encode(subframes, forKey: .subframes) }
    }
}

extension WebArchive {
    /// Reads a `.webarchive` file's content.
    ///
    /// - Throws: `DecodingError` if it is not a web archive.
    public init(propertyList data: Data) throws {
        // Archives are binary. Foundation's reader of XML recurses before a decoder sees anything.
        guard data.starts(with: Data("bplist".utf8)) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "The archive is not a binary property list."))
        }
        let decoder = PropertyListDecoder()
        if let key = Self.countKey { decoder.userInfo[key] = FrameCount() }
        self = try decoder.decode(WebArchive.self, from: data)
    }

    /// The content of a `.webarchive` file.
    public func propertyList() throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(self)
    }
}

/// Counts the frames of one archive that is being read.
private final class FrameCount: Sendable {
    private let count = Lock(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
