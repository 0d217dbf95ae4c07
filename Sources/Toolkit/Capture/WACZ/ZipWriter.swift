import CArchive
import Foundation

/// Writes a ZIP file in memory.
struct ZipWriter {
    /// A file in the ZIP file.
    struct Entry {
        var path: String
        var data: Data
        /// Whether the data is compressed; files that readers access at random positions must not be.
        var isCompressed: Bool
    }

    /// Writes the entries in their order.
    ///
    /// - Parameters:
    ///   - entries: The files; their paths are ASCII.
    ///   - date: The modification date of all files.
    /// - Returns: The ZIP file.
    /// - Throws: `failed`, with libarchive's message.
    static func file(with entries: [Entry], at date: Date) throws(WACZError) -> Data {
        // Deflate adds at most five bytes per 16 KB to data that it can't compress.
        let size = entries.reduce(64 << 10) {
            $0 + $1.data.count + $1.data.count / 1_000 + 4 * $1.path.utf8.count + 1_024
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        var isReturned = false
        defer { if !isReturned { buffer.deallocate() } }
        guard let archive = archive_write_new() else { throw .failed("no memory") }
        defer { archive_write_free(archive) }
        var used = 0
        try check(archive_write_set_format_zip(archive), archive)
        try check(archive_write_open_memory(archive, buffer.baseAddress, buffer.count, &used), archive)
        for entry in entries { try write(entry, at: date, to: archive) }
        try check(archive_write_close(archive), archive)
        guard let base = buffer.baseAddress else { throw .failed("no memory") }
        isReturned = true
        return Data(bytesNoCopy: base, count: used, deallocator: .custom { pointer, _ in pointer.deallocate() })
    }

    private static func write(_ file: Entry, at date: Date, to archive: OpaquePointer) throws(WACZError) {
        guard let entry = archive_entry_new() else { throw .failed("no memory") }
        defer { archive_entry_free(entry) }
        archive_entry_set_pathname(entry, file.path)
        archive_entry_set_size(entry, la_int64_t(file.data.count))
        archive_entry_set_filetype(entry, carchive_regular_file())
        archive_entry_set_perm(entry, 0o644)
        archive_entry_set_mtime(entry, time_t(date.timeIntervalSince1970), 0)
        try check(
            file.isCompressed
                ? archive_write_zip_set_compression_deflate(archive) : archive_write_zip_set_compression_store(archive),
            archive)
        try check(archive_write_header(archive, entry), archive)
        let written = file.data.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
        guard written == file.data.count else { throw error(archive) }
        try check(archive_write_finish_entry(archive), archive)
    }

    private static func check(_ status: CInt, _ archive: OpaquePointer) throws(WACZError) {
        guard status == ARCHIVE_OK || status == ARCHIVE_WARN else { throw error(archive) }
    }

    private static func error(_ archive: OpaquePointer) -> WACZError {
        .failed(archive_error_string(archive).map { String(cString: $0) } ?? "unknown error")
    }
}

/// The reason why a WACZ file couldn't be created or read.
package enum WACZError: Error, Hashable {
    case cancelled
    /// A library failed, or the file isn't valid.
    case failed(String)
}
