import EmojiArtModel
import Foundation
import Futures
import HTTPTypes
import Hummingbird
import NIOCore
import Persistence
import RealPictures
import Site
import Testing

@testable import EmojiArtWeb

/// Tests dropped and pasted pictures.
@Suite(.timeLimit(.minutes(10))) struct BoardPictureTests {
    private func uploadPicture(_ data: Data, on server: BoardServer, _ headers: HTTPFields = [:]) async throws
        -> BoardResponse
    {
        try await server.ask(.post, "/art/boards/beach/pictures", headers, body: data)
    }

    @Test func uploadedPictureCanBeSetAsBackground() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            let answer = try await uploadPicture(SamplePictures.png, on: server)
            #expect(answer.status == 201, "\(answer.text)")
            let stored: StoredPictureJSON = try answer.json()
            #expect(stored.width == 640 && stored.height == 480 && stored.picture.count == 64)
            let set = try await server.send(
                #"{"op":"background","background":{"picture":"\#(stored.picture)"}}"#, as: "bg")
            #expect(try set.json() == OutcomeJSON(revision: 1, refused: []))
            let url = "/art/boards/beach/picture/\(stored.picture)"
            let shown = try await server.follow { follower in
                try await follower.next("picture") { try $0.json(PictureStateJSON.self).state == "shown" }
            }
            let picture: PictureStateJSON = try shown.json()
            #expect(picture.picture == PictureStateJSON.Shown(url: url, width: 640, height: 480))
            #expect(picture.address == nil)
            #expect(try await server.state().art.background == ["picture": stored.picture])
            let served = try await server.ask(.get, url)
            #expect(served.status == 200)
            #expect(served.data == SamplePictures.png)
            #expect(served.headers[.contentType] == "image/png")
        }
    }

    @Test func pictureIsServedCacheableAndSandboxed() async throws {
        try await BoardServer.run { server in
            let id = try await server.createBoard()
            // The store accepts such a picture; only uploads are screened.
            let script = PictureContent(data: SamplePictures.svgWithScript, type: "image/svg+xml")
            let hash = try await server.store.add(script, for: id, owner: .local)
            let url = "/art/boards/beach/picture/\(hash)"
            let answer = try await server.ask(.get, url)
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "image/svg+xml")
            #expect(
                answer.headers[.contentSecurityPolicy]
                    == "sandbox; default-src 'none'; style-src 'unsafe-inline'")
            #expect(answer.headers[.xContentTypeOptions] == "nosniff")
            #expect(answer.headers[.crossOriginResourcePolicy] == "same-origin")
            #expect(answer.headers[.cacheControl]?.contains("immutable") == true)
            let tag = try #require(answer.headers[.eTag])
            let again = try await server.ask(.get, url, [.ifNoneMatch: tag])
            #expect(again.status == 304 && again.data.isEmpty)
        }
    }

    @Test func pictureOfAnotherOrMissingBoardIsNotFound() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await server.createBoard("hill")
            let stored: StoredPictureJSON = try await uploadPicture(SamplePictures.png, on: server).json()
            for path in [
                "hill/picture/\(stored.picture)", "beach/picture/\(String(repeating: "0", count: 64))",
                "beach/picture/x",
                "beach/picture/\(stored.picture.uppercased())", "nobody/picture/\(stored.picture)",
            ] {
                let answer = try await server.ask(.get, "/art/boards/\(path)")
                #expect(answer.status == 404, "\(path)")
                #expect(answer.detail.contains("Reload the page"))
            }
        }
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let data: Data
        let status: Int
        let words: String
    }

    static let refused = [
        Refused(testDescription: "nothing", data: Data(), status: 422, words: "empty"),
        Refused(testDescription: "a page", data: Data("<!doctype html><p>Hi".utf8), status: 415, words: "HTML page"),
        Refused(testDescription: "text", data: Data("Not a picture at all".utf8), status: 415, words: "not an image"),
        Refused(
            testDescription: "a bomb", data: RealPictures.pngHeader(60_000, 60_000), status: 422, words: "pixels"),
        Refused(testDescription: "cut off", data: SamplePictures.png.prefix(20), status: 422, words: "cut off"),
        Refused(
            testDescription: "no body", data: RealPictures.pngHeader(9, 9), status: 422, words: "cut off"),
        Refused(
            testDescription: "a wrong checksum", data: RealPictures.pngWithWrongChecksum(9, 9), status: 422,
            words: "checksum"),
        Refused(testDescription: "a script", data: SamplePictures.svgWithScript, status: 422, words: "script"),
        Refused(
            testDescription: "too large", data: SamplePictures.png(9, 9, padding: BoardLimits.pictureBytes),
            status: 413,
            words: "20 MB"),
    ]

    @Test(arguments: refused)
    func unusablePictureIsRefusedWithReason(_ picture: Refused) async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            // The declared content type doesn't matter.
            let answer = try await uploadPicture(picture.data, on: server, [.contentType: "image/png"])
            #expect(answer.status == picture.status, "\(answer.text)")
            #expect(answer.detail.contains(picture.words), "\(answer.detail)")
        }
    }

    @Test func svgIsServedAsSVG() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            let stored: StoredPictureJSON = try await uploadPicture(SamplePictures.svg, on: server).json()
            #expect(stored.width == 30 && stored.height == 20)
            let served = try await server.ask(.get, "/art/boards/beach/picture/\(stored.picture)")
            #expect(served.headers[.contentType] == "image/svg+xml")
        }
    }

    // MARK: During the upload

    private func upload(
        _ pieces: Int, of size: Int, upTo limit: Int, headers: HTTPFields = [:]
    ) async -> (taken: Int, error: (any Error)?) {
        let (body, source) = AsyncStream.makeStream(of: ByteBuffer.self)
        for _ in 0..<pieces { source.yield(ByteBuffer(repeating: 1, count: size)) }
        source.finish()
        let counted = CountingPieces(body)
        let request = Request(
            head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/", headerFields: headers),
            body: RequestBody(asyncSequence: counted))
        do {
            _ = try await ArtUpload.file(
                of: request, upTo: limit, orElse: .pictureTooLarge, in: NSTemporaryDirectory(), leaving: .automatic)
            return (counted.count, nil)
        } catch {
            return (counted.count, error)
        }
    }

    @Test func oversizedUploadIsNotReadToItsEnd() async {
        let (taken, error) = await upload(100, of: 10, upTo: 25)
        #expect(taken == 3)
        #expect(error is Problem)
        let declared = await upload(100, of: 10, upTo: 25, headers: [.contentLength: "1000"])
        #expect(declared.taken == 0)
        #expect(declared.error is Problem)
        #expect(await upload(2, of: 10, upTo: 20).error == nil)
    }
}

/// Counts the pieces that are read.
private final class CountingPieces: AsyncSequence, Sendable {
    private let pieces: AsyncStream<ByteBuffer>
    private let taken = Lock(0)

    init(_ pieces: AsyncStream<ByteBuffer>) {
        self.pieces = pieces
    }

    var count: Int { taken.withLock { $0 } }

    struct AsyncIterator: AsyncIteratorProtocol {
        var pieces: AsyncStream<ByteBuffer>.AsyncIterator
        let owner: CountingPieces

        mutating func next() async -> ByteBuffer? {
            await next(isolation: #isolation)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async -> ByteBuffer? {
            guard let piece = await pieces.next(isolation: actor) else { return nil }
            owner.taken.withLock { $0 += 1 }
            return piece
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: pieces.makeAsyncIterator(), owner: self) }
}
