import Foundation

/// A file name for a download, with the `Content-Disposition` header that suggests it to the browser.
public struct DownloadName: Sendable, Equatable {
    private let stem: String
    private let ending: String

    /// Creates a safe file name from a title.
    ///
    /// - Parameters:
    ///   - title: The title, which may be any text; slashes, backslashes, line ends, control characters and those that
    ///     change the direction of text are removed.
    ///   - ending: The file name extension, without the dot.
    public init(_ title: String, ending: String) {
        // Filters scalars, not characters: browsers and file systems recognise a separator within a character.
        let allowed = title.prefix(80).unicodeScalars.filter {
            !"/\\".unicodeScalars.contains($0)
                && ![.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
                // They could show the ending in another place.
                && !$0.properties.isBidiControl
        }
        let clean = String(allowed)
        self.stem = clean.trimmingCharacters(in: CharacterSet(charactersIn: ". ")).isEmpty ? "page" : clean
        self.ending = ending
    }

    /// The `Content-Disposition` header: an ASCII name, and the original one for clients that support RFC 6266.
    public var disposition: String {
        let plain = String(
            stem.map { $0.isASCII && ($0.isLetter || $0.isNumber || " -_.,()".contains($0)) ? $0 : "_" })
        let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~")
        let encoded = stem.addingPercentEncoding(withAllowedCharacters: allowed) ?? plain
        return "attachment; filename=\"\(plain).\(ending)\"; filename*=UTF-8''\(encoded).\(ending)"
    }
}
