import FaultServer
import Foundation
import HTTPFetching
import Loading
import Testing

// The functions of the tutorial `YourFirstFetch`.

/// Fetches a picture of at most 5 MB, and returns its size and type, or the reason why there is none.
private func describePicture(
    at url: URL, with fetcher: HTTPFetcher, progress: @escaping @Sendable (FetchProgress) -> Void
) async -> String {
    let request = FetchRequest(url, expecting: .image, limits: FetchLimits { $0.bytes = 5_000_000 })
    do {
        let picture = try await fetcher.fetch(request, progress: progress)
        return "\(picture.data.count) bytes, \(picture.sniffedType)"
    } catch {
        return "\(error.message) \(advice(for: error))"
    }
}

/// Says whether and when to try again.
private func advice(for error: FetchError) -> String {
    switch error.retryAdvice {
    case .never: "A retry won't help."
    case .retry(after: nil): "Try again in a moment."
    case .retry(after: let pause?): "Try again in \(pause)."
    case .whenConnected: "Try again when this machine is online."
    }
}

/// Writes a download to a file, which exists only if it's complete.
private func download(_ url: URL, to path: String, with fetcher: HTTPFetcher) async throws(FetchError) {
    _ = try await fetcher.fetch(FetchRequest(url, destination: .file(path)))
}

@Suite(.timeLimit(.minutes(10))) struct FirstFetchTests {
    @Test func pictureIsDescribedAndOtherResponsesAreExplained() async throws {
        let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let server = try await FaultServer.start([
            "/picture": { _, connection in try await connection.respond(200, png) },
            "/page": { _, connection in try await connection.respond(200, "<!DOCTYPE html><title>Not found</title>") },
            "/busy": { _, connection in try await connection.respond(503, "") },
        ])
        let fetcher = try HTTPFetcher.local()
        let progress = Collected<FetchProgress>()
        func described(_ path: String, by fetcher: HTTPFetcher) async -> String {
            await describePicture(at: server.url(path), with: fetcher) { progress.add($0) }
        }
        #expect(await described("/picture", by: fetcher) == "8 bytes, png")
        #expect(progress.elements.last?.received == 8)
        #expect(await described("/page", by: fetcher).contains("not an image, but an HTML page"))
        #expect(await described("/busy", by: fetcher).hasSuffix("Try again in a moment."))
        #expect(await described("/picture", by: HTTPFetcher()).contains("--allow 127.0.0.1:\(server.port)"))
        let path = NSTemporaryDirectory() + "first-fetch-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await download(server.url("/picture"), to: path, with: fetcher)
        #expect(FileManager.default.contents(atPath: path) == png)
        await server.close()
    }
}
