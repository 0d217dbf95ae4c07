public import Foundation

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

    /// Reads an archive.
    public init(from decoder: any Decoder) throws {
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
        self = try PropertyListDecoder().decode(WebArchive.self, from: data)
    }

    /// The content of a `.webarchive` file.
    public func propertyList() throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(self)
    }
}
