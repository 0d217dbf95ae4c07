import Foundation

/// Repairs the contents of a file so that a board takes them, and collects a note for each kind of change.
struct BoardRepair {
    private var notes: [String] = []

    mutating func note(_ words: String) {
        notes.append(words)
    }
}

// MARK: Emoji

extension BoardRepair {
    /// Repairs emoji: makes ids unique, clamps numbers to the limits, and leaves out emoji whose text can't be shown.
    mutating func repaired(_ emojis: [ReadEmoji]) -> [Emoji] {
        var taken = Set(emojis.lazy.compactMap { EmojiID($0.id) })
        var used: Set<EmojiID> = []
        var (renamed, moved, unshowable, number) = (0, 0, 0, 0)
        var result: [Emoji] = []
        for read in emojis {
            var id = EmojiID(read.id)
            if id.map(used.contains) ?? true {
                renamed += 1
                repeat { number += 1 } while !taken.insert(EmojiID(number)).inserted
                id = EmojiID(number)
            }
            guard let id else { continue }
            used.insert(id)
            let place = BoardPoint(x: read.x, y: read.y).onBoard
            let emoji = Emoji(
                id: id, text: read.text, x: place.x, y: place.y, size: read.size.clamped(to: BoardLimits.sizes),
                z: read.z.clamped(to: Self.depths), angle: Emoji.normalizedAngle(read.angle ?? 0),
                isFlipped: read.flipped ?? false, isLocked: read.locked ?? false)
            guard emoji.hasShowableText else {
                unshowable += 1
                continue
            }
            if (emoji.x, emoji.y, emoji.size, emoji.z) != (read.x, read.y, read.size, read.z) { moved += 1 }
            result.append(emoji)
        }
        if renamed > 0 { note(ArtWords.renumbered(renamed)) }
        if moved > 0 { note(ArtWords.moved(moved)) }
        if unshowable > 0 { note(ArtWords.leftOut(unshowable)) }
        return result
    }

    private static let depths = -BoardLimits.depth...BoardLimits.depth
}

// MARK: Name, background and picture

extension BoardRepair {
    /// Truncates a name to the limit; `nil` if there is no name.
    mutating func name(_ name: String?) -> String? {
        guard let name, !name.isEmpty else { return nil }
        guard name.utf8.count > BoardLimits.nameBytes else { return name }
        note(ArtWords.nameShortened)
        var short = String(name.prefix(BoardLimits.nameBytes))
        while short.utf8.count > BoardLimits.nameBytes { short.removeLast() }
        return short.isEmpty ? nil : short
    }

    /// Decodes a picture from Base64; `nil` if it can't be decoded or is too large.
    mutating func picture(_ base64: String, type: String) -> PictureContent? {
        guard let data = Data(base64Encoded: base64), !data.isEmpty, data.count <= BoardLimits.pictureBytes else {
            note(ArtWords.pictureLeftOut)
            return nil
        }
        return PictureContent(data: data, type: type)
    }

    /// Converts an address to a background; a `data:` address yields the picture that it contains.
    mutating func background(_ address: String?, picture: PictureContent?) -> (Background, PictureContent?) {
        guard let address else { return (.blank, picture) }
        do throws(DroppedAddressError) {
            switch try DroppedAddress.read(address) {
            case .picture(let own): return (.blank, own)
            case .address, nil:
                let background = Background.address(address)
                if (try? background.check()) != nil { return (background, picture) }
                note(ArtWords.addressLeftOut)
            }
        } catch {
            note(ArtWords.backgroundLeftOut("\(error)"))
        }
        return (.blank, picture)
    }

    func file(
        name: String?, background: Background, emojis: [Emoji], picture: PictureContent?
    ) throws(ArtFileError) -> ArtFile {
        do throws(OperationRefusal) {
            return ArtFile(
                name: name, art: try EmojiArt(background: background, emojis: emojis), picture: picture, notes: notes)
        } catch {
            throw .corrupt(error.boardMessage)
        }
    }
}
