import Foundation
import Futures
import SystemPackage

/// A PNG file that is written stripe by stripe, so that a picture of any height needs little memory.
final class StripedPicture: Sendable {
    private let file: FileDescriptor
    private let state = Lock((joiner: PNGJoiner(), size: 0))

    /// Creates a temporary file without a name.
    ///
    /// - Throws: The system's error.
    init() throws {
        let path = FilePath(NSTemporaryDirectory()).appending("meanwhile-picture-\(UUID().uuidString)")
        file = try FileDescriptor.open(
            path, .readWrite, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
        // Without a name, the file disappears with the last reference to it, even if this process is killed.
        try FileManager.default.removeItem(atPath: path.string)
    }

    deinit {
        try? file.close()
    }

    /// Adds a stripe below the others, unless it's not the first one and the file would exceed the limit.
    ///
    /// - Parameters:
    ///   - stripe: A PNG file.
    ///   - limit: The maximum size of the file, in bytes.
    /// - Returns: Whether the stripe was added.
    /// - Throws: ``PNGJoiningError``, or the system's error.
    func append(_ stripe: Data, limit: Int) throws -> Bool {
        try state.withLock { state in
            guard state.size == 0 || stripe.count <= limit - state.size else { return false }
            let bytes = try state.joiner.append(PNGStripe(stripe, isTop: state.size == 0))
            try file.writeAll(bytes)
            state.size += bytes.count
            return true
        }
    }

    /// Ends the file.
    ///
    /// - Returns: The file's content, which stays on disk until it is read.
    /// - Throws: The system's error.
    func finish() throws -> Data {
        let (end, header) = state.withLock { $0.joiner.finish() }
        try file.writeAll(end)
        try file.writeAll(toAbsoluteOffset: 0, header)
        // The mapping outlives the descriptor.
        return try Data(contentsOf: URL(filePath: "/dev/fd/\(file.rawValue)"), options: .alwaysMapped)
    }
}
