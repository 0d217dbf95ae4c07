public import Foundation
import Futures

/// A web page with all its resources, in the format of Safari's `.webarchive` files.
///
/// The file is a binary property list whose keys are those of WebKit's `LegacyWebArchive.cpp`. Resources are found by
/// their URL, which must match exactly, and frames by their name or URL.
public struct WebArchive: Hashable, Sendable {
    /// A document, style sheet, picture, font or script.
    public struct Resource: Hashable, Sendable {
        /// The content.
        public var data: Data
        /// The absolute URL.
        public var url: String
        /// The media type, such as `text/html`.
        public var mediaType: String
        /// The name of the character encoding, such as `UTF-8`; `nil` for binary content.
        public var textEncodingName: String?
        /// The name of the frame that shows a main resource: empty for the top frame, `nil` for a frame without a name.
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
    /// The resources of the document, without duplicate URLs.
    public var subresources: [Resource]
    /// The archives of the document's frames.
    public var subframes: [WebArchive]

    /// Creates an archive.
    public init(mainResource: Resource, subresources: [Resource] = [], subframes: [WebArchive] = []) {
        self.mainResource = mainResource
        self.subresources = subresources
        self.subframes = subframes
    }

    /// All resources of this archive and its frames, starting with the document.
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

    /// Decodes a resource; throws if the archive's resources are together far larger than its file.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.data = try container.decode(Data.self, forKey: .data)
        self.url = try container.decode(String.self, forKey: .url)
        self.mediaType = try container.decode(String.self, forKey: .mediaType)
        self.textEncodingName = try container.decodeIfPresent(String.self, forKey: .textEncodingName)
        self.frameName = try container.decodeIfPresent(String.self, forKey: .frameName)
        try DecodingBudget.of(decoder)?.spend(storedBytes)
    }

    /// The approximate memory use in bytes, including a constant for a resource without content.
    private var storedBytes: Int {
        let texts = [url, mediaType, textEncodingName ?? "", frameName ?? ""]
        return 256 + data.count + texts.reduce(0) { $0 + $1.utf8.count }
    }
}

extension WebArchive: Codable {
    private enum CodingKeys: String, CodingKey {
        case mainResource = "WebMainResource"
        case subresources = "WebSubresources"
        case subframes = "WebSubframeArchives"
    }

    /// The maximum nesting of frames, and their maximum number, in a decoded archive.
    ///
    /// Decoding recurses, so deep nesting would overflow the stack. Because an object of a property list can be
    /// referenced several times, a small file can contain 2ⁿ frames. Chromium opens at most 1,000 frames per page, and
    /// `JSONDecoder`, which decodes its frame tree, supports at most 255 levels.
    fileprivate static let maximumFrameDepth = 256
    fileprivate static let maximumFrames = 4_000

    /// Decodes an archive; throws if it has too many frames, or nests them too deeply.
    public init(from decoder: any Decoder) throws {
        let budget = DecodingBudget.of(decoder)
        // Without a budget, as with a decoder of another format, the coding path has two elements per frame: a key and
        // an index.
        guard budget != nil || decoder.codingPath.count / 2 <= Self.maximumFrameDepth else {
            throw DecodingBudget.tooManyFrames
        }
        try budget?.beginFrame()
        defer { budget?.endFrame() }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.mainResource = try container.decode(Resource.self, forKey: .mainResource)
        self.subresources = try container.decodeIfPresent([Resource].self, forKey: .subresources) ?? []
        self.subframes = try container.decodeIfPresent([WebArchive].self, forKey: .subframes) ?? []
    }

    /// Encodes an archive; leaves out empty lists, as WebKit does.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(mainResource, forKey: .mainResource)
        if !subresources.isEmpty { try container.encode(subresources, forKey: .subresources) }
        if !subframes.isEmpty { try container.encode(subframes, forKey: .subframes) }
    }
}

extension WebArchive {
    /// Decodes the content of a `.webarchive` file; throws `DecodingError` if it isn't valid.
    public init(propertyList data: Data) throws {
        // Archives are always binary. Foundation's XML parser recurses before a decoder can check the nesting.
        guard data.starts(with: Data("bplist".utf8)) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "The archive isn't a binary property list."))
        }
        let decoder = PropertyListDecoder()
        if let key = DecodingBudget.key { decoder.userInfo[key] = DecodingBudget(file: data.count) }
        self = try decoder.decode(WebArchive.self, from: data)
    }

    /// Encodes the content of a `.webarchive` file.
    public func propertyList() throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(self)
    }
}

/// The remaining budget for decoding an archive.
///
/// An object of a property list can be referenced several times, and is decoded for each reference.
private final class DecodingBudget: Sendable {
    private struct State {
        var frames = 0
        var depth = 0
        var bytes: Int
    }

    static let key = CodingUserInfoKey(rawValue: "meanwhile.webarchive.budget")

    private let state: Lock<State>

    /// - Parameter file: The size of the archive's file in bytes. The resources may be larger, because Safari stores
    ///   equal pictures of several frames once.
    init(file: Int) {
        let (product, isOverflowing) = file.multipliedReportingOverflow(by: 4)
        let (sum, isTooMuch) = product.addingReportingOverflow(64 << 20)
        state = Lock(State(bytes: isOverflowing || isTooMuch ? .max : sum))
    }

    static func of(_ decoder: any Decoder) -> DecodingBudget? {
        key.flatMap { decoder.userInfo[$0] as? DecodingBudget }
    }

    func beginFrame() throws {
        let isAllowed = state.withLock { state in
            state.frames += 1
            state.depth += 1
            return state.frames <= WebArchive.maximumFrames && state.depth <= WebArchive.maximumFrameDepth + 1
        }
        guard isAllowed else { throw Self.tooManyFrames }
    }

    func endFrame() {
        state.withLock { $0.depth -= 1 }
    }

    func spend(_ bytes: Int) throws {
        let isAllowed = state.withLock { state in
            state.bytes -= min(bytes, state.bytes)
            return state.bytes > 0
        }
        guard isAllowed else { throw Self.error("The archive's resources are far larger than its file.") }
    }

    static let tooManyFrames = error("The archive has too many frames, or nests them too deep.")

    private static func error(_ text: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: text))
    }
}
