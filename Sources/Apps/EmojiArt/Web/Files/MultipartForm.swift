import Foundation

/// What the header of a form with a file says; see RFC 7578.
enum MultipartForm {
    /// What stands between the parts of such a body; `nil` for another type of body, as the request's header names it.
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
