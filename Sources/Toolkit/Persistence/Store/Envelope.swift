import Crypto
import Digests
import Foundation

/// A record as the bytes of one file: a header line in JSON, and the payload.
///
///     {"meanwhile":1,"format":"palettes","version":2,"revision":"…","bytes":17,"checksum":"…"}
///
/// The checksum is the SHA-256 of everything before it and of the payload. This order, and the checksum at the end of the
/// line, must never change: they distinguish a newer envelope from a damaged one.
enum Envelope {
    /// The version of the header that is written.
    static let version = 1

    /// The result of reading bytes.
    enum Reading {
        case intact(StoredRecord)
        case newer(Int)
        case damaged(String)
    }

    private static let checksumLead = Data(#","checksum":""#.utf8)
    private static let lineEnd = Data("\"}\n".utf8)
    private static let longestLine = 1_024
}

extension Envelope {
    /// Encodes a record.
    static func data(of content: StoredContent, revision: Revision, version: Int = Envelope.version) -> Data {
        let head =
            #"{"meanwhile":\#(version),"format":"\#(content.format)","version":\#(content.version),"#
            + #""revision":"\#(revision)","bytes":\#(content.payload.count)"#
        let digits = checksum(of: Data(head.utf8), content.payload)
        var data = Data(capacity: head.utf8.count + 80 + content.payload.count)
        data.append(contentsOf: head.utf8)
        data.append(checksumLead)
        data.append(contentsOf: digits.utf8)
        data.append(lineEnd)
        data.append(content.payload)
        return data
    }

    /// Decodes a record, after verifying its checksum.
    static func reading(_ data: Data) -> Reading {
        guard !data.isEmpty else { return .damaged("it is empty") }
        guard let end = data.prefix(longestLine).firstIndex(of: UInt8(ascii: "\n")) else {
            return .damaged("its first line is incomplete")
        }
        let line = data[...end]
        let payload = data[(end + 1)...]
        let tail = checksumLead.count + 64 + lineEnd.count
        guard line.count > tail, line.suffix(lineEnd.count) == lineEnd,
            line.suffix(tail).prefix(checksumLead.count) == checksumLead
        else { return .damaged("its first line is invalid") }
        let head = line.dropLast(tail)
        let digits = line.suffix(64 + lineEnd.count).prefix(64)
        guard Data(checksum(of: head, payload).utf8) == digits else { return .damaged("its checksum is wrong") }
        return record(head, Data(payload))
    }

    /// Decodes a header whose checksum is correct.
    private static func record(_ head: Data, _ payload: Data) -> Reading {
        let json = head + Data("}".utf8)
        let decoder = JSONDecoder()
        guard let envelope = try? decoder.decode(CommonHead.self, from: json).meanwhile else {
            return .damaged("its first line was written by another program")
        }
        guard envelope <= version else { return .newer(envelope) }
        guard let head = try? decoder.decode(Head.self, from: json), head.bytes == payload.count else {
            return .damaged("its first line does not have this program's format")
        }
        return .intact(
            StoredRecord(
                content: StoredContent(format: head.format, version: head.version, payload: payload),
                revision: Revision(head.revision)))
    }

    /// The field that the header of every version has.
    private struct CommonHead: Decodable {
        var meanwhile: Int
    }

    /// The other fields of the header of this version.
    private struct Head: Decodable {
        var format: String
        var version: Int
        var revision: String
        var bytes: Int
    }

    private static func checksum(of head: Data, _ payload: Data) -> String {
        var hash = SHA256()
        hash.update(data: head)
        hash.update(data: payload)
        return hash.finalize().hexadecimal
    }
}
