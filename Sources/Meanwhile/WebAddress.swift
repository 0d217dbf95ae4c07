import Capture
import Foundation

/// What a person typed where the address of a page is asked for.
enum WebAddress {
    /// Chromium opens no longer ones.
    private static let lengthLimit = 2_000_000

    /// Reads an address.
    ///
    /// - Throws: ``CaptureError`` that says what is wrong with it and what was probably meant.
    static func parse(_ text: String) throws(CaptureError) -> URL {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.utf8.count <= lengthLimit else {
            throw CaptureError(
                .invalidAddress, "The address is \(trimmed.utf8.count) characters long; no browser opens that.")
        }
        let shown = shortened(trimmed)
        guard !trimmed.isEmpty else { throw CaptureError(.invalidAddress, "The address is empty.") }
        guard !trimmed.contains(where: \.isWhitespace), !trimmed.unicodeScalars.contains(where: { $0.value < 0x20 })
        else {
            throw CaptureError(.invalidAddress, "\(shown) is not an address: it has spaces in it.")
        }
        let scheme = trimmed.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let hasScheme = trimmed.dropFirst(scheme.count).first == ":" && scheme.first?.isLetter == true
        // `example.org:8080` and `localhost:8080` look like a scheme with something behind it.
        let isHostAndPort = hasScheme && trimmed.dropFirst(scheme.count + 1).first?.isNumber == true
        if !hasScheme || isHostAndPort {
            let looksLikeHost = trimmed.contains(".") || trimmed.hasPrefix("localhost")
            throw CaptureError(
                .invalidAddress,
                looksLikeHost
                    ? "\(shown) is not a whole address. Did you mean https://\(shown.drop { $0 == "/" }) ?"
                    : "\(shown) is not an address. Give one such as https://example.org/page.")
        }
        guard let url = URL(string: trimmed) else {
            throw CaptureError(.invalidAddress, "\(shown) is not an address that a browser can open.")
        }
        return url
    }

    /// An address as it is shown in a message: not longer than a few lines.
    static func shortened(_ text: String) -> String {
        text.count <= 300 ? text : "\(text.prefix(200))…\(text.suffix(60))"
    }
}
