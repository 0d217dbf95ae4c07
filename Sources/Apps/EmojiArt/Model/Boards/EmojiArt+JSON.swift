// The JSON of a board and its background, in snapshots and on the wire.

extension Background: Codable {
    fileprivate enum Keys: String, CodingKey {
        case address, picture
    }

    /// Decodes `null`, or an object with an `address` or a `picture`.
    public init(from decoder: any Decoder) throws {
        if try decoder.singleValueContainer().decodeNil() {
            self = .blank
            return
        }
        let container = try decoder.container(keyedBy: Keys.self)
        if let picture = try container.decodeIfPresent(PictureID.self, forKey: .picture) {
            self = .picture(picture)
        } else if let address = try container.decodeIfPresent(String.self, forKey: .address) {
            self = .address(address)
        } else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: ArtWords.noAddressOrPicture))
        }
    }

    /// Encodes `null`, or an object with an `address` or a `picture`.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .blank:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .address(let address):
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(address, forKey: .address)
        case .picture(let picture):
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(picture, forKey: .picture)
        }
    }
}

extension KeyedDecodingContainer {
    /// Decodes a background whose key must be present, even if its value is `null`: a decoder may treat `null` as
    /// missing.
    func background(forKey key: Key) throws -> Background {
        guard contains(key) else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(codingPath: codingPath, debugDescription: ArtWords.has(no: key.stringValue)))
        }
        return try decodeIfPresent(Background.self, forKey: key) ?? .blank
    }
}

extension OperationRefusal {
    /// A message about a whole board that has this fault.
    var boardMessage: String {
        switch self {
        case .gone: ArtWords.unknownEmoji
        case .exists: ArtWords.equalIDs
        case .full: ArtWords.hasMoreEmoji(than: BoardLimits.emojis)
        case .number: ArtWords.numberOutOfRange
        case .text: ArtWords.textOutOfRange(limit: BoardLimits.emojiBytes)
        case .address: ArtWords.addressOutOfRange
        case .picture: ArtWords.pictureMissing
        }
    }
}

extension EmojiArt: Codable {
    private enum CodingKeys: String, CodingKey {
        case background, emojis
    }

    /// Decodes a board, and validates it against ``BoardLimits``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let background = try container.background(forKey: .background)
        let emojis = try container.decode([Emoji].self, forKey: .emojis)
        do throws(OperationRefusal) {
            try self.init(background: background, emojis: emojis)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.boardMessage))
        }
    }

    /// Encodes the background, and the emoji from the back to the front.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(background, forKey: .background)
        try container.encode(emojis, forKey: .emojis)
    }
}
