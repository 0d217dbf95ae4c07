import Foundation
import ModelJSON

/// Converts the body of a request to a query, by which an index distinguishes requests to one URL.
///
/// https://specs.webrecorder.net/request-body-canonicalization/latest/
enum RequestBodyQuery {
    /// The maximum length of a query, in Unicode scalars.
    static let limit = 4_096

    /// The body of a request as a query; `nil` for a method that has none.
    static func query(of exchange: HTTPExchange) -> String? {
        guard ["POST", "PUT"].contains(exchange.method) else { return nil }
        var body = Data()
        if case .data(let data) = exchange.requestBody { body = data }
        let field = exchange.requestField("content-type") ?? ""
        let type = field.lowercased()
        let query: String
        if type.hasPrefix("application/x-www-form-urlencoded") {
            query = String(validating: body, as: UTF8.self).map(unescaped) ?? binary(body)
        } else if type.hasPrefix("multipart/") {
            query = multipart(body, type: field) ?? binary(body)
        } else if type.hasPrefix("application/json") {
            query = json(body) ?? ""
        } else if type.hasPrefix("text/plain") {
            query = json(body) ?? binary(body)
        } else {
            query = binary(body)
        }
        return String(String.UnicodeScalarView(query.unicodeScalars.prefix(limit)))
    }

    /// The URL by which a request is indexed.
    static func indexedURL(of record: IndexedRecord) -> String {
        guard record.method != "GET" else { return record.url }
        let query = record.requestBody.flatMap { $0.isEmpty ? nil : "&\($0)" } ?? ""
        return
            "\(record.url)\(record.url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?")__wb_method=\(record.method)\(query)"
    }

    private static func binary(_ body: Data) -> String { "__wb_post_data=\(body.base64EncodedString())" }

    /// A form with plus signs and percent-encoded characters replaced.
    private static func unescaped(_ form: String) -> String {
        // Bytes that aren't UTF-8 become U+FFFD, as in other implementations.
        String(decoding: SortableURL.unescaped(Array(form.replacing("+", with: " ").utf8)), as: UTF8.self)
    }

    /// The members of a JSON text as a form; `nil` if it isn't JSON.
    private static func json(_ body: Data) -> String? {
        guard let json = try? JSON(Array(body)) else { return nil }
        var form = Form()
        form.add(json, name: "")
        return form.members.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
    }

    private static func escaped(_ text: String) -> String {
        String(decoding: escaped(Array(text.utf8)), as: UTF8.self)
    }

    /// Bytes in a query.
    static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(byte)
            case UInt8(ascii: " "):
                result.append(UInt8(ascii: "+"))
            default:
                result += SortableURL.escape(byte)
            }
        }
        return result
    }

    /// The members of a JSON value and of all values in it, in order.
    private struct Form {
        var members: [(name: String, value: String)] = []
        private var names: Set<String> = []
        private var counts: [String: Int] = [:]

        mutating func add(_ json: JSON, name: String) {
            switch json {
            case .object(let members): for member in members { add(member.value, name: member.name) }
            case .array(let elements): for element in elements { add(element, name: name) }
            case .string(let text): add(text, name)
            case .bool(let value): add(value ? "True" : "False", name)
            case .null: add("None", name)
            case .number(let number):
                add(number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)", name)
            }
        }

        private mutating func add(_ value: String, _ name: String) {
            guard !name.isEmpty else { return }
            var unique = name
            if names.contains(name) {
                counts[name, default: 1] += 1
                unique = "\(name).\(counts[name] ?? 2)_"
            }
            names.insert(unique)
            members.append((unique, value))
        }
    }
}
