import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import Site

@Suite struct EntityTagTests {
    @Test func matchingEntityTagReturnsNotModified() async throws {
        let tag = EntityTag(of: [1, 2])
        let site = try SiteServer(configuration: SiteConfiguration(port: 80), logger: .quiet) { router, _ in
            router.get("/tagged") { request, _ in
                tag.response(to: request, headers: [.contentType: "text/plain"], body: ByteBuffer(bytes: [1, 2]))
            }
        }
        try await site.application().test(.router) { client in
            let first = try await client.execute(uri: "/tagged", method: .get)
            #expect(first.status == .ok && Array(buffer: first.body) == [1, 2])
            #expect(first.headers[.eTag] == tag.text)
            for known in [tag.text, "W/\(tag.text)", "\"other\", \(tag.text)", "*", " \(tag.text) "] {
                let again = try await client.execute(uri: "/tagged", method: .get, headers: [.ifNoneMatch: known])
                #expect(again.status == .notModified, "\(known)")
                #expect(again.headers[.eTag] == tag.text && again.headers[.contentLength] == nil)
                #expect(again.body.readableBytes == 0)
            }
            for other in ["\"other\"", "", "\(tag.text)x", String(tag.text.dropLast())] {
                let again = try await client.execute(uri: "/tagged", method: .get, headers: [.ifNoneMatch: other])
                #expect(again.status == .ok, "\(other)")
            }
        }
    }

    @Test func differentContentHasDifferentTags() {
        #expect(EntityTag(of: [1]) != EntityTag(of: [2]))
        #expect(EntityTag(of: [1]) == EntityTag(of: [1]))
    }
}
