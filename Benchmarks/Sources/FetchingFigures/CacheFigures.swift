import Dispatch
import Figures
import Foundation
import HTTPFetching
import SystemPackage

/// What it costs to serve what is kept, against reading a file of the same content.
enum CacheFigures {
    private static let sizes = [1_000, 10_000, 100_000, 1_000_000]

    static func print(rounds: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("figures-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var table = MarkdownTable(
            columns: [
                "microseconds", "warm hit, on disk", "the file, on a thread for that", "ratio", "the file, at once",
                "ratio",
                "warm hit, in memory",
            ])
        for size in sizes {
            let row = try await row(size, folder, rounds)
            table.add(["\(size.formatted()) bytes"] + row)
        }
        Swift.print(table)
        Swift.print(
            "Medians of \(rounds) rounds in turns of 500 each; the ratios are medians of each round's. A hit is looked up, "
                + "decided about, read, and its checksum compared.\n")
    }

    private static func row(_ size: Int, _ folder: String, _ rounds: Int) async throws -> [String] {
        let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let server = try await CannedServer.start(body: content, headers: "Cache-Control: max-age=3600\r\n")
        guard let url = URL(string: server.url) else { return [] }
        let onDisk = try ThroughputFigures.local(
            cache: HTTPCache(storage: DiskCacheStorage(at: "\(folder)/cache-\(size)")))
        let inMemory = try ThroughputFigures.local(cache: HTTPCache(storage: MemoryCacheStorage()))
        for fetcher in [onDisk, inMemory] { _ = try await fetcher.fetch(FetchRequest(url)) }
        let path = "\(folder)/plain-\(size)"
        try content.write(to: URL(filePath: path))
        let queue = DispatchQueue(label: "figures", attributes: .concurrent)
        var series = [Series(), Series(), Series(), Series()]
        var ratios = [Series(), Series()]
        for round in 0...rounds {
            let disk = try await each { try await hit(onDisk, url, size) }
            let hopped = try await each {
                let data = await withCheckedContinuation { continuation in
                    queue.async { continuation.resume(returning: try? read(path)) }
                }
                precondition(data?.count == size)
            }
            let direct = try await each {
                let data = try read(path)
                precondition(data.count == size)
            }
            let memory = try await each { try await hit(inMemory, url, size) }
            if round == 0 { continue }
            for (index, value) in [disk, hopped, direct, memory].enumerated() { series[index].add(value) }
            ratios[0].add(disk / hopped)
            ratios[1].add(disk / direct)
        }
        await server.close()
        return [
            series[0].median.digits(1), series[1].median.digits(1), ratios[0].median.digits(2),
            series[2].median.digits(1),
            ratios[1].median.digits(2), series[3].median.digits(1),
        ]
    }

    private static func hit(_ fetcher: HTTPFetcher, _ url: URL, _ size: Int) async throws {
        let resource = try await fetcher.fetch(FetchRequest(url))
        precondition(resource.isFromCache && resource.data.count == size)
    }

    private static func each(_ body: () async throws -> Void) async throws -> Double {
        let duration = try await time { for _ in 0..<500 { try await body() } }
        return duration / .microseconds(500)
    }

    /// The least that reading a file takes.
    @Sendable private static func read(_ path: String) throws -> Data {
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        defer { try? file.close() }
        let size = Int(try file.seek(offset: 0, from: .end))
        var data = Data(count: size)
        let count = try data.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: 0, into: $0) }
        precondition(count == size)
        return data
    }
}
