import Foundation
import FoundationXML
import Multipart

@testable import EmojiArtModel
@testable import EmojiArtReading
@testable import EmojiArtWeb

extension FuzzTarget {
    /// Board files in the app's and the course's format: an imported board is within the limits, and survives a round trip.
    static let artImports = FuzzTarget(
        "art-imports", maximumLength: 8_192,
        dictionary: [
            "\"format\":\"meanwhile.emojiart\"", "\"version\":1", "\"name\":", "\"art\":", "\"background\":",
            "\"emojis\":",
            "\"picture\":", "\"type\":", "\"data\":", "\"address\":", "\"id\":", "\"text\":", "\"string\":",
            "\"position\":",
            "\"x\":", "\"y\":", "\"z\":", "\"size\":", "\"uniqueEmojiId\":", "http://", "data:image/png;base64,",
            "null",
            "\"angle\":", "\"flipped\":true", "\"locked\":true",
            "-0", "1e308", "9223372036854775807", "-9223372036854775808", "\\u0000", "\\ud83d\\ude00", "imgurl=",
        ]
    ) { data in
        let file: ArtFile
        do throws(ArtFileError) {
            file = try ArtFile.read(data)
        } catch {
            return try require(!error.description.isEmpty, "an error has no message")
        }
        try require(
            (try? EmojiArt(background: file.art.background, emojis: file.art.emojis)) == file.art,
            "an invalid board is accepted")
        try require(file.name.map { $0.utf8.count <= BoardLimits.nameBytes } ?? true, "a name is too long")
        try checkDrawing(of: file)
        let again = try ArtFile.read(try file.write(as: .meanwhile))
        try require(again.notes.isEmpty, "an exported board is imported with notes: \(again.notes)")
        try require(
            again.art == file.art && again.name == file.name && again.picture == file.picture,
            "a file is not read back as it was written")
        _ = try ArtFile.read(try file.write(as: .course))
    }

    /// Checks that a drawing is valid XML for any texts.
    private static func checkDrawing(of file: ArtFile) throws {
        var drawing = ArtSVG(title: file.name)
        if case .address(let address) = file.art.background {
            drawing.picture = ArtSVG.Picture(address: address, size: ViewSize(width: 100, height: 100))
        }
        let parser = XMLParser(data: Data(drawing.text(of: file.art).utf8))
        try require(parser.parse(), "a drawing is not XML: \(parser.parserError.map { "\($0)" } ?? "")")
    }

    /// Batches of operations: applied operations can be undone, and survive a round trip.
    static let artOperations = FuzzTarget(
        "art-operations", maximumLength: 8_192,
        dictionary: [
            "\"op\":\"add\"", "\"op\":\"move\"", "\"op\":\"resize\"", "\"op\":\"delete\"", "\"op\":\"reorder\"",
            "\"op\":\"rotate\"", "\"op\":\"flip\"", "\"op\":\"lock\"", "\"angle\":", "\"flipped\":true",
            "\"locked\":true", "\"op\":\"background\"", "\"emoji\":", "\"id\":\"a\"", "\"id\":\"b\"", "\"x\":",
            "\"y\":", "\"z\":", "\"size\":", "\"text\":", "\"name\":", "\"operations\":[",
            "\"background\":null", "\"address\":\"http://a\"",
            "\"picture\":\"", "1e15", "-0.0", "1e308", "{", "}", "]", ",",
        ]
    ) { data in
        let batch: OperationBatch
        do throws(ArtJSONError) {
            batch = try ArtJSON.batch(from: data)
        } catch {
            return try require(!error.description.isEmpty, "an error has no message")
        }
        let read = try ArtJSON.batch(from: try ArtJSON.data(batch))
        try require(read == batch, "a batch is not read back as it was written")
        let emojis = ["a", "b", "c"].enumerated().compactMap { index, name in
            EmojiID(name).map { Emoji(id: $0, text: "🐶", x: 0, y: 0, size: 40, z: Double(index)) }
        }
        let before = try EmojiArt(background: .blank, emojis: emojis)
        var art = before
        let (applied, refused) = art.apply(batch)
        try require(
            applied.count + refused.count <= batch.operations.count,
            "more operations were applied than the batch contains")
        try require(
            (try? EmojiArt(background: art.background, emojis: art.emojis)) == art, "operations made the board invalid")
        let inverse = before.inverse(of: applied)
        art.apply(OperationBatch(id: "i", name: "", operations: inverse))
        try require(art == before, "undoing does not restore the board")
    }

    /// Forms with a file, `multipart/form-data`: the first line of the input is the content type.
    static let multipart = FuzzTarget(
        "multipart", maximumLength: 16_384,
        dictionary: [
            "multipart/form-data; boundary=", "boundary=\"", "\r\n--", "--\r\n", "\r\n\r\n",
            "Content-Disposition: form-data; name=\"file\"; filename=\"", "Content-Type: ", "%22", "%0D", "%0A", "\"",
        ]
    ) { data in
        var input = InputReader(data)
        let type = input.line()
        let body = input.remainder()
        let boundary = MultipartForm.boundary(in: type)
        if let boundary { try require((1...70).contains(boundary.utf8.count), "the boundary is “\(boundary)”") }
        guard let file = UploadedFile(in: body, boundary: boundary ?? "a") else { return }
        // Foundation searches for bytes in quadratic time.
        guard body.count <= 32_768 else { return }
        try require(file.data.isEmpty || body.range(of: file.data) != nil, "the file is not part of the body")
        let delimiter = Data("\r\n--\(boundary ?? "a")".utf8)
        try require(file.data.range(of: delimiter) == nil, "the file contains its delimiter")
        let lineEnds: [Unicode.Scalar] = ["\r", "\n"]
        try require(
            !(file.name ?? "").unicodeScalars.contains { lineEnds.contains($0) }, "a name contains a line break")
    }

    /// Dropped addresses, and `data:` addresses.
    static let droppedAddresses = FuzzTarget(
        "dropped-addresses",
        dictionary: [
            "data:", "image/png", ";base64,", ",", "http://", "https://", "?imgurl=", "&imgurl=", "%3D", "%25", "%",
            "#", "\r\n", "javascript:", "\u{301}",
        ]
    ) { data in
        let text = String(decoding: data, as: UTF8.self)
        switch Result(catching: { () throws(DroppedAddressError) in try DroppedAddress.read(text) }) {
        case .success(.address(let address)):
            try require(Background.isWebAddress(address), "\(address) is accepted as a web address")
        case .success(.picture(let picture)):
            try require(!picture.data.isEmpty && picture.type.hasPrefix("image/"), "\(picture.type) is not a picture")
        case .success(nil):
            break
        case .failure(let error):
            try require(!error.description.isEmpty, "an error has no message")
        }
    }
}
