import Capture
import Egress
import Foundation
import Hummingbird
import Site
import Testing
import VirtualTime

/// A page whose script tests something in Chromium, and posts the results to `/results`.
enum SelfTestingPage {
    private struct Results: Decodable, Sendable {
        let results: String
    }

    /// The HTML element that runs the script.
    static let scriptElement = #"<script type="module" src="/tests.js"></script>"#

    /// Opens `/page` of a site, and returns the text that its script posts as the form field `results`.
    ///
    /// The page must request `/held` before its load event. Until that request is answered, the page isn't idle, and
    /// so isn't captured and closed.
    ///
    /// - Parameters:
    ///   - script: The content of `/tests.js`.
    ///   - routes: Adds the page, which must contain ``scriptElement``, and the other routes that it needs.
    /// - Returns: The lines of the results.
    /// - Throws: An error if the page could not be opened or posted nothing.
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
            configuration.clock = ExtendingClock()
            let capturer = PageCapturer(configuration: configuration)
            var options = CaptureOptions()
            options.timeout = .seconds(900)
            // The captured files are irrelevant: the capture only keeps the page open.
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
