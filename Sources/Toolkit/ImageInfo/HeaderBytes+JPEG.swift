extension HeaderBytes {
    // https://www.w3.org/Graphics/JPEG/itu-t81.pdf, annex B
    func jpeg() throws(HeaderStop) -> ImageHeader {
        let found = "a JPEG image"
        var orientation = 1
        var offset = 2
        while true {
            let marker = try marker(&offset)
            switch marker {
            case 0x01, 0xD0...0xD8:
                // These markers have no length or content.
                continue
            case 0xD9, 0xDA:
                throw .refused(.damaged(found, "its picture data comes before its size"))
            default:
                break
            }
            let length = try bigEndian(offset, bytes: 2)
            guard length >= 2 else { throw .refused(.damaged(found, "a segment in it has an invalid length")) }
            switch marker {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                // A height of 0 means that it follows the pixel data (DNL), which browsers don't support either.
                return try pixels(
                    .jpeg, found, width: try bigEndian(offset + 5, bytes: 2),
                    height: try bigEndian(offset + 3, bytes: 2),
                    orientation: orientation)
            case 0xE1:
                try require(offset + length)
                if let turned = exifOrientation(offset + 2..<offset + length) { orientation = turned }
            default:
                break
            }
            offset += length
        }
    }

    /// Reads the next marker, and advances the offset past it.
    ///
    /// Like decoders, it skips bytes before a marker and any number of fill bytes.
    private func marker(_ offset: inout Int) throws(HeaderStop) -> UInt8 {
        while true {
            while try byte(offset) != 0xFF { offset += 1 }
            while try byte(offset) == 0xFF { offset += 1 }
            let marker = try byte(offset)
            offset += 1
            if marker != 0 { return marker }
        }
    }

    // The EXIF orientation, if there is one: https://www.cipa.jp/std/documents/e/DC-X008-Translation-2019-E.pdf, 4.6.4.
    // Invalid EXIF data is ignored, as in browsers.
    private func exifOrientation(_ segment: Range<Int>) -> Int? {
        let exif = Array("Exif\0\0".utf8)
        guard segment.count >= exif.count + 8, exif.indices.allSatisfy({ peek(segment.lowerBound + $0) == exif[$0] })
        else { return nil }
        let start = segment.lowerBound + exif.count
        let isBigEndian: Bool
        switch (peek(start), peek(start + 1)) {
        case (0x4D, 0x4D): isBigEndian = true
        case (0x49, 0x49): isBigEndian = false
        default: return nil
        }
        func number(_ offset: Int, _ count: Int) -> Int? {
            guard offset >= segment.lowerBound, offset + count <= segment.upperBound else { return nil }
            return isBigEndian
                ? try? bigEndian(offset, bytes: count) : try? littleEndian(offset, bytes: count)
        }
        guard number(start + 2, 2) == 42, let directory = number(start + 4, 4),
            let entries = number(start + directory, 2)
        else { return nil }
        for entry in 0..<entries {
            let offset = start + directory + 2 + entry * 12
            guard let tag = number(offset, 2) else { return nil }
            if tag == 0x0112 {
                guard number(offset + 2, 2) == 3, let value = number(offset + 8, 2), (1...8).contains(value) else {
                    return nil
                }
                return value
            }
        }
        return nil
    }
}
