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

    /// Reads a resource; throws if the resources of an archive are together far larger than its file.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.data = try container.decode(Data.self, forKey: .data)
        self.url = try container.decode(String.self, forKey: .url)
        self.mediaType = try container.decode(String.self, forKey: .mediaType)
        self.textEncodingName = try container.decodeIfPresent(String.self, forKey: .textEncodingName)
        self.frameName = try container.decodeIfPresent(String.self, forKey: .frameName)
        try DecodingBudget.of(decoder)?.spend(storedBytes)
    }

    /// About how much memory it takes, in bytes; one without content takes some too.
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

    /// How deep frames may be nested, and how many there may be in an archive that is read.
    ///
    /// Decoding recurses, so that deep nesting overflows the stack; and an object of a property list may stand in many places,
    /// so that a small file can have 2ⁿ frames. Chromium opens at most 1,000 frames in a page, and `JSONDecoder`, which
    /// reads its frame tree, at most 255 levels of them.
    fileprivate static let deepestFrame = 256
    fileprivate static let mostFrames = 4_000

    /// Reads an archive; throws if there are too many frames, or they are nested too deep.
    public init(from decoder: any Decoder) throws {
        let budget = DecodingBudget.of(decoder)
        // Without a budget, as by a decoder of another format, the path has each frame's list's name and its place in it.
        guard budget != nil || decoder.codingPath.count / 2 <= Self.deepestFrame else {
            throw DecodingBudget.tooManyFrames
        }
        try budget?.beginFrame()
        defer { budget?.endFrame() }
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
    /// Reads a `.webarchive` file's content; throws `DecodingError` if it is none.
    public init(propertyList data: Data) throws {
        // Archives are binary. Foundation's reader of XML recurses before a decoder sees anything.
        guard data.starts(with: Data("bplist".utf8)) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "The archive is not a binary property list."))
        }
        let decoder = PropertyListDecoder()
        if let key = DecodingBudget.key { decoder.userInfo[key] = DecodingBudget(file: data.count) }
        self = try decoder.decode(WebArchive.self, from: data)
    }

    /// The content of a `.webarchive` file.
    public func propertyList() throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(self)
    }
}

/// What may still be read of one archive.
///
/// An object of a property list may stand in many places, and is decoded anew for each.
private final class DecodingBudget: Sendable {
    private struct State {
        var frames = 0
        var depth = 0
        var bytes: Int
    }

    static let key = CodingUserInfoKey(rawValue: "meanwhile.webarchive.budget")

    private let state: Lock<State>

    /// - Parameter file: The length of the archive's file, in bytes.
    ///
    /// Safari writes equal pictures of several frames once, so that the resources may be larger than the file.
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
            return state.frames <= WebArchive.mostFrames && state.depth <= WebArchive.deepestFrame + 1
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
