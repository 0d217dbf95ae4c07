import Crypto
import Digests
import Foundation
import HTTPTypes

// https://www.rfc-editor.org/rfc/rfc9111#section-4.1

extension CachePolicy {
    /// What is kept for a request: of several that fit, the newest.
    func select(_ question: CacheQuestion, _ records: [CacheRecord]) -> CacheRecord? {
        records.filter { Self.fits(question, $0) }.max { $0.received < $1.received }
    }

    /// Whether the header fields of a request that `Vary` names are those that an answer was made for.
    static func fits(_ question: CacheQuestion, _ record: CacheRecord) -> Bool {
        record.varying.allSatisfy { name, value in normalized(question.headers, name) == value }
    }

    /// The header fields of a request that `Vary` names; `nil` if that is all and everything.
    static func varying(_ question: CacheQuestion, _ reply: HTTPFields) -> [String: String]? {
        var varying: [String: String] = [:]
        for name in FieldList.split(reply[values: .vary]) {
            if name == "*" { return nil }
            let name = name.lowercased()
            varying[name] = normalized(question.headers, name)
        }
        return varying
    }

    /// A header field in one form: its lines in one, without optional space; languages in lower case.
    ///
    /// Of what nobody else may know there is a digest: it is compared only, and would be on a disk otherwise.
    private static func normalized(_ headers: HTTPFields, _ name: String) -> String {
        guard let field = HTTPField.Name(name) else { return "" }
        let value = FieldList.split(headers[values: field]).joined(separator: ",")
        switch field {
        case .acceptLanguage: return value.lowercased().filter { $0 != " " }
        case .authorization, .cookie, .proxyAuthorization:
            return value.isEmpty ? "" : SHA256.hash(data: Data(value.utf8)).hexadecimal
        default: return value
        }
    }
}
