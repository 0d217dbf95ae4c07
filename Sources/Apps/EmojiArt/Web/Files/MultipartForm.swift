import Foundation

/// Parses the content type of a form with a file; see RFC 7578.
enum MultipartForm {
    /// The boundary between a body's parts, from its content type; `nil` if it is not such a form.
    static func boundary(in contentType: String) -> String? {
        let parts = contentType.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.first?.lowercased() == "multipart/form-data" else { return nil }
        for part in parts.dropFirst() where part.lowercased().hasPrefix("boundary=") {
            let value = part.dropFirst("boundary=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            // RFC 2046, section 5.1.1.
            return (1...70).contains(value.utf8.count) ? value : nil
        }
        return nil
    }
}
