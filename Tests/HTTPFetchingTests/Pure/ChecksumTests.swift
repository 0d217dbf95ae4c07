import Foundation
import Testing

@testable import HTTPFetching

@Suite struct ChecksumTests {
    /// From the specification's own tests, and from the `xxhsum` of others: the empty one, and those of these texts.
    @Test(arguments: [
        ("", 0xEF46_DB37_51D8_E999 as UInt64), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
        ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ])
    func knownOnes(text: String, checksum: UInt64) {
        #expect(Checksum64.of(Data(text.utf8)) == checksum)
    }

    @Test func everyBitMatters() {
        for count in [1, 3, 4, 7, 8, 12, 31, 32, 33, 63, 64, 100] {
            let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) })
            let checksum = Checksum64.of(data)
            for bit in 0..<(count * 8) {
                var other = data
                other[bit / 8] ^= 1 << (bit % 8)
                #expect(Checksum64.of(other) != checksum, "bit \(bit) of \(count) bytes")
            }
            #expect(Checksum64.of(data + [0]) != checksum)
        }
    }

    @Test func aSliceIsWhatItShows() {
        let data = Data((0..<100).map { UInt8($0) })
        #expect(Checksum64.of(data[10..<60]) == Checksum64.of(Data(data[10..<60])))
    }
}
