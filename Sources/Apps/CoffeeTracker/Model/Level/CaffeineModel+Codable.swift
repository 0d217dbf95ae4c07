@_exported public import CaffeineModel

// `Codable` for the values of CaffeineModel, which is Embedded Swift and has none.

extension CaffeineColour: Codable {}

extension LevelScale.Stop: Codable {
    private enum CodingKeys: String, CodingKey {
        case colour, milligrams, fraction
    }

    /// Decodes a stop.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            colour: try values.decode(CaffeineColour.self, forKey: .colour),
            milligrams: try values.decode(Double.self, forKey: .milligrams),
            fraction: try values.decode(Double.self, forKey: .fraction))
    }

    /// Encodes all properties.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(colour, forKey: .colour)
        try values.encode(milligrams, forKey: .milligrams)
        try values.encode(fraction, forKey: .fraction)
    }
}

extension CoffeeGroup: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, kilograms
    }

    /// Decodes a group; an unknown one counts as adults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let name = try values.decode(String.self, forKey: .name)
        let kilograms = name == "child" ? try values.decode(Double.self, forKey: .kilograms) : 0
        self = CoffeeGroup(name: name, kilograms: kilograms) ?? .adult
    }

    /// Encodes a group.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        if case .child(let kilograms) = self { try values.encode(kilograms, forKey: .kilograms) }
    }
}
