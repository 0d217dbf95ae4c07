/// Why reading stopped before the header was complete.
enum HeaderStop: Error {
    /// At least this many bytes are needed, from the beginning on.
    case needs(Int)
    /// The bytes are rejected.
    case refused(ImageError)
}

/// Bounds-checked access to the first bytes of a possible image.
struct HeaderBytes {
    private let bytes: UnsafeBufferPointer<UInt8>
    let limits: ImageLimits

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: ImageLimits) {
        self.bytes = bytes
        self.limits = limits
    }
}

extension HeaderBytes {
    /// The number of bytes.
    var count: Int { bytes.count }

    /// Throws unless this many bytes, from the beginning on, are available and within the limit.
    func require(_ needed: Int) throws(HeaderStop) {
        guard needed <= limits.maximumHeaderBytes else {
            throw .refused(
                ImageError(
                    .tooLarge,
                    "The image does not say within its first \(limits.maximumHeaderBytes) bytes how large it is. "
                        + "Save it without its metadata, previews and colour profiles.",
                    found: "an image with a very long header"))
        }
        if needed > count { throw .needs(needed) }
    }

    func byte(_ offset: Int) throws(HeaderStop) -> UInt8 {
        // Offsets in files can't be negative; this guards against errors in this code.
        guard offset >= 0 else { throw .refused(.damaged("an image", "it points before its own beginning")) }
        try require(offset + 1)
        return bytes[offset]
    }

    /// The byte at an offset, or `nil` beyond the end, for lookahead.
    func peek(_ offset: Int) -> UInt8? {
        bytes.indices.contains(offset) ? bytes[offset] : nil
    }

    /// An unsigned big-endian number of `count` bytes.
    func bigEndian(_ offset: Int, bytes count: Int) throws(HeaderStop) -> Int {
        try require(offset + count)
        var number = 0
        for index in 0..<count { number = number << 8 | Int(try byte(offset + index)) }
        return number
    }

    /// An unsigned little-endian number of `count` bytes.
    func littleEndian(_ offset: Int, bytes count: Int) throws(HeaderStop) -> Int {
        try require(offset + count)
        var number = 0
        for index in (0..<count).reversed() { number = number << 8 | Int(try byte(offset + index)) }
        return number
    }

    /// Whether the bytes at an offset are this text.
    func has(_ text: String, at offset: Int) throws(HeaderStop) -> Bool {
        try require(offset + text.utf8.count)
        for (index, character) in text.utf8.enumerated() where try byte(offset + index) != character { return false }
        return true
    }
}

extension HeaderBytes {
    /// Returns the header of a pixel image; rejects an image without pixels, or with too many.
    func pixels(
        _ format: ImageFormat, _ found: String, width: Int, height: Int, orientation: Int = 1
    ) throws(HeaderStop) -> ImageHeader {
        guard width > 0, height > 0 else { throw .refused(.damaged(found, "it is \(width) × \(height) pixels large")) }
        try limit(found, width: width, height: height)
        return ImageHeader(format, width: width, height: height, orientation: orientation)
    }

    func limit(_ found: String, width: Int, height: Int) throws(HeaderStop) {
        let (count, overflows) = width.multipliedReportingOverflow(by: height)
        guard !overflows, count <= limits.maximumPixels else {
            throw .refused(
                ImageError(
                    .tooLarge,
                    "This is \(found) of \(width) × \(height) pixels, and at most \(limits.maximumPixels) pixels are "
                        + "allowed. Make it smaller.",
                    found: found))
        }
    }
}
