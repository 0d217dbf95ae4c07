import Digests
import Foundation
import Testing

@Suite struct XXH64Tests {
    /// Known hashes of these texts, from the specification's tests and from `xxhsum`.
    @Test(arguments: [
        ("", 0xEF46_DB37_51D8_E999 as UInt64), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
        ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ])
    func textsHaveTheirKnownHashes(text: String, hash: UInt64) {
        #expect(XXH64.hash(Data(text.utf8)) == hash)
        #expect(XXH64.hash(text.utf8) == hash)
        #expect(XXH64.hash(text.utf8.reversed().reversed() as [UInt8]) == hash)
    }

    @Test func everyBitChangesTheHash() {
        for count in [1, 3, 4, 7, 8, 12, 31, 32, 33, 63, 64, 100] {
            let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) })
            let hash = XXH64.hash(data)
            for bit in 0..<(count * 8) {
                var other = data
                other[bit / 8] ^= 1 << (bit % 8)
                #expect(XXH64.hash(other) != hash, "bit \(bit) of \(count) bytes")
            }
            #expect(XXH64.hash(data + [0]) != hash)
        }
    }

    @Test func aSliceHasTheHashOfItsBytesAlone() {
        let data = Data((0..<100).map { UInt8($0) })
        #expect(XXH64.hash(data[10..<60]) == XXH64.hash(Data(data[10..<60])))
    }

    @Test func bytesAddedInPartsHaveTheHashOfTheWhole() {
        let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let whole = XXH64.hash(bytes)
        for first in 0...bytes.count {
            for length in [0, 1, 7, 31, 32, 33, 64] {
                let second = min(bytes.count, first + length)
                var hash = XXH64()
                hash.add(bytes[..<first])
                hash.add(bytes[first..<second])
                hash.add(bytes[second...])
                #expect(hash.value == whole, "\(first), \(second)")
            }
        }
    }

    @Test func textHashDependsOnWhereThePartsEnd() {
        var (one, other) = (XXH64(), XXH64())
        one.add("ab")
        one.add("c")
        other.add("a")
        other.add("bc")
        #expect(one != other)
        #expect(one.value != other.value)
    }

    @Test func numberIsHashedAsItsEightBytes() {
        var (one, other) = (XXH64(), XXH64())
        one.add(0x0102_0304_0506_0708)
        other.add([8, 7, 6, 5, 4, 3, 2, 1])
        #expect(one == other)
    }

    @Test func hexadecimalHasTwoDigitsForEachByte() {
        #expect(([0, 9, 10, 0x5f, 255] as [UInt8]).hexadecimal == "00090a5fff")
        #expect(String.randomHexadecimal(bytes: 16).utf8.count == 32)
        #expect(String.randomHexadecimal(bytes: 16) != String.randomHexadecimal(bytes: 16))
    }
}
