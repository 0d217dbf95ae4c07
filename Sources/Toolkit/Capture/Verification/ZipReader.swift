import CArchive
package import Foundation

/// Reads the files of a ZIP file in memory, which isn't trusted.
package enum ZipReader {
    /// The maximum length of a path in bytes.
    private static let maximumPath = 1_000
    private static let bufferSize = 256 << 10
    /// A locale whose charset is UTF-8.
    ///
    /// Linux and macOS name it differently. It is immutable and never freed.
    nonisolated(unsafe) private static let utf8 =
        newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) ?? newlocale(LC_CTYPE_MASK, "UTF-8", nil)

    /// Reads files; their checksums are verified.
    ///
    /// - Parameters:
    ///   - zip: The ZIP file.
    ///   - limit: The maximum size of all wanted files together, in bytes.
    ///   - maximumFiles: The maximum number of all files.
    ///   - isWanted: Whether to read the file with a path.
    /// - Returns: The files by path.
    /// - Throws: `failed`, with the reason.
    package static func files(
        in zip: Data, limit: Int, maximumFiles: Int = 1_000, where isWanted: (String) -> Bool = { _ in true }
    ) throws(WACZError) -> [String: Data] {
        // libarchive converts names to the charset of the thread's locale, which is ASCII in a process that sets none.
        let previousLocale = uselocale(utf8)
        defer { uselocale(previousLocale) }
        guard let archive = archive_read_new() else { throw .failed("no memory") }
        defer { archive_read_free(archive) }
        archive_read_support_format_zip_seekable(archive)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(zip.count, 1), alignment: 16)
        defer { bytes.deallocate() }
        zip.copyBytes(to: bytes)
        guard archive_read_open_memory(archive, bytes.baseAddress, zip.count) == ARCHIVE_OK else {
            throw error(archive)
        }
        var files: [String: Data] = [:]
        var (rest, count) = (limit, 0)
        var entry: OpaquePointer?
        while true {
            let status = archive_read_next_header(archive, &entry)
            if status == ARCHIVE_EOF { return files }
            // A warning is about a property that isn't used here, or about the name, which is checked below.
            guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry else { throw error(archive) }
            guard count < maximumFiles else { throw .failed("it has more than \(maximumFiles) files") }
            count += 1
            guard let name = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry) else {
                throw .failed("a file has no name")
            }
            let path = String(cString: name)
            guard path.utf8.count <= maximumPath else { throw .failed("a file's name is too long") }
            guard files[path] == nil else { throw .failed("it has two files named \(path)") }
            if path.hasSuffix("/") || !isWanted(path) { continue }
            files[path] = try content(of: archive, path: path, rest: &rest)
        }
    }

    private static func content(
        of archive: OpaquePointer, path: String, rest: inout Int
    ) throws(WACZError) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: bufferSize)
        while true {
            let count = buffer.withUnsafeMutableBytes { archive_read_data(archive, $0.baseAddress, $0.count) }
            if count == 0 { return data }
            guard count > 0 else { throw error(archive) }
            guard count <= rest else { throw .failed("its content is too large") }
            rest -= count
            data.append(contentsOf: buffer[..<count])
        }
    }

    private static func error(_ archive: OpaquePointer) -> WACZError {
        .failed(archive_error_string(archive).map { String(cString: $0) } ?? "it isn't a ZIP file")
    }
}
