/// Chance that is the same for each seed: SplitMix64, by Steele, Lea and Flood (2014).
///
/// Not the system's, of which nobody sees the same numbers twice; and whose generator is an empty value, at whose address in
/// an `inout` parameter the thread sanitizer ends.
package struct SeededChance: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: some BinaryInteger) {
        state = UInt64(truncatingIfNeeded: seed)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
