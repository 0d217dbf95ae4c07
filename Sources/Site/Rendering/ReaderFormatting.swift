import Formats
import HTTPTypes
import Hummingbird

/// Formats the dates, times and numbers of each response for its reader.
///
/// The language and region are those of the header `Accept-Language`. Browsers send no time zone, so `site/live.js`
/// puts it in a cookie if it isn't the server's.
struct ReaderFormatting: RouterMiddleware {
    typealias Context = SiteContext

    /// The name of the cookie, as in `live.js`.
    static let zoneCookie = "meanwhile-zone"

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        let formats = ReaderFormats(
            languages: request.headers[.acceptLanguage], zone: request.cookies[Self.zoneCookie]?.value)
        return try await ReaderFormats.local.withValue(formats) { try await next(request, context) }
    }
}
