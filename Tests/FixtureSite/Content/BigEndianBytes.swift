extension [UInt8] {
    /// Appends an integer, most significant byte first.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            self.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Appends an integer, least significant byte first.
    mutating func append(littleEndian value: some FixedWidthInteger) {
        self.append(bigEndian: value.byteSwapped)
    }
}
