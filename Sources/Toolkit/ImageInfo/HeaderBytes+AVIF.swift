// AVIF: https://aomediacodec.github.io/av1-avif/, which is based on ISO/IEC 14496-12 (boxes) and 23008-12 (items and
// their properties).

extension HeaderBytes {
    /// A box: its type and the range of its content.
    private struct Box {
        let type: String
        let content: Range<Int>
    }

    /// Reads the header of an AVIF image; rejects other ISO media with an error that names the type.
    func isoMedia() throws(HeaderStop) -> ImageHeader {
        let fileType = try box(0, end: nil)
        try require(fileType.content.upperBound)
        var brands: [String] = []
        var offset = fileType.content.lowerBound
        while offset + 4 <= fileType.content.upperBound {
            // The second word of the box is a version.
            if offset != fileType.content.lowerBound + 4 { brands.append(try fourCharacters(offset)) }
            offset += 4
        }
        let type = SniffedType(brands: brands)
        guard type == .avif else { throw .refused(.unexpected(type)) }
        return try avif(after: fileType.content.upperBound)
    }

    private func avif(after start: Int) throws(HeaderStop) -> ImageHeader {
        let found = "an AVIF image"
        var offset = start
        while true {
            let box = try box(offset, end: nil)
            if box.type == "meta" {
                try require(box.content.upperBound)
                return try avif(in: box)
            }
            guard box.type != "mdat" || box.content.upperBound <= limits.maximumHeaderBytes else {
                throw .refused(.damaged(found, "its picture data comes before its size"))
            }
            offset = box.content.upperBound
        }
    }

    /// Reads the size of the main item: `pitm` names the item, `ipma` lists its properties as indices into `ipco`.
    private func avif(in meta: Box) throws(HeaderStop) -> ImageHeader {
        let found = "an AVIF image"
        // The content begins with a version and flags.
        let metadata = try boxes(meta.content.dropFirst(4))
        guard let main = metadata.first(where: { $0.type == "pitm" }),
            let properties = metadata.first(where: { $0.type == "iprp" })
        else { throw .refused(.damaged(found, "it does not say which of its pictures is the main one")) }
        let isWide = try byte(position(main, 0, 4)) > 0
        let item = try bigEndian(position(main, 4, isWide ? 4 : 2), bytes: isWide ? 4 : 2)
        let parts = try boxes(properties.content)
        guard let container = parts.first(where: { $0.type == "ipco" }) else {
            throw .refused(.damaged(found, "it does not say how large it is"))
        }
        let all = try boxes(container.content)
        // The limit applies to every picture in the file, including alpha planes and the tiles of a grid.
        for size in all where size.type == "ispe" {
            try limit(
                found, width: try bigEndian(position(size, 4, 4), bytes: 4),
                height: try bigEndian(position(size, 8, 4), bytes: 4))
        }
        var size: (width: Int, height: Int)?
        var isRotatedSideways = false
        var aperture: Box?
        for association in parts where association.type == "ipma" {
            for number in try propertyNumbers(of: item, in: association) {
                // Indices start at 1; 0 means none.
                guard number > 0, all.indices.contains(number - 1) else { continue }
                let property = all[number - 1]
                switch property.type {
                case "ispe":
                    size = (
                        try bigEndian(position(property, 4, 4), bytes: 4),
                        try bigEndian(position(property, 8, 4), bytes: 4)
                    )
                case "irot":
                    // The rotation, in quarter turns.
                    isRotatedSideways = try byte(position(property, 0, 1)) & 1 == 1
                case "clap":
                    aperture = property
                default:
                    // No other property changes the size.
                    continue
                }
            }
        }
        guard var size else { throw .refused(.damaged(found, "it does not say how large it is")) }
        if let aperture, let width = try side(size.width, croppedBy: aperture, at: 0),
            let height = try side(size.height, croppedBy: aperture, at: 8)
        {
            size = (width, height)
        }
        if isRotatedSideways { size = (size.height, size.width) }
        return try pixels(.avif, found, width: size.width, height: size.height)
    }

    /// Returns the length of a side after cropping to the clean aperture (`clap`).
    ///
    /// Chromium ignores an aperture whose length isn't a whole number of pixels within the image, and one that doesn't
    /// begin at the image's first pixel.
    ///
    /// - Parameters:
    ///   - length: The length of the uncropped side.
    ///   - aperture: The `clap` box.
    ///   - offset: The offset of the side's first fraction in the box: 0 for the width, 8 for the height.
    /// - Returns: The length; `nil` if Chromium ignores the aperture.
    /// - Throws: ``HeaderStop`` if the box is too short, or more bytes of the image are needed.
    private func side(_ length: Int, croppedBy aperture: Box, at offset: Int) throws(HeaderStop) -> Int? {
        var numbers: [Int] = []
        // The aperture's length, and the distance of its centre from that of the image, each with a denominator.
        for index in [0, 4, 16, 20] {
            let number = try bigEndian(position(aperture, offset + index, 4), bytes: 4)
            numbers.append(Int(Int32(truncatingIfNeeded: number)))
        }
        guard numbers[0] > 0, numbers[1] > 0, numbers[3] > 0, numbers[0].isMultiple(of: numbers[1]) else { return nil }
        let cropped = numbers[0] / numbers[1]
        return cropped <= length && 2 * numbers[2] == (cropped - length) * numbers[3] ? cropped : nil
    }

    /// The property indices of an item.
    private func propertyNumbers(of item: Int, in box: Box) throws(HeaderStop) -> [Int] {
        let version = try byte(position(box, 0, 4))
        let isWide = try byte(position(box, 3, 1)) & 1 == 1
        let count = try bigEndian(position(box, 4, 4), bytes: 4)
        var offset = 8
        // Each entry takes at least 3 bytes of the box, so a wrong count runs into its end and is rejected.
        for _ in 0..<count {
            let nameLength = version < 1 ? 2 : 4
            let name = try bigEndian(position(box, offset, nameLength), bytes: nameLength)
            let associations = Int(try byte(position(box, offset + nameLength, 1)))
            offset += nameLength + 1
            let length = isWide ? 2 : 1
            if name == item {
                var numbers: [Int] = []
                for index in 0..<associations {
                    // The highest bit marks an essential property.
                    let number = try bigEndian(position(box, offset + index * length, length), bytes: length)
                    numbers.append(number & (isWide ? 0x7FFF : 0x7F))
                }
                return numbers
            }
            offset += associations * length
        }
        return []
    }
}

// MARK: - Boxes

extension HeaderBytes {
    private func fourCharacters(_ offset: Int) throws(HeaderStop) -> String {
        var text = ""
        for index in 0..<4 { text.unicodeScalars.append(Unicode.Scalar(try byte(offset + index))) }
        return text
    }

    /// The box at an offset; `end` is the end of the enclosing box, if there is one.
    private func box(_ offset: Int, end: Int?) throws(HeaderStop) -> Box {
        let wrong = HeaderStop.refused(.damaged("an AVIF image", "a box in it has an invalid length"))
        if let end, offset + 8 > end { throw wrong }
        var length = try bigEndian(offset, bytes: 4)
        let type = try fourCharacters(offset + 4)
        var start = offset + 8
        if length == 1 {
            // A box of 4 GiB or more is rejected: it is too long to be read here, and adding its length might overflow.
            guard try bigEndian(offset + 8, bytes: 4) == 0 else { throw wrong }
            length = try bigEndian(offset + 12, bytes: 4)
            start = offset + 16
        } else if length == 0 {
            // The box extends to the end of the file, whose length is unknown here.
            guard end == nil else { throw wrong }
            length = limits.maximumHeaderBytes
        }
        guard offset + length >= start, end.map({ offset + length <= $0 }) ?? true else { throw wrong }
        return Box(type: type, content: start..<offset + length)
    }

    /// The boxes in a range.
    private func boxes(_ content: Range<Int>) throws(HeaderStop) -> [Box] {
        var boxes: [Box] = []
        var offset = content.lowerBound
        while offset < content.upperBound {
            let box = try box(offset, end: content.upperBound)
            boxes.append(box)
            offset = box.content.upperBound
        }
        return boxes
    }

    /// The absolute offset of `count` bytes at an offset in a box; throws if they exceed the box.
    private func position(_ box: Box, _ offset: Int, _ count: Int) throws(HeaderStop) -> Int {
        guard offset + count <= box.content.count else {
            throw .refused(.damaged("an AVIF image", "a box in it is too short for its content"))
        }
        return box.content.lowerBound + offset
    }
}
