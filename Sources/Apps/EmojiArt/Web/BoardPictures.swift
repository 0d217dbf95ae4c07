import EmojiArtModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Persistence
import Site

// The background pictures of boards.

extension ArtPages {
    func addPicture(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try boardID(in: context)
        // Nothing is received for a board that doesn't exist.
        try await documents.use(id) { _ = try await $0.current() }
        // Parsed in a job, so that no picture can crash or slow down this process.
        let file = try await ArtUpload.file(
            of: request, upTo: BoardLimits.pictureBytes, orElse: .pictureTooLarge, in: incoming, leaving: floor)
        let checked = try await reading.picture(in: file)
        let stored = try await documents.use(id) { try await $0.current().add(checked) }
        let json = StoredPictureJSON(picture: stored.id, width: stored.width, height: stored.height)
        return try .json(json, status: .created)
    }

    func picture(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try boardID(in: context)
        guard let hash = context.parameters.get("hash").flatMap({ PictureID($0) }),
            let picture = try await store.picture(hash, of: id, owner: owner)
        else { throw Problem.noPicture }
        let tag = "\"\(hash)\""
        let headers: HTTPFields = [
            .contentType: picture.type, .eTag: tag,
            // The address contains the hash of the bytes, so its content never changes.
            .cacheControl: "private, max-age=31536000, immutable", .xContentTypeOptions: "nosniff",
            // An SVG opened by itself is a foreign document: it may run no scripts and load nothing.
            .contentSecurityPolicy: "sandbox; default-src 'none'; style-src 'unsafe-inline'",
        ]
        if request.headers[values: .ifNoneMatch].contains(where: { $0.contains(tag) }) {
            var response = Response(status: .notModified, headers: headers)
            response.headers[.contentLength] = nil
            return response
        }
        return Response(
            status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: picture.data)))
    }
}
