import Crypto
import Digests
import Foundation

/// A record as the bytes of one file: a line of JSON that says what follows it, and the payload.
///
///     {"meanwhile":1,"format":"palettes","version":2,"revision":"…","bytes":17,"checksum":"…"}
///
/// The checksum is the SHA-256 of everything before it and of the payload. This order, and the checksum at the end of the
/// line, are the same for all time, so that a newer envelope is told from a damaged one.
enum Envelope {
    /// The version of the line that is written.
    static let version = 1

    /// What bytes are.
    enum Reading {
        case whole(StoredRecord)
        case newer(Int)
        case damaged(String)
    }

    private static let checksumLead = Data(#","checksum":""#.utf8)
    private static let lineEnd = Data("\"}\n".utf8)
    private static let longestLine = 1_024
}

extension Envelope {
    /// The bytes of a record.
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

    /// The record in some bytes, if they are those that were written.
    static func reading(_ data: Data) -> Reading {
        guard !data.isEmpty else { return .damaged("it is empty") }
        guard let end = data.prefix(longestLine).firstIndex(of: UInt8(ascii: "\n")) else {
            return .damaged("its first line is not there whole")
        }
        let line = data[...end]
        let payload = data[(end + 1)...]
        let tail = checksumLead.count + 64 + lineEnd.count
        guard line.count > tail, line.suffix(lineEnd.count) == lineEnd,
            line.suffix(tail).prefix(checksumLead.count) == checksumLead
        else { return .damaged("its first line says something else than it should") }
        let head = line.dropLast(tail)
        let digits = line.suffix(64 + lineEnd.count).prefix(64)
        guard Data(checksum(of: head, payload).utf8) == digits else { return .damaged("its checksum is wrong") }
        return record(head, Data(payload))
    }

    /// Reads a line whose checksum is right.
    private static func record(_ head: Data, _ payload: Data) -> Reading {
        let json = head + Data("}".utf8)
        let decoder = JSONDecoder()
        guard let envelope = try? decoder.decode(Origin.self, from: json).meanwhile else {
            return .damaged("its first line is of another program")
        }
        guard envelope <= version else { return .newer(envelope) }
        guard let head = try? decoder.decode(Head.self, from: json), head.bytes == payload.count else {
            return .damaged("its first line is not what this program writes")
        }
        return .whole(
            StoredRecord(
                content: StoredContent(format: head.format, version: head.version, payload: payload),
                revision: Revision(head.revision)))
    }

    /// What the line of every version has.
    private struct Origin: Decodable {
        var meanwhile: Int
    }

    /// What that of this version has besides.
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
