/// Why reading stops before it is done.
enum HeaderStop: Error {
    /// So many bytes are needed, from the beginning on.
    case needs(Int)
    /// There is no use in going on.
    case refused(ImageError)
}

/// The beginning of what may be an image: the one way to its bytes, which goes nowhere beyond them.
struct HeaderBytes {
    private let bytes: UnsafeBufferPointer<UInt8>
    let limits: ImageLimits

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: ImageLimits) {
        self.bytes = bytes
        self.limits = limits
    }
}

extension HeaderBytes {
    /// How many there are.
    var count: Int { bytes.count }

    /// Makes sure that so many bytes are there, from the beginning on.
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
        // Nothing that is read is negative; this is for what would be written wrongly here.
        guard offset >= 0 else { throw .refused(.damaged("an image", "it points before its own beginning")) }
        try require(offset + 1)
        return bytes[offset]
    }

    /// The byte there, if there is one: to look ahead.
    func peek(_ offset: Int) -> UInt8? {
        bytes.indices.contains(offset) ? bytes[offset] : nil
    }

    /// A number of so many bytes, the highest first.
    func bigEndian(_ offset: Int, bytes count: Int) throws(HeaderStop) -> Int {
        try require(offset + count)
        var number = 0
        for index in 0..<count { number = number << 8 | Int(try byte(offset + index)) }
        return number
    }

    /// A number of so many bytes, the lowest first.
    func littleEndian(_ offset: Int, bytes count: Int) throws(HeaderStop) -> Int {
        try require(offset + count)
        var number = 0
        for index in (0..<count).reversed() { number = number << 8 | Int(try byte(offset + index)) }
        return number
    }

    /// Whether this stands there.
    func has(_ text: String, at offset: Int) throws(HeaderStop) -> Bool {
        try require(offset + text.utf8.count)
        for (index, character) in text.utf8.enumerated() where try byte(offset + index) != character { return false }
        return true
    }
}

extension HeaderBytes {
    /// A header of pixels, of which there is at least one, and not too many.
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
