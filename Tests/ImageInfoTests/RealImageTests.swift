import Foundation
import Testing

@testable import ImageInfo

/// Tests real images from pages that Safari has saved, if they are available.
@Suite struct RealImageTests {
    private struct Archive: Decodable {
        struct Resource: Decodable {
            var type: String
            var data: Data

            enum CodingKeys: String, CodingKey {
                case type = "WebResourceMIMEType"
                case data = "WebResourceData"
            }
        }

        var subresources: [Resource]

        enum CodingKeys: String, CodingKey {
            case subresources = "WebSubresources"
        }
    }

    private static let archives: [URL] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let shared =
            ProcessInfo.processInfo.environment["MEANWHILE_SHARED"].map { URL(filePath: $0) }
            ?? root.deletingLastPathComponent().appending(path: "shared")
        return ["wikipedia"].map { shared.appending(path: "data/webarchive/\($0).webarchive") }
            .filter { FileManager.default.fileExists(atPath: $0.path()) }
    }()

    @Test(arguments: archives)
    func imagesSavedBySafariAreRead(file: URL) throws {
        let archive = try PropertyListDecoder().decode(Archive.self, from: Data(contentsOf: file))
        let images = archive.subresources.filter { $0.type.hasPrefix("image/") }
        #expect(!images.isEmpty)
        for image in images {
            do throws(ImageError) {
                let header = try ImageHeader(image.data)
                #expect(header.format.mediaType == image.type)
                #expect((1...10_000).contains(header.width) && (1...10_000).contains(header.height))
            } catch {
                // An image that is served as an icon may be one.
                #expect(image.type.contains("icon"), "\(image.type): \(error)")
            }
        }
    }
}
