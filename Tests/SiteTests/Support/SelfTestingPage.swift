import Capture
import Egress
import Foundation
import Hummingbird
import Site
import Testing

/// A page whose script tests something in real Chromium, and posts what it found to `/results`.
enum SelfTestingPage {
    private struct Results: Decodable, Sendable {
        let results: String
    }

    /// The element that runs the script.
    static let scriptElement = #"<script type="module" src="/tests.js"></script>"#

    /// Opens `/page` of a site, and returns what its script posted as the field `results` of a form.
    ///
    /// The page has to ask for `/held` before its load event: it is not at rest, and so not captured and closed, before that
    /// is answered.
    ///
    /// - Parameters:
    ///   - script: What is served as `/tests.js`.
    ///   - routes: The page, which has ``scriptElement`` in it, and whatever else it asks for.
    /// - Returns: The lines of the results.
    /// - Throws: Why the page could not be opened, or posted nothing.
    static func results(of script: String, routes: @escaping RunningSite.Routes) async throws -> [Substring] {
        let (results, found) = AsyncStream.makeStream(of: String.self)
        let (held, release) = AsyncStream.makeStream(of: Void.self)
        let all: RunningSite.Routes = { router in
            router.get("/tests.js") { _, _ in
                Response(
                    status: .ok, headers: [.contentType: "text/javascript"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: script)))
            }
            router.get("/held") { _, _ in
                for await _ in held {}
                return HTTPResponse.Status.noContent
            }
            router.post("/results") { request, context in
                found.yield(try await request.decode(as: Results.self, context: context).results)
                return HTTPResponse.Status.noContent
            }
            try routes(router)
        }
        return try await RunningSite.run(routes: all) { site in
            let address = try #require(URL(string: "http://127.0.0.1:\(site.port)/page"))
            var configuration = PageCapturer.Configuration()
            configuration.addressPolicy = AddressPolicy(allowing: [try AllowRule("127.0.0.1:\(site.port)")])
            let capturer = PageCapturer(configuration: configuration)
            var options = CaptureOptions()
            options.timeout = .seconds(900)
            // What is captured does not matter: the page is open for as long as it takes.
            let visit = Task { [options] in
                defer { found.finish() }
                _ = try await capturer.capture(address, formats: [.png], options: options)
            }
            let text = await results.first { _ in true }
            visit.cancel()
            release.finish()
            let outcome = await visit.result
            await capturer.close()
            return try #require(text, "\(outcome)").split(separator: "\n")
        }
    }
}
