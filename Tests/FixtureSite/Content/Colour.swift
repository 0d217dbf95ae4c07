/// An opaque colour, eight bits a channel.
package struct Colour: Hashable, Sendable {
    /// The red channel, 0…255.
    package let red: UInt8
    /// The green channel, 0…255.
    package let green: UInt8
    /// The blue channel, 0…255.
    package let blue: UInt8

    /// A unique colour for each number from 0 to 2²⁴ − 1.
    ///
    /// Multiplication by an odd number permutes the values of 24 bits; this one is 2²⁴ divided by the golden ratio,
    /// which keeps neighbours far apart.
    init(number: Int) {
        let bits = UInt32(truncatingIfNeeded: number &+ 1) &* 0x9E3779
        self.red = UInt8(truncatingIfNeeded: bits >> 16)
        self.green = UInt8(truncatingIfNeeded: bits >> 8)
        self.blue = UInt8(truncatingIfNeeded: bits)
    }

    /// The colour of a name: FNV-1a of its bytes.
    ///
    /// http://www.isthe.com/chongo/tech/comp/fnv/
    init(name: String) {
        let hash = name.utf8.reduce(UInt32(0x811C_9DC5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        self.red = UInt8(truncatingIfNeeded: hash >> 16)
        self.green = UInt8(truncatingIfNeeded: hash >> 8)
        self.blue = UInt8(truncatingIfNeeded: hash)
    }
}
