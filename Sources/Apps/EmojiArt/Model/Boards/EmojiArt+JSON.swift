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
                    codingPath: decoder.codingPath, debugDescription: "It has neither an “address” nor a “picture”."))
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
                DecodingError.Context(codingPath: codingPath, debugDescription: "There is no “\(key.stringValue)”."))
        }
        return try decodeIfPresent(Background.self, forKey: key) ?? .blank
    }
}

extension OperationRefusal {
    /// A message about a whole board that has this fault.
    var boardMessage: String {
        switch self {
        case .gone: "It refers to an emoji that does not exist."
        case .exists: "Two of its emoji have the same ID."
        case .full: "There are more than \(BoardLimits.emojis) emoji."
        case .number: "One of its emoji is too far away, too large or too small, or has an invalid angle."
        case .text: "The text of an emoji is empty, longer than \(BoardLimits.emojiBytes) bytes, or cannot be shown."
        case .address: "The background's address does not begin with http:// or https://, or is too long."
        case .picture: "The background's picture is missing."
        }
    }
}
