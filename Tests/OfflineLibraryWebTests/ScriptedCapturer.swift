import Foundation
import OfflineLibraryModel
import Synchronization

@testable import Capture

/// A fake capturer whose results depend on the host of the address.
final class ScriptedCapturer: PageCapturing {
    private let title: String
    /// The addresses that have failed once.
    private let failed = Mutex<Set<URL>>([])
    /// The number of captures of each address.
    private let counts = Mutex<[URL: Int]>([:])

    /// - Parameter title: The title of every page.
    init(title: String = "A page") {
        self.title = title
    }

    /// - Returns: A page; the host `fails-once.example` fails at first, `missing-once.example` sends an error page at
    ///   first, a part of `partial.example` is missing, the picture of `tall.example` is made of three stripes, and
    ///   `slow.example` never responds. At `changes.example`, the text and the picture change with each
    ///   capture. At `pictures.example`, the web archive has a new text, and always the same pictures.
    func capture(
        _ request: CaptureRequest, for attempt: CaptureAttempt, options: CaptureOptions,
        progress: @escaping @Sendable (CaptureProgress) -> Void
    ) async throws(CaptureFailure) -> PageCapture {
        let (url, formats) = (request.url, request.formats)
        if url.host() == "slow.example" {
            // Waits until the capture is cancelled.
            let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
            for await _ in stream {}
            continuation.finish()
            throw CaptureFailure(CaptureError(.cancelled, "The capture was cancelled."))
        }
        if url.host() == "fails-once.example", failed.withLock({ $0.insert(url).inserted }) {
            throw CaptureFailure(CaptureError(.connectionFailed, "The server refused the connection."))
        }
        let isMissing = url.host() == "missing-once.example" && failed.withLock { $0.insert(url).inserted }
        var data: [PageFormat: Data] = [:]
        for format in formats { data[format] = format == .webArchive ? Self.archive(of: url) : Data("A page".utf8) }
        let count = counts.withLock { counts in
            counts[url, default: 0] += 1
            return counts[url] ?? 0
        }
        if url.host() == "tall.example" { data[.png] = Self.tallPicture(stripes: 3) }
        if url.host() == "changes.example", formats.contains(.png) {
            data[.png] = Self.tallPicture(stripes: count + 2)
        }
        if url.host() == "pictures.example" { data[.webArchive] = Self.archive(of: url, text: "\(count)", pictures: 3) }
        var capture = PageCapture(
            requestedURL: url, url: url, title: title, httpStatus: isMissing ? 404 : 200, contentSize: (800, 600),
            readiness: .almostIdle, data: data, thumbnail: nil, resources: [],
            warnings: [
                url.host() == "partial.example"
                    ? .init(kind: .missingResources, message: "1 of 2 parts didn’t load.")
                    : .init(kind: .unsettled, message: "The page kept loading.")
            ], duration: .seconds(1))
        capture.text = "The text of \(url.lastPathComponent) has <b>words & marks</b>."
        if url.host() == "changes.example" {
            let rest = (1...9).map { "Paragraph \($0) stays." }.joined(separator: "\n")
            capture.text = "The <b>price</b> is \(count) francs.\n\(rest)\nVersion \(count)"
        }
        return capture
    }

    func viewerCopy(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> Data {
        let (address, encoded) = ("https://page.example/next", "https%3A%2F%2Fpage.example%2Fnext")
        let link = options.viewerLinkPath.map { $0 + encoded } ?? address
        return Data("<!doctype html><title>A page</title><p>A page</p><a href=\"\(link)\">Next</a>".utf8)
    }

    func article(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> Data {
        guard let read = try? WebArchive(propertyList: await archive.read()),
            !read.mainResource.url.contains("no-article.example")
        else { return Data() }
        let style = options.articleStylePath.map { "<link rel=\"stylesheet\" href=\"\($0)\">" } ?? ""
        let paragraphs = (1...80).map { "<p>Paragraph \($0) of a long article about nothing in particular.</p>" }
        let head = "<meta charset=\"utf-8\"><title>A page</title>\(style)"
        return Data(
            "<!doctype html><html lang=\"en\" data-minutes=\"4\"><head>\(head)</head><body><article><h1>A page</h1>\(paragraphs.joined())</article>"
                .utf8)
    }

    /// Red pictures of 8 × 5 pixels, one below another.
    private static func tallPicture(stripes: Int) -> Data? {
        let base64 =
            "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAFCAIAAAD38zoCAAAAEUlEQVR4nGM4IWeDFTHQQQIAJwotUaRVcNYAAAAASUVORK5CYII="
        guard let picture = Data(base64Encoded: base64) else { return nil }
        var (joiner, file) = (PNGJoiner(), Data())
        for index in 0..<stripes {
            guard let stripe = try? PNGStripe(picture, isTop: index == 0), let part = try? joiner.append(stripe) else {
                return nil
            }
            file += part
        }
        let (end, header) = joiner.finish()
        return header + file.dropFirst(PNGJoiner.headerSize) + end
    }

    func text(of archive: PageFile, options: CaptureOptions) async throws(CaptureFailure) -> String { "A page" }

    static func archive(of url: URL, text: String = "A page", pictures: UInt8 = 0) -> Data {
        let resource = WebArchive.Resource(
            data: Data("<p>\(text)</p>".utf8), url: url.absoluteString, mediaType: "text/html",
            textEncodingName: "UTF-8")
        let resources = (0..<pictures).map { number in
            WebArchive.Resource(
                data: Data(repeating: number, count: 40_000), url: "\(url.absoluteString)\(number)",
                mediaType: "image/png")
        }
        return (try? WebArchive(mainResource: resource, subresources: resources).propertyList()) ?? Data()
    }
}
