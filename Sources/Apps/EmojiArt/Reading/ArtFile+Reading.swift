package import EmojiArtModel
package import Foundation

extension ArtFile {
    /// The maximum number of keys, commas and brackets to read: about eight times that of a full board.
    private static let maximumTokens = 1_000_000

    /// Decodes a file in the app's own format or the course's; its contents determine the format.
    ///
    /// Invalid emoji are renamed, moved into bounds or left out, and ``notes`` lists these repairs. A file with too
    /// many bytes isn't scanned, and one with too many tokens isn't decoded.
    package static func read(_ data: Data) throws(ArtFileError) -> ArtFile {
        guard !data.isEmpty else { throw .empty }
        guard data.count <= BoardLimits.importBytes else { throw .tooLarge(bytes: data.count) }
        guard !hasMoreTokens(data, than: maximumTokens) else { throw .tooMany }
        let header: ArtFileHeader = try decoded(data)
        let isOwnOrCourse = header.format == formatName || header.format == nil && header.hasEmojis
        if isOwnOrCourse, let version = header.version, version > Self.version { throw .newerVersion(version: version) }
        switch header.format {
        case formatName: return try (decoded(data) as OwnArtFile).file()
        case let format?: throw .anotherFormat("“\(format.prefix(60))”")
        case nil where header.hasEmojis: return try (decoded(data) as CourseArtFile).file()
        case nil: throw .anotherFormat(ArtWords.jsonWithoutEmoji)
        }
    }

    private static func decoded<Value: Decodable>(_ data: Data) throws(ArtFileError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch let error as ArtFileError {
            throw error
        } catch let error as DecodingError {
            throw .corrupt(error.message)
        } catch {
            throw .corrupt("\(error)")
        }
    }

    /// Whether the JSON has more tokens than the limit, without allocating memory.
    private static func hasMoreTokens(_ data: Data, than limit: Int) -> Bool {
        data.withUnsafeBytes { bytes in
            var (count, isInText, isEscaped) = (0, false, false)
            for byte in bytes {
                if isInText {
                    if isEscaped {
                        isEscaped = false
                    } else if byte == UInt8(ascii: "\\") {
                        isEscaped = true
                    } else if byte == UInt8(ascii: "\"") {
                        isInText = false
                    }
                    continue
                }
                switch byte {
                case UInt8(ascii: "\""): isInText = true
                case UInt8(ascii: ","), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): count += 1
                default: break
                }
                if count > limit { return true }
            }
            return false
        }
    }
}

/// The keys that distinguish the formats.
private struct ArtFileHeader: Decodable {
    let format: String?
    let version: Int?
    let hasEmojis: Bool

    private enum Keys: String, CodingKey {
        case format, version, emojis
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        // Another program's file may have other types here.
        format = (try? container.decodeIfPresent(String.self, forKey: .format)) ?? nil
        version = (try? container.decodeIfPresent(Int.self, forKey: .version)) ?? nil
        hasEmojis = container.contains(.emojis)
    }
}
