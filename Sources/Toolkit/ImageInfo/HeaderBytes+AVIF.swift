// AVIF: https://aomediacodec.github.io/av1-avif/, which stands on ISO/IEC 14496-12 (boxes) and 23008-12 (items and their
// properties).

extension HeaderBytes {
    /// A box, by where its content is.
    private struct Box {
        let type: String
        let content: Range<Int>
    }

    /// An AVIF image; of the others, their name.
    func isoMedia() throws(HeaderStop) -> ImageHeader {
        let fileType = try box(0, end: nil)
        try require(fileType.content.upperBound)
        var brands: [String] = []
        var offset = fileType.content.lowerBound
        while offset + 4 <= fileType.content.upperBound {
            // The second word is a version.
            if offset != fileType.content.lowerBound + 4 { brands.append(try fourCharacters(offset)) }
            offset += 4
        }
        let type = SniffedType(brands: brands)
        guard type == .avif else { throw .refused(.another(type)) }
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
                throw .refused(.damaged(found, "its picture stands before its size"))
            }
            offset = box.content.upperBound
        }
    }

    /// Reads the size of the main item: the one that `pitm` names has its properties in `ipma`, numbers of those in `ipco`.
    private func avif(in meta: Box) throws(HeaderStop) -> ImageHeader {
        let found = "an AVIF image"
        // Version and flags come first.
        let metadata = try boxes(meta.content.dropFirst(4))
        guard let main = metadata.first(where: { $0.type == "pitm" }),
            let properties = metadata.first(where: { $0.type == "iprp" })
        else { throw .refused(.damaged(found, "it does not say which of its pictures is the main one")) }
        let isWide = try byte(inside(main, 0, 4)) > 0
        let item = try bigEndian(inside(main, 4, isWide ? 4 : 2), bytes: isWide ? 4 : 2)
        let parts = try boxes(properties.content)
        guard let container = parts.first(where: { $0.type == "ipco" }) else {
            throw .refused(.damaged(found, "it does not say how large it is"))
        }
        let all = try boxes(container.content)
        // No picture in it may be too large, also not one that is only seen through, or a part of the main one.
        for size in all where size.type == "ispe" {
            try limit(
                found, width: try bigEndian(inside(size, 4, 4), bytes: 4),
                height: try bigEndian(inside(size, 8, 4), bytes: 4))
        }
        var size: (width: Int, height: Int)?
        var isOnItsSide = false
        for association in parts where association.type == "ipma" {
            for number in try propertyNumbers(of: item, in: association) {
                // They count from 1; 0 is none.
                guard number > 0, all.indices.contains(number - 1) else { continue }
                let property = all[number - 1]
                switch property.type {
                case "ispe":
                    size = (
                        try bigEndian(inside(property, 4, 4), bytes: 4), try bigEndian(inside(property, 8, 4), bytes: 4)
                    )
                case "irot":
                    // In quarters of a turn.
                    isOnItsSide = try byte(inside(property, 0, 1)) & 1 == 1
                default:
                    // Nothing that changes the size.
                    continue
                }
            }
        }
        guard let size else { throw .refused(.damaged(found, "it does not say how large it is")) }
        return try pixels(
            .avif, found, width: isOnItsSide ? size.height : size.width, height: isOnItsSide ? size.width : size.height)
    }

    /// The numbers of an item's properties.
    private func propertyNumbers(of item: Int, in box: Box) throws(HeaderStop) -> [Int] {
        let version = try byte(inside(box, 0, 4))
        let isWide = try byte(inside(box, 3, 1)) & 1 == 1
        let count = try bigEndian(inside(box, 4, 4), bytes: 4)
        var offset = 8
        // Each takes at least 3 bytes of the box, so that a wrong count comes to its end.
        for _ in 0..<count {
            let nameLength = version < 1 ? 2 : 4
            let name = try bigEndian(inside(box, offset, nameLength), bytes: nameLength)
            let associations = Int(try byte(inside(box, offset + nameLength, 1)))
            offset += nameLength + 1
            let length = isWide ? 2 : 1
            if name == item {
                var numbers: [Int] = []
                for index in 0..<associations {
                    // The highest bit says that it matters.
                    let number = try bigEndian(inside(box, offset + index * length, length), bytes: length)
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

    /// The box that begins there; `end` is where the box around it ends, if there is one.
    private func box(_ offset: Int, end: Int?) throws(HeaderStop) -> Box {
        let wrong = HeaderStop.refused(.damaged("an AVIF image", "a box in it is longer, or shorter, than it can be"))
        if let end, offset + 8 > end { throw wrong }
        var length = try bigEndian(offset, bytes: 4)
        let type = try fourCharacters(offset + 4)
        var start = offset + 8
        if length == 1 {
            // Too long to be of any use here, whatever it says exactly; and to add it up might overflow.
            guard try bigEndian(offset + 8, bytes: 4) == 0 else { throw wrong }
            length = try bigEndian(offset + 12, bytes: 4)
            start = offset + 16
        } else if length == 0 {
            // To the end of the file, which is unknown here.
            guard end == nil else { throw wrong }
            length = limits.maximumHeaderBytes
        }
        guard offset + length >= start, end.map({ offset + length <= $0 }) ?? true else { throw wrong }
        return Box(type: type, content: start..<offset + length)
    }

    /// The boxes in a part of this.
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

    /// Where something within a box is, if it is within it.
    private func inside(_ box: Box, _ offset: Int, _ count: Int) throws(HeaderStop) -> Int {
        guard offset + count <= box.content.count else {
            throw .refused(.damaged("an AVIF image", "a box in it is shorter than what should be in it"))
        }
        return box.content.lowerBound + offset
    }
}
