import Crypto
import Digests
import DurableFiles
import Foundation

@testable import Persistence

extension FuzzTarget {
    /// Files of stores and headers of backups, as they are and with a valid checksum.
    static let envelopes = FuzzTarget(
        "envelopes",
        dictionary: [
            "{\"meanwhile\":1,\"format\":\"palettes\",\"version\":", ",\"revision\":\"", "\",\"bytes\":",
            ",\"checksum\":\"",
            "\"}\n", "{\"format\":\"", "\",\"version\":1,\"value\":\n", "\n}\n", "%2E", "%41", ".json", "blobs/",
            "manifest-",
            "ustar",
        ]
    ) { data in
        try check(Envelope.reading(data))
        let end = data.firstIndex(of: UInt8(ascii: "\n")) ?? data.endIndex
        let (head, payload) = (data[..<end], data[end...].dropFirst())
        var hash = SHA256()
        hash.update(data: head)
        hash.update(data: payload)
        let lead = Data(",\"checksum\":\"\(hash.finalize().hexadecimal)\"}\n".utf8)
        try check(Envelope.reading(head + lead + payload))
        try checkPlainFile(data)
        try checkNames(String(decoding: head, as: UTF8.self))
        if let (entry, size) = BackupEntry.parse(Array(data.prefix(512))) {
            try require(
                size >= 0 && entry.header(size: size) == Array(data.prefix(512)),
                "the header of \(entry.name) is written differently")
        }
    }

    private static func check(_ reading: Envelope.Reading) throws {
        switch reading {
        case .intact(let record):
            let format = StoredFormat<[String: Int]>(record.content.format, version: 3)
                .migrating(from: 1) { (old: [String]) in old }
            _ = try? format.value(of: record.content)
        case .newer(let version):
            try require(version > Envelope.version, "version \(version) is reported as newer")
        case .damaged(let reason):
            try require(!reason.isEmpty, "a reason is empty")
        }
    }

    private static func checkPlainFile(_ data: Data) throws {
        // The stamp only determines the revision, so the stamp of any file will do.
        guard let stamp = try FileStamp(at: "/proc/self/exe"),
            case .intact(let record) = PlainFile.reading(data, stamp)
        else { return }
        let isName = record.content.format.utf8.allSatisfy { byte in
            Set("abcdefghijklmnopqrstuvwxyz.-".utf8).contains(byte)
        }
        guard isName, let written = try? PlainFile.data(of: record.content, for: StoreKey("k")) else { return }
        guard case .intact(let again) = PlainFile.reading(written, stamp) else {
            throw BrokenInvariant(description: "a plain file is not read back as it was written")
        }
        try require(again.content == record.content, "a plain file has another value when it is read again")
    }

    private static func checkNames(_ text: String) throws {
        let names = FolderNames(ending: ".json")
        if let key = names.key(text) { try require(names.file(key) == text, "\(text) is the file of another key") }
        if let key = try? StoreKey(text) {
            try require(names.key(names.file(key)) == key, "\(text) is not found by its file")
        }
    }
}
