import DurableFiles
import Foundation
import ImageInfo
import NIOCore
import NIOFoundationCompat
import SystemPackage

/// Collects a content as it arrives, in memory or in a file, and looks at its first bytes.
struct ContentCollector: Sendable {
    private enum Place: Sendable {
        case memory(ByteBuffer)
        case file(FileBeingWritten)
    }

    private var place: Place
    private var header: [UInt8] = []
    private(set) var count = 0

    /// - Throws: ``FetchError`` with the code `notWritable`, if there can be no such file.
    init(_ destination: FetchRequest.Destination) async throws(FetchError) {
        switch destination {
        case .memory: self.place = .memory(ByteBuffer())
        case .file(let path): self.place = .file(try await FileBeingWritten(path))
        }
    }

    /// What its first bytes are, if there are enough of them to tell, or there will be no more.
    func sniffed(isWhole: Bool) -> SniffedType? {
        switch place {
        case .memory(let buffer):
            guard isWhole || buffer.readableBytes >= SniffedType.headerLength else { return nil }
            return SniffedType(sniffing: buffer.readableBytesView)
        case .file:
            guard isWhole || header.count >= SniffedType.headerLength else { return nil }
            return SniffedType(sniffing: header)
        }
    }

    /// Makes room for what is announced; not for all of it if it is much, because a server can announce any length.
    mutating func reserve(_ bytes: Int) {
        guard case .memory(var buffer) = place else { return }
        place = .memory(ByteBuffer())
        buffer.reserveCapacity(min(bytes, 4 << 20))
        place = .memory(buffer)
    }

    mutating func append(_ piece: ByteBuffer) async throws(FetchError) {
        count += piece.readableBytes
        switch place {
        case .memory(var buffer):
            // Taken out, so that there is one owner and nothing is copied.
            place = .memory(ByteBuffer())
            if buffer.capacity == 0 {
                buffer = piece
            } else {
                buffer.writeImmutableBuffer(piece)
            }
            place = .memory(buffer)
        case .file(let file):
            if header.count < SniffedType.headerLength {
                header.append(contentsOf: piece.readableBytesView.prefix(SniffedType.headerLength - header.count))
            }
            try await file.write(Data(piece.readableBytesView))
        }
    }

    /// Drops what was collected.
    mutating func startAnew() async throws(FetchError) {
        count = 0
        header = []
        switch place {
        case .memory: place = .memory(ByteBuffer())
        case .file(let file): try await file.empty()
        }
    }

    /// The content is whole.
    mutating func finish() async throws(FetchError) -> FetchedResource.Content {
        switch place {
        case .memory(var buffer):
            place = .memory(ByteBuffer())
            return .data(buffer.readData(length: buffer.readableBytes, byteTransferStrategy: .noCopy) ?? Data())
        case .file(let file):
            try await file.finish()
            return .file(file.path, bytes: Int64(count))
        }
    }

    /// The content is not wanted: nothing is left of it.
    func abandon() async {
        if case .file(let file) = place { await file.abandon() }
    }
}

/// A file that is written beside its place, and has its name when it is whole.
private struct FileBeingWritten: Sendable {
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
            let end = path.lastIndex(of: "/") ?? path.startIndex
            try Disk.real.syncFolder(end == path.startIndex ? "/" : String(path[..<end]))
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
