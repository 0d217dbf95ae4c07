import Foundation
import Hummingbird

/// The files of one folder, served under `/files/`.
///
/// `FileMiddleware` refuses every path that contains `..` once its percent signs are decoded. A symbolic link within
/// the folder is followed wherever it leads: Debian's documentation shares its scripts that way.
struct StaticFolder: FileProvider {
    /// The attributes of a file that `FileMiddleware` needs.
    struct FileAttributes: FileMiddlewareFileAttributes {
        let isFolder: Bool
        let size: Int
        let modificationDate: Date
    }

    private static let prefix = "/files/"
    private let root: URL
    private let files = FileIO()

    init(root: URL) {
        self.root = root
    }

    func getFileIdentifier(_ path: String) -> String? {
        guard path.hasPrefix(Self.prefix) else { return nil }
        return self.root.appendingPathComponent(String(path.dropFirst(Self.prefix.count))).path
    }

    func getAttributes(id: String) async throws -> FileAttributes? {
        let resolved = URL(fileURLWithPath: id).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved) else { return nil }
        return FileAttributes(
            isFolder: attributes[.type] as? FileAttributeType == .typeDirectory,
            size: (attributes[.size] as? NSNumber)?.intValue ?? 0,
            modificationDate: attributes[.modificationDate] as? Date ?? Date(timeIntervalSince1970: 0))
    }

    func loadFile(id: String, context: some RequestContext) async throws -> ResponseBody {
        try await self.files.loadFile(path: id, context: context)
    }

    func loadFile(id: String, range: ClosedRange<Int>, context: some RequestContext) async throws -> ResponseBody {
        try await self.files.loadFile(path: id, range: range, context: context)
    }
}
