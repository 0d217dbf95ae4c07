import Crypto
import Digests
import DurableFiles
import Foundation

/// A record as JSON that people can read and edit.
///
///     {"format":"palettes","version":2,"value":
///     [{"name":"Faces"}]
///     }
///
/// It has no checksum, so that it can be edited. A file that isn't JSON, or has no format, is damaged.
enum PlainFile {
    private static let valueLead = ",\"value\":\n"
    private static let end = Data("\n}\n".utf8)

    /// Encodes content.
    ///
    /// - Throws: ``StoreError`` with the code `notEncodable` if the payload is not JSON.
    static func data(of content: StoredContent, for key: StoreKey) throws(StoreError) -> Data {
        guard isJSON(content.payload) else {
            throw StoreError(
                .notEncodable,
                "“\(key)” cannot be stored as a plain file: its payload is not JSON. Encode it as JSON, or store it in "
                    + "a checked folder.")
        }
        return Data(lead(of: content).utf8) + content.payload + end
    }

    /// Decodes a record.
    static func reading(_ data: Data, _ stamp: FileStamp) -> Envelope.Reading {
        guard !data.isEmpty else { return .damaged("it is empty") }
        guard let object = try? JSONDecoder().decode(Labels.self, from: data) else {
            return .damaged("it is not JSON with a format, a version and a value")
        }
        var content = StoredContent(format: object.format, version: object.version, payload: Data())
        guard let payload = payload(in: data, after: lead(of: content)) else {
            return .damaged("its value cannot be read")
        }
        content.payload = payload
        return .intact(StoredRecord(content: content, revision: revision(data, stamp)))
    }

    /// The revision of a file: each write of a store has a later modification time, and an edit changes the content.
    static func revision(_ data: Data, _ stamp: FileStamp) -> Revision {
        Revision("\(stamp.modified)-\(SHA256.hash(data: data).prefix(8).hexadecimal)")
    }
}

extension PlainFile {
    private struct Labels: Decodable {
        var format: String
        var version: Int
    }

    private static func lead(of content: StoredContent) -> String {
        #"{"format":"\#(content.format)","version":\#(content.version)"# + valueLead
    }

    /// The value: the exact bytes that were written, or an equal value if an editor has reformatted the file.
    private static func payload(in data: Data, after lead: String) -> Data? {
        if data.starts(with: lead.utf8), data.suffix(end.count) == end {
            let payload = Data(data.dropFirst(lead.utf8.count).dropLast(end.count))
            if isJSON(payload) { return payload }
        }
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any], let value = object["value"]
        else { return nil }
        return try? JSONSerialization.data(
            withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
    }

    private static func isJSON(_ data: Data) -> Bool {
        (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil
    }
}
