import BrowserDriver
import EmojiArtModel
import FaultServer
import Foundation
import Futures
import HTTPTypes
import RealPictures
import Testing

@testable import EmojiArtWeb

/// Tests backgrounds that the server fetches.
@Suite(.timeLimit(.minutes(10))) struct BoardBackgroundTests {
    /// Runs the body with a server, and with a site that serves pictures.
    private func run(
        _ routes: [String: FaultServer.Route], allowing allowed: [String] = ["127.0.0.1"],
        _ body: (BoardServer, FaultServer) async throws -> Void
    ) async throws {
        let site = try await FaultServer.start(routes)
        do {
            try await BoardServer.run(allowing: allowed) { server in
                try await server.createBoard()
                try await body(server, site)
            }
        } catch {
            await site.close()
            throw error
        }
        await site.close()
    }

    private func setBackground(_ address: URL, on server: BoardServer, as id: String = "bg") async throws {
        let operation = #"{"op":"background","background":{"address":"\#(address.absoluteString)"}}"#
        let answer = try await server.send(operation, as: id)
        #expect(try answer.json(OutcomeJSON.self).refused.isEmpty)
    }

    /// Follows the board until its picture is in a given state.
    private func picture(_ state: String, on server: BoardServer) async throws -> PictureStateJSON {
        try await server.follow { follower in
            let event = try await follower.next("picture") { try $0.json(PictureStateJSON.self).state == state }
            return try event.json()
        }
    }

    private static let picture: FaultServer.Route = { _, connection in
        try await connection.respond(200, [("Content-Type", "image/png")], SamplePictures.png)
    }

    @Test func backgroundIsFetchedOnceAndServedLocally() async throws {
        try await run(["/beach.png": Self.picture]) { server, site in
            let address = site.url("/beach.png")
            try await setBackground(address, on: server)
            let shown = try await picture("shown", on: server)
            #expect(shown.address == address.absoluteString)
            let picture = try #require(shown.picture)
            #expect(picture.width == 640 && picture.height == 480)
            #expect(try await server.ask(.get, picture.url).data == SamplePictures.png)
            // Another process has the picture too, and doesn't fetch it.
            try await server.withSecondServer { other in
                let again = try await self.picture("shown", on: other)
                #expect(again.picture == picture)
            }
            #expect(site.requests("/beach.png").count == 1)
        }
    }

    @Test func pageReceivesProgressAndPreviousPicture() async throws {
        let gate = Gate()
        let slow: FaultServer.Route = { _, connection in
            let picture = SamplePictures.png(20, 10, padding: 1_000)
            try await connection.writeHead(200, [("Content-Length", "\(picture.count)")])
            try await connection.write(picture.prefix(600))
            try await gate.wait()
            try await connection.write(picture.dropFirst(600))
        }
        try await run(["/first.png": Self.picture, "/slow.png": slow]) { server, site in
            try await setBackground(site.url("/first.png"), on: server, as: "bg1")
            let first = try await picture("shown", on: server)
            try await setBackground(site.url("/slow.png"), on: server, as: "bg2")
            let slowAddress = site.url("/slow.png").absoluteString
            try await server.follow { follower in
                let fetching = try await follower.next("picture") {
                    try $0.json(PictureStateJSON.self).fraction.map { $0 > 0 } ?? false
                }
                let state: PictureStateJSON = try fetching.json()
                #expect(state.state == "fetching" && state.address == slowAddress)
                #expect(state.previous == first.picture)
                gate.open()
                let shown = try await follower.next("picture") {
                    try $0.json(PictureStateJSON.self).state == "shown"
                }
                #expect(try shown.json(PictureStateJSON.self).picture?.width == 20)
            }
        }
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let words: [String]
        let route: FaultServer.Route
    }

    static let failures = [
        Failure(testDescription: "404", words: ["404", "Check the address"]) { _, connection in
            try await connection.respond(404, "not here")
        },
        Failure(testDescription: "a page", words: ["is not an image"]) { _, connection in
            try await connection.respond(
                200, [("Content-Type", "image/png")], "<!doctype html><title>Not found</title><p>Sorry")
        },
        Failure(testDescription: "too large", words: ["20"]) { _, connection in
            try await connection.writeHead(200, [("Content-Length", "\(BoardLimits.pictureBytes + 1)")])
            try await connection.write(SamplePictures.png)
        },
        Failure(testDescription: "a bomb", words: ["pixels"]) { _, connection in
            try await connection.respond(200, [("Content-Type", "image/png")], RealPictures.pngHeader(60_000, 60_000))
        },
        Failure(testDescription: "an SVG with a script", words: ["script"]) { _, connection in
            try await connection.respond(200, [("Content-Type", "image/svg+xml")], SamplePictures.svgWithScript)
        },
    ]

    @Test(arguments: failures)
    func unusableBackgroundFailsWithReason(_ failure: Failure) async throws {
        try await run(["/beach.png": failure.route]) { server, site in
            try await setBackground(site.url("/beach.png"), on: server)
            let failed = try await picture("failed", on: server)
            let message = try #require(failed.message)
            #expect(message.hasPrefix("Couldn't set background: "))
            for words in failure.words { #expect(message.contains(words), "\(message)") }
            #expect(failed.previous == nil)
            #expect(failed.address == site.url("/beach.png").absoluteString)
        }
    }

    @Test func endlessResponseFailsAtSizeLimit() async throws {
        let endless: FaultServer.Route = { _, connection in
            // The response never ends by itself: the fetcher must end it.
            try await connection.writeHead(200, [("Content-Type", "image/png")])
            try await connection.write(SamplePictures.png)
            let piece = Data(count: 1 << 20)
            while true { try await connection.write(piece) }
        }
        try await run(["/endless.png": endless]) { server, site in
            try await setBackground(site.url("/endless.png"), on: server)
            #expect(try await picture("failed", on: server).message?.contains("20") == true)
        }
    }

    @Test func privateAddressIsBlockedWithAllowHint() async throws {
        try await run(["/beach.png": Self.picture], allowing: []) { server, site in
            try await setBackground(site.url("/beach.png"), on: server)
            let message = try #require(try await picture("failed", on: server).message)
            #expect(message.hasPrefix("Couldn't set background: 127.0.0.1"))
            #expect(message.contains("--allow 127.0.0.1"))
            #expect(site.connectionCount == 0)
        }
    }

    @Test func redirectToPrivateAddressIsNotFollowed() async throws {
        let redirect: FaultServer.Route = { _, connection in
            try await connection.respond(302, [("Location", "http://169.254.169.254/latest/meta-data/")], "")
        }
        try await run(["/beach.png": redirect]) { server, site in
            try await setBackground(site.url("/beach.png"), on: server)
            #expect(try await picture("failed", on: server).message?.contains("169.254.169.254") == true)
        }
    }

    @Test func retryFetchesBackgroundAgain() async throws {
        let isAvailable = Lock(false)
        let route: FaultServer.Route = { request, connection in
            if isAvailable.withLock({ $0 }) {
                try await Self.picture(request, connection)
            } else {
                try await connection.respond(404, "not yet")
            }
        }
        try await run(["/beach.png": route]) { server, site in
            try await setBackground(site.url("/beach.png"), on: server)
            _ = try await picture("failed", on: server)
            isAvailable.withLock { $0 = true }
            let answer = try await server.ask(.post, "/art/boards/beach/background/retry")
            #expect(answer.status == 204)
            #expect(try await picture("shown", on: server).picture?.width == 640)
            // A retry fetches a shown picture again; the picture stays visible meanwhile.
            #expect(try await server.ask(.post, "/art/boards/beach/background/retry").status == 204)
            try await eventually("the picture is fetched again") { site.requests("/beach.png").count == 3 }
            #expect(try await picture("shown", on: server).picture?.width == 640)
        }
    }
}
