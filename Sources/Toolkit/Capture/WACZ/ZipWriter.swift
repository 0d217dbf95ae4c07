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
    ///   - entries: The files.
    ///   - date: The modification date of all files.
    /// - Returns: The ZIP file.
    /// - Throws: `failed`, with libarchive's message.
    static func file(with entries: [Entry], at date: Date) throws(WACZError) -> Data {
        // Deflate adds at most five bytes per 16 KB to data that it can't compress.
        let size = entries.reduce(64 << 10) {
            $0 + $1.data.count + $1.data.count / 1_000 + 4 * $1.path.utf8.count + 1_024
        }
        let zip = try ZipStream(capacity: size)
        for entry in entries {
            try zip.begin(
                ZipStream.Header(
                    path: entry.path, size: entry.data.count, isCompressed: entry.isCompressed, date: date))
            try zip.append(entry.data)
            try zip.end()
        }
        try zip.finish()
        return zip.takeBytes()
    }
}

/// The reason why a WACZ or ZIP file couldn't be created or read.
package enum WACZError: Error, Hashable {
    case cancelled
    /// A library failed, or the file isn't valid.
    case failed(String)
}
