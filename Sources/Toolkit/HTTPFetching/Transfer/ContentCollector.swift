import DurableFiles
import Foundation
import ImageInfo
import NIOCore
import NIOFoundationCompat
import SystemPackage

/// Collects content in memory or in a file as it arrives, and detects its type.
struct ContentCollector: Sendable {
    private enum Storage: Sendable {
        case memory(ByteBuffer)
        case file(TemporaryFile)
    }

    private var storage: Storage
    private var header: [UInt8] = []
    private(set) var count = 0

    /// - Throws: ``FetchError`` with the code `notWritable`, if the file can't be created.
    init(_ destination: FetchRequest.Destination) async throws(FetchError) {
        switch destination {
        case .memory: self.storage = .memory(ByteBuffer())
        case .file(let path): self.storage = .file(try await TemporaryFile(path))
        }
    }

    /// The content's type; `nil` while more bytes are needed to detect it.
    func sniffed(isComplete: Bool) -> SniffedType? {
        switch storage {
        case .memory(let buffer):
            guard isComplete || buffer.readableBytes >= SniffedType.headerLength else { return nil }
            return SniffedType(sniffing: buffer.readableBytesView)
        case .file:
            guard isComplete || header.count >= SniffedType.headerLength else { return nil }
            return SniffedType(sniffing: header)
        }
    }

    /// Reserves memory for the announced length, up to 4 MiB, because a server can announce any length.
    mutating func reserve(_ bytes: Int) {
        guard case .memory(var buffer) = storage else { return }
        storage = .memory(ByteBuffer())
        buffer.reserveCapacity(min(bytes, 4 << 20))
        storage = .memory(buffer)
    }

    mutating func append(_ piece: ByteBuffer) async throws(FetchError) {
        count += piece.readableBytes
        switch storage {
        case .memory(var buffer):
            // Moved out of the enum, so that the buffer has one owner and isn't copied.
            storage = .memory(ByteBuffer())
            if buffer.capacity == 0 {
                buffer = piece
            } else {
                buffer.writeImmutableBuffer(piece)
            }
            storage = .memory(buffer)
        case .file(let file):
            if header.count < SniffedType.headerLength {
                header.append(contentsOf: piece.readableBytesView.prefix(SniffedType.headerLength - header.count))
            }
            try await file.write(Data(piece.readableBytesView))
        }
    }

    /// Discards the content collected so far.
    mutating func restart() async throws(FetchError) {
        count = 0
        header = []
        switch storage {
        case .memory: storage = .memory(ByteBuffer())
        case .file(let file): try await file.empty()
        }
    }

    /// Completes the content, and moves a file to its final path.
    mutating func finish() async throws(FetchError) -> FetchedResource.Content {
        switch storage {
        case .memory(var buffer):
            storage = .memory(ByteBuffer())
            return .data(buffer.readData(length: buffer.readableBytes, byteTransferStrategy: .noCopy) ?? Data())
        case .file(let file):
            try await file.finish()
            return .file(file.path, bytes: Int64(count))
        }
    }

    /// Discards the content and deletes the temporary file.
    func abandon() async {
        if case .file(let file) = storage { await file.abandon() }
    }
}

/// A file that is written under a temporary name and renamed when it's complete.
private struct TemporaryFile: Sendable {
    let path: String
    private let temporary: String
    private let file: OpenFile

    init(_ path: String) async throws(FetchError) {
        let temporary = "\(path).part-\(UUID().uuidString)"
        self.path = path
        self.temporary = temporary
        self.file = try await Self.run(path) { () throws(Errno) in try OpenFile(temporary, .new) }
    }

    func write(_ data: Data) async throws(FetchError) {
        try await Self.run(path) { [file] () throws(Errno) in try file.append(data) }
    }

    func empty() async throws(FetchError) {
        try await Self.run(path) { [file] () throws(Errno) in try file.truncate(to: 0) }
    }

    func finish() async throws(FetchError) {
        try await Self.run(path) { [file, temporary, path] () throws(Errno) in
            try file.sync()
            try Disk.real.rename(temporary, to: path)
            try Disk.real.syncEntry(path)
        }
    }

    func abandon() async {
        _ = try? await Self.run(path) { [temporary] () throws(Errno) in try Disk.real.removeFile(temporary) }
    }

    private static func run<Value: Sendable>(
        _ path: String, _ work: @escaping @Sendable () throws(Errno) -> Value
    ) async throws(FetchError) -> Value {
        do throws(Errno) {
            return try await DiskWork.run(work)
        } catch {
            let error = FileError(error, "could not be written", at: path)
            throw FetchError(.notWritable, "\(error)", underlying: error)
        }
    }
}
