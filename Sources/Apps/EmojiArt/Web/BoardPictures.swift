import EmojiArtModel
import Foundation
import HTTPTypes
import Hummingbird
import Loading
import NIOCore
import Site

// The pictures that boards are drawn on.

extension ArtPages {
    func keepPicture(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try Self.board(in: context)
        // What cannot be shown is told before all of it has come.
        var look = PictureLook()
        let data: Data
        do {
            data = try await ArtUpload.data(of: request, upTo: BoardLimits.pictureBytes, orElse: .pictureTooLarge) {
                try look.look(at: $0, isComplete: $1)
            }
        } catch let error as ImageError {
            throw PictureError.image(error)
        }
        let kept = try await documents.use(id) { try await $0.current().keep(data) }
        return try Self.json(
            KeptPictureJSON(picture: kept.id, width: kept.width, height: kept.height), status: .created)
    }

    func picture(_ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try Self.board(in: context)
        guard let hash = context.parameters.get("hash").flatMap({ PictureID($0) }),
            let picture = try await store.picture(hash, of: id, owner: Self.owner)
        else { throw Problem.noPicture }
        let tag = "\"\(hash)\""
        let headers: HTTPFields = [
            .contentType: picture.type, .eTag: tag,
            // It is named by what it is, so it never becomes another one.
            .cacheControl: "private, max-age=31536000, immutable", .xContentTypeOptions: "nosniff",
            // An SVG that is opened by itself is a document from outside: nothing in it runs, and it asks for nothing.
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

/// Looks at a picture while it comes, until it is known what it is and how large.
private struct PictureLook {
    private var needed: Int? = 1

    mutating func look(at data: Data, isComplete: Bool) throws(ImageError) {
        guard let count = needed, data.count >= count || isComplete else { return }
        let limits = ImageLimits(maximumPixels: BoardLimits.picturePixels)
        switch try ImageHeader.read(data, isComplete: isComplete, limits: limits) {
        case .header: needed = nil
        case .needs(let count): needed = count
        }
    }
}
