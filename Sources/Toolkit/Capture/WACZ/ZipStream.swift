import CArchive
package import Foundation

/// Writes a ZIP file piece by piece, without seeking: its size is limited only by where it is written.
///
/// The caller takes the finished bytes after each step, so that no more than a piece is in memory. Files of more than 4 GB,
/// and more than 65,535 of them, are written as ZIP64.
package final class ZipStream {
    /// What is written of a file before its content.
    package struct Header {
        /// The path, with slashes between its components.
        package var path: String
        /// The size in bytes; `nil` if it isn't known yet.
        package var size: Int?
        /// Whether the content is compressed.
        package var isCompressed: Bool
        /// The modification date.
        package var date: Date

        /// Describes a file.
        package init(path: String, size: Int?, isCompressed: Bool, date: Date) {
            (self.path, self.size, self.isCompressed, self.date) = (path, size, isCompressed, date)
        }
    }

    /// The bytes that weren't taken yet; libarchive has a pointer to it.
    private final class Output {
        var bytes = Data()
    }

    private let archive: OpaquePointer
    private let output = Output()

    /// Begins a ZIP file.
    ///
    /// - Parameter capacity: The number of bytes to reserve memory for.
    /// - Throws: `failed`, with libarchive's message.
    package init(capacity: Int = 0) throws(WACZError) {
        guard let archive = archive_write_new() else { throw .failed("no memory") }
        self.archive = archive
        output.bytes.reserveCapacity(capacity)
        try check(archive_write_set_format_zip(archive))
        // Each write is passed on at once, and nothing is added at the end.
        try check(archive_write_set_bytes_per_block(archive, 0))
        try check(archive_write_set_bytes_in_last_block(archive, 1))
        try check(
            archive_write_open(
                archive, Unmanaged.passUnretained(output).toOpaque(), nil,
                { _, output, bytes, count in
                    guard let output, let bytes else { return -1 }
                    let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
                    Unmanaged<Output>.fromOpaque(output).takeUnretainedValue().bytes.append(contentsOf: buffer)
                    return count
                }, nil))
    }

    deinit { archive_write_free(archive) }

    /// Begins a file, after the previous one has ended.
    package func begin(_ header: Header) throws(WACZError) {
        guard let entry = archive_entry_new() else { throw .failed("no memory") }
        defer { archive_entry_free(entry) }
        archive_entry_set_pathname(entry, header.path)
        if let size = header.size { archive_entry_set_size(entry, la_int64_t(size)) }
        archive_entry_set_filetype(entry, carchive_regular_file())
        archive_entry_set_perm(entry, 0o644)
        archive_entry_set_mtime(entry, time_t(header.date.timeIntervalSince1970), 0)
        try check(
            header.isCompressed
                ? archive_write_zip_set_compression_deflate(archive) : archive_write_zip_set_compression_store(archive))
        try check(carchive_write_header_utf8(archive, entry))
    }

    /// Writes a part of a file's content.
    ///
    /// - Throws: `failed`, also if the content is larger than the header says.
    package func append(_ part: some DataProtocol) throws(WACZError) {
        for region in part.regions {
            let written = region.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
            guard written == region.count else { throw error() }
        }
    }

    /// Ends a file.
    package func end() throws(WACZError) { try check(archive_write_finish_entry(archive)) }

    /// Ends the ZIP file.
    package func finish() throws(WACZError) { try check(archive_write_close(archive)) }

    /// Returns the bytes since the last call.
    package func takeBytes() -> Data {
        defer { output.bytes = Data() }
        return output.bytes
    }

    private func check(_ status: CInt) throws(WACZError) {
        guard status == ARCHIVE_OK || status == ARCHIVE_WARN else { throw error() }
    }

    private func error() -> WACZError {
        .failed(archive_error_string(archive).map { String(cString: $0) } ?? "unknown error")
    }
}
