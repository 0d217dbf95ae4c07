public import Foundation

/// Parses URLs as users type them.
public enum WebAddress {
    /// Parses a URL.
    ///
    /// - Parameters:
    ///   - text: The text that the user typed; surrounding white space is ignored.
    ///   - isCompleted: Whether `example.org` becomes `https://example.org`, as in a browser's address field. If not,
    ///     the error suggests the completed URL.
    ///   - limit: The maximum length in bytes. Chromium opens no URL of more than two million bytes.
    /// - Returns: The URL. Its scheme isn't checked; the capture does that.
    /// - Throws: ``CaptureError`` whose message says what is wrong and suggests a correction.
    public static func parse(
        _ text: String, isCompleted: Bool = false, limit: Int = 2_000_000
    ) throws(CaptureError) -> URL {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.utf8.count <= limit else {
            throw CaptureError(
                .invalidAddress,
                "The address is too long: it has \(trimmed.utf8.count) bytes, and the limit is \(limit).")
        }
        let shown = shortened(trimmed)
        guard !trimmed.isEmpty else {
            throw CaptureError(.invalidAddress, "The address is empty. Enter one such as https://example.org/page.")
        }
        guard !trimmed.contains(where: \.isWhitespace), !trimmed.unicodeScalars.contains(where: { $0.value < 0x20 })
        else {
            throw CaptureError(.invalidAddress, "\(shown) isn't a web address: it contains spaces.")
        }
        let scheme = trimmed.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let hasScheme = trimmed.dropFirst(scheme.count).first == ":" && scheme.first?.isLetter == true
        // `example.org:8080` and `localhost:8080` look like URLs with a scheme.
        let isHostAndPort = hasScheme && trimmed.dropFirst(scheme.count + 1).first?.isNumber == true
        if !hasScheme || isHostAndPort {
            let looksLikeHost = trimmed.contains(".") || trimmed.hasPrefix("localhost")
            if isCompleted, looksLikeHost, let url = completed(trimmed) { return url }
            throw CaptureError(
                .invalidAddress,
                looksLikeHost
                    ? "\(shown) isn't a complete web address. Did you mean https://\(shown.drop { $0 == "/" }) ?"
                    : "\(shown) isn't a web address. Enter one such as https://example.org/page.")
        }
        guard let url = URL(string: trimmed) else {
            throw CaptureError(.invalidAddress, "\(shown) isn't an address that a browser can open.")
        }
        return url
    }

    /// Adds the missing scheme.
    ///
    /// Addresses of this machine get `http`, because they seldom have a certificate.
    private static func completed(_ text: String) -> URL? {
        let rest = text.drop { $0 == "/" }
        let isLocal = rest.hasPrefix("localhost") || rest.hasPrefix("127.")
        guard let url = URL(string: (isLocal ? "http://" : "https://") + rest), url.host()?.isEmpty == false else {
            return nil
        }
        return url
    }

    /// A URL as messages show it, shortened to a few lines.
    public static func shortened(_ text: String) -> String {
        text.count <= 300 ? text : "\(text.prefix(200))…\(text.suffix(60))"
    }
}
