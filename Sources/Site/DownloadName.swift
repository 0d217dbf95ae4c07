import Foundation

/// What a browser is to call a file that it saves.
public struct DownloadName: Sendable, Equatable {
    private let stem: String
    private let ending: String

    /// The name for a file.
    ///
    /// - Parameters:
    ///   - title: What it is called by whoever made it: any text.
    ///   - ending: How the name ends, without the dot.
    public init(_ title: String, ending: String) {
        // By scalar: what browsers and file systems take for a separator can be a part of a character.
        let kept = title.prefix(80).unicodeScalars.filter {
            !"/\\".unicodeScalars.contains($0)
                && ![.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
        }
        let clean = String(kept)
        self.stem = clean.trimmingCharacters(in: CharacterSet(charactersIn: ". ")).isEmpty ? "page" : clean
        self.ending = ending
    }

    /// The header `Content-Disposition`: a name that every system takes, and the own one for those that understand it (RFC 6266).
    public var disposition: String {
        let plain = String(
            stem.map { $0.isASCII && ($0.isLetter || $0.isNumber || " -_.,()".contains($0)) ? $0 : "_" })
        let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~")
        let encoded = stem.addingPercentEncoding(withAllowedCharacters: allowed) ?? plain
        return "attachment; filename=\"\(plain).\(ending)\"; filename*=UTF-8''\(encoded).\(ending)"
    }
}
