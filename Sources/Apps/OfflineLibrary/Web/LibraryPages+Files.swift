import Capture
import Foundation
import HTTPTypes
import Hummingbird
import Loading
import NIOCore
import OfflineLibraryModel
import Persistence
import Site

// The viewers and the files of saved pages.

extension LibraryPages {
    /// The page that shows a format of a saved page, or its article.
    func viewer(_ tab: ViewerTab, _ context: SiteContext, layout: Layout) async throws -> Response {
        let id = try Self.page(in: context)
        let (found, copies, interval) = try await libraries.use(owner) { open in
            let item = open.library.item(id)
            return (
                item, item.map { open.library.copies(of: $0) } ?? [],
                item.flatMap { open.library.schedule(of: $0)?.interval }
            )
        }
        guard let item = found, !item.isDeleted, item.state.value?.sizes[FileKind(tab.format)] != nil else {
            throw LibraryError.notFound
        }
        // A page that can't be recorded as opened can still be read.
        _ = try? await libraries.use(owner) { try await $0.library.recordOpening(of: id) }
        let picture = tab == .file(.png) ? try await picture(of: id).tiles : nil
        // The article is found now if it wasn't before, because many pages have none.
        let article = tab == .reader ? try await libraries.use(owner) { try await $0.library.article(of: id) } : nil
        let content = templates.viewer(
            item, showing: tab, copies: copies, tiles: picture, hasArticle: article != nil, interval: interval)
        return layout.page(
            title: templates.name(of: item), heading: nil, app: Self.app, content: content, styles: Self.viewerStyles,
            scripts: Self.viewerScripts)
    }

    /// Redirects a link of a saved page to the library's copy of the linked page.
    ///
    /// If the library has no copy, returns a page that says so.
    func follow(linkOf request: Request, layout: Layout) async throws -> Response {
        let address = request.uri.queryParameters["url"].map { String($0) } ?? ""
        guard let url = URL(string: address), let live = Link(url) else { throw LibraryError.notFound }
        let saved = try await libraries.use(owner) { $0.library.saved(at: address) }
        if let saved, let path = templates.viewerPath(of: saved) {
            return .redirect(to: path, type: .normal)
        }
        return layout.page(
            title: LibraryWords.notInLibrary, heading: LibraryWords.notInLibrary, app: Self.app,
            content: templates.linkToUnsavedPage(live), styles: Self.styles)
    }

    /// The tiles of a page's picture, if it has any.
    @concurrent
    func picture(of id: SavedPage.ID) async throws -> (file: PageFile, tiles: PictureTiles?) {
        let file = try await libraries.use(owner) { try await $0.library.file(.png, of: id) }
        switch file.content {
        case .data(let data): return (file, PictureTiles(data))
        case .path(let path):
            // Only the parts that are used are read. The file's content never changes.
            guard let data = try? Data(contentsOf: URL(filePath: path), options: .alwaysMapped) else {
                throw LibraryError.storage(LibraryWords.missingFile)
            }
            return (file, PictureTiles(data))
        case .pieces: return (file, PictureTiles(try await file.read()))
        }
    }

    /// A tile of a page's picture.
    @concurrent
    func tile(of id: SavedPage.ID, _ request: Request, _ context: SiteContext) async throws -> Response {
        let index = context.parameters.get("tile").flatMap { Int($0) } ?? -1
        let (file, tiles) = try await picture(of: id)
        let tag = "\"\(file.digest)-\(index)\""
        let headers: HTTPFields = [
            .contentType: FileKind.png.mediaType, .contentSecurityPolicy: FileKind.png.policy, .eTag: tag,
            .cacheControl: "private, no-cache",
        ]
        guard let tiles, tiles.heights.indices.contains(index) else { throw LibraryError.notFound }
        if request.headers[values: .ifNoneMatch].contains(where: { $0.contains(tag) }) {
            return Response(status: .notModified, headers: headers)
        }
        guard let png = tiles.png(of: index) else { throw LibraryError.notFound }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: png)))
    }

    /// A file of a saved page.
    func file(_ kind: FileKind, _ request: Request, _ context: SiteContext) async throws -> Response {
        try await file(kind, of: Self.page(in: context), request, context)
    }

    /// A file of a saved page.
    func file(
        _ kind: FileKind, of id: SavedPage.ID, _ request: Request, _ context: SiteContext
    ) async throws -> Response {
        var disposition: String?
        if request.uri.queryParameters["download"] != nil,
            let item = try await libraries.use(owner, { $0.library.item(id) })
        {
            let name = DownloadName(templates.name(of: item), ending: kind.ending).disposition
            let direct = try await libraries.use(owner) { open in
                try await open.library.downloadURL(kind, of: id, type: kind.mediaType, disposition: name)
            }
            if let direct {
                var response = Response.redirect(to: direct.absoluteString, type: .temporary)
                response.headers[.cacheControl] = "no-store"
                return response
            }
            disposition = name
        }
        let file = try await libraries.use(owner) { try await $0.library.file(kind, of: id) }
        if kind == .article, file.byteCount == 0 { throw LibraryError.notFound }
        let tag = "\"\(file.digest)\""
        var headers: HTTPFields = [
            .contentType: kind.mediaType, .contentSecurityPolicy: kind.policy, .eTag: tag,
            // A deleted file must not be served from a cache.
            .cacheControl: "private, no-cache",
        ]
        headers[.contentDisposition] = disposition
        if request.headers[values: .ifNoneMatch].contains(where: { $0.contains(tag) }) {
            return Response(status: .notModified, headers: headers)
        }
        let body: ResponseBody
        switch file.content {
        case .data(let data): body = ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        case .path(let path):
            do {
                body = try await FileIO().loadFile(
                    path: path, context: context, chunkLength: SiteLimits.fileChunkBytes)
            } catch {
                throw LibraryError.storage(LibraryWords.missingFile)
            }
        case .pieces(let pieces): body = try await self.body(of: pieces)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// The body of a file in pieces, which are read as the client receives them.
    private func body(of pieces: [BlobPiece]) async throws -> ResponseBody {
        let reader = BlobReader(pieces)
        guard await reader.isComplete() else { throw LibraryError.storage(LibraryWords.missingFile) }
        return ResponseBody(contentLength: reader.byteCount) { writer in
            var sent = 0
            while sent < reader.byteCount {
                // An error closes the connection, because the client expects more.
                let part = try await reader.load(at: sent, count: SiteLimits.fileChunkBytes)
                try await writer.write(ByteBuffer(bytes: part))
                sent += part.count
            }
            try await writer.finish(nil)
        }
    }
}

extension FileKind {
    var mediaType: String {
        switch self {
        case .png, .thumbnail: "image/png"
        case .pdf: "application/pdf"
        case .webArchive: PageFormat.webArchive.mediaType
        case .wacz: PageFormat.wacz.mediaType
        case .html, .viewer, .article: "text/html; charset=utf-8"
        case .text: "text/plain; charset=utf-8"
        }
    }

    var ending: String {
        switch self {
        case .png, .thumbnail: "png"
        case .pdf: "pdf"
        case .webArchive: "webarchive"
        case .wacz: "wacz"
        case .html, .viewer, .article: "html"
        case .text: "txt"
        }
    }

    /// The policy that prevents untrusted content from running scripts and making requests, wherever it is displayed.
    var policy: String {
        switch self {
        case .html, .viewer:
            // The page is self-contained. It is sandboxed even when it is opened outside its frame.
            PageCapturer.viewerPolicy
                + "; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"
        case .article:
            // No script runs in it, but the viewer's script reads its scrolling, so that it belongs to the site's origin.
            PageCapturer.articlePolicy
                + "; frame-ancestors 'self'; sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox"
        case .pdf:
            // The browser's built-in PDF viewer doesn't start in a sandbox.
            "default-src 'none'; object-src 'self'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"
        case .png, .thumbnail:
            // Not sandboxed: a PNG runs no scripts, and in a sandbox the site's icon would belong to another origin.
            "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"
        case .webArchive, .wacz, .text:
            "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"
        }
    }
}
