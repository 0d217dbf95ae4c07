/// The hash XXH64, which detects accidental changes of bytes at the speed of reading them.
///
/// Unlike `Hasher`, it is the same in every process and on every machine. It depends only on the bytes, not on how they
/// were split between calls. It doesn't resist attackers who search for collisions: use SHA-256 against them.
///
/// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md, with the seed 0
package struct XXH64: Equatable, Sendable {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5
    private static let stripe = 32

    private var lanes = (prime1 &+ prime2, prime2, UInt64(0), 0 &- prime1)
    /// The last `count % 32` bytes, which don't fill a stripe yet.
    private var pending: [UInt8] = []
    private var count = 0

    /// Creates the hash of no bytes.
    package init() {
        pending.reserveCapacity(Self.stripe)
    }

    /// Returns the hash of some bytes.
    package static func hash(_ bytes: some Collection<UInt8>) -> UInt64 {
        var hash = XXH64()
        hash.add(bytes)
        return hash.value
    }

    /// Appends bytes.
    package mutating func add(_ bytes: some Collection<UInt8>) {
        let isAdded: Void? = bytes.withContiguousStorageIfAvailable { add(UnsafeRawBufferPointer($0)) }
        if isAdded == nil { Array(bytes).withUnsafeBytes { add($0) } }
    }

    /// Appends a number as eight bytes, in little-endian order.
    package mutating func add(_ number: Int) {
        withUnsafeBytes(of: Int64(number).littleEndian) { add($0) }
    }

    /// Appends a text, and a byte that no text contains, so that "ab" and "c" differ from "a" and "bc".
    package mutating func add(_ text: String) {
        add(text.utf8)
        add(CollectionOfOne(0xff))
    }

    /// The hash of all bytes so far.
    package var value: UInt64 {
        var hash = Self.prime5
        if count >= Self.stripe {
            hash = Self.rotated(lanes.0, 1) &+ Self.rotated(lanes.1, 7)
            hash &+= Self.rotated(lanes.2, 12) &+ Self.rotated(lanes.3, 18)
            for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
                hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
            }
        }
        hash &+= UInt64(count)
        pending.withUnsafeBytes { bytes in
            var index = 0
            while index + 8 <= bytes.count {
                hash = Self.rotated(hash ^ Self.round(0, Self.word(bytes, index)), 27) &* Self.prime1 &+ Self.prime4
                index += 8
            }
            if index + 4 <= bytes.count {
                let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
                hash = Self.rotated(hash ^ (UInt64(half) &* Self.prime1), 23) &* Self.prime2 &+ Self.prime3
                index += 4
            }
            for byte in bytes[index...] {
                hash = Self.rotated(hash ^ (UInt64(byte) &* Self.prime5), 11) &* Self.prime1
            }
        }
        hash = (hash ^ (hash >> 33)) &* Self.prime2
        hash = (hash ^ (hash >> 29)) &* Self.prime3
        return hash ^ (hash >> 32)
    }

    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        var index = 0
        var lanes = lanes
        if !pending.isEmpty {
            index = min(Self.stripe - pending.count, bytes.count)
            pending.append(contentsOf: bytes[..<index])
            guard pending.count == Self.stripe else { return }
            pending.withUnsafeBytes { lanes = Self.mixed(lanes, with: $0, from: 0) }
            pending.removeAll(keepingCapacity: true)
        }
        while index &+ Self.stripe <= bytes.count {
            lanes = Self.mixed(lanes, with: bytes, from: index)
            index &+= Self.stripe
        }
        self.lanes = lanes
        pending.append(contentsOf: bytes[index...])
    }

    private typealias Lanes = (UInt64, UInt64, UInt64, UInt64)

    @inline(__always)
    private static func mixed(_ lanes: Lanes, with bytes: UnsafeRawBufferPointer, from index: Int) -> Lanes {
        (
            round(lanes.0, word(bytes, index)), round(lanes.1, word(bytes, index &+ 8)),
            round(lanes.2, word(bytes, index &+ 16)), round(lanes.3, word(bytes, index &+ 24))
        )
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotated(lane &+ word &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        value << bits | value >> (64 - bits)
    }

    /// Whether both are hashes of the same bytes so far.
    package static func == (left: XXH64, right: XXH64) -> Bool {
        left.value == right.value && left.count == right.count
    }
}
