import CArchive
package import Foundation

/// Reads the files of a ZIP file, which isn't trusted, one after another.
package final class ZipReader {
    /// The maximum length of a path in bytes.
    private static let maximumPath = 1_000
    private static let bufferSize = 256 << 10
    /// A locale whose charset is UTF-8.
    ///
    /// Linux and macOS name it differently. It is immutable and never freed.
    nonisolated(unsafe) private static let utf8 =
        newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) ?? newlocale(LC_CTYPE_MASK, "UTF-8", nil)

    private let archive: OpaquePointer
    private let bytes: UnsafeMutableRawBufferPointer?
    private let maximumFiles: Int
    private var paths: Set<String> = []
    private var path = ""

    /// Opens a ZIP file in memory.
    ///
    /// - Parameters:
    ///   - zip: The ZIP file.
    ///   - maximumFiles: The maximum number of its files.
    /// - Throws: `failed`, with the reason.
    package convenience init(_ zip: Data, maximumFiles: Int = 1_000) throws(WACZError) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(zip.count, 1), alignment: 16)
        zip.copyBytes(to: bytes)
        try self.init(bytes: bytes, maximumFiles: maximumFiles) {
            archive_read_open_memory($0, bytes.baseAddress, zip.count)
        }
    }

    /// Opens a ZIP file, of which only parts are in memory.
    ///
    /// - Parameters:
    ///   - path: The path of the ZIP file.
    ///   - maximumFiles: The maximum number of its files.
    /// - Throws: `failed`, with the reason.
    package convenience init(path: String, maximumFiles: Int) throws(WACZError) {
        try self.init(bytes: nil, maximumFiles: maximumFiles) { archive_read_open_filename($0, path, Self.bufferSize) }
    }

    private init(
        bytes: UnsafeMutableRawBufferPointer?, maximumFiles: Int, opening open: (OpaquePointer) -> CInt
    ) throws(WACZError) {
        guard let archive = archive_read_new() else {
            bytes?.deallocate()
            throw .failed("no memory")
        }
        (self.archive, self.bytes, self.maximumFiles) = (archive, bytes, maximumFiles)
        archive_read_support_format_zip_seekable(archive)
        guard open(archive) == ARCHIVE_OK else { throw error }
    }

    deinit {
        archive_read_free(archive)
        bytes?.deallocate()
    }

    /// Advances to the next file.
    ///
    /// - Returns: The path of the file; `nil` after the last one.
    /// - Throws: `failed`, with the reason.
    package func next() throws(WACZError) -> String? {
        // libarchive converts names to the charset of the thread's locale, which is ASCII in a process that sets none.
        let previousLocale = uselocale(Self.utf8)
        defer { uselocale(previousLocale) }
        var entry: OpaquePointer?
        while true {
            let status = archive_read_next_header(archive, &entry)
            if status == ARCHIVE_EOF { return nil }
            // A warning is about a property that isn't used here, or about the name, which is checked below.
            guard status == ARCHIVE_OK || status == ARCHIVE_WARN, let entry else { throw error }
            guard paths.count < maximumFiles else { throw .failed("it has more than \(maximumFiles) files") }
            guard let name = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry) else {
                throw .failed("a file has no name")
            }
            path = String(cString: name)
            guard path.utf8.count <= Self.maximumPath else { throw .failed("a file's name is too long") }
            guard paths.insert(path).inserted else { throw .failed("it has two files named \(path)") }
            if !path.hasSuffix("/") { return path }
        }
    }

    /// Reads the current file, whose checksum is verified.
    ///
    /// - Parameter limit: The maximum size of the file, in bytes.
    /// - Returns: The content.
    /// - Throws: `failed`, with the reason.
    package func read(upTo limit: Int) throws(WACZError) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
        while true {
            let count = buffer.withUnsafeMutableBytes { archive_read_data(archive, $0.baseAddress, $0.count) }
            if count == 0 { return data }
            guard count > 0 else { throw error }
            guard count <= limit - data.count else { throw .failed("its content is too large") }
            data.append(contentsOf: buffer[..<count])
        }
    }

    private var error: WACZError {
        .failed(archive_error_string(archive).map { String(cString: $0) } ?? "it isn't a ZIP file")
    }

    /// Reads files of a ZIP file in memory.
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
        let reader = try ZipReader(zip, maximumFiles: maximumFiles)
        var files: [String: Data] = [:]
        var rest = limit
        while let path = try reader.next() {
            guard isWanted(path) else { continue }
            let content = try reader.read(upTo: rest)
            rest -= content.count
            files[path] = content
        }
        return files
    }
}
