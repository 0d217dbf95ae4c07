import HTTPTypes
import Hummingbird

/// Addresses that redirect.
extension Routes {
    func addRedirects() {
        self.add("/redirect") { visit in
            let rest = min(visit.number("n") ?? 3, 1000)
            return .found(rest > 1 ? "/redirect?n=\(rest - 1)" : "/")
        }
        self.add("/redirect-to") { .found(String($0.request.uri.queryParameters["url"] ?? "/plain")) }
        self.add("/redirect-loop") { _ in .found("/redirect-loop") }
        self.page("/client-redirect", HTML.page("Client redirect", onLoad: "location.replace('/plain');"))
        self.page("/client-redirect-loop") { visit in
            let turn = visit.number("turn") ?? 0
            return HTML.page(
                "Turn \(turn)", onLoad: "location.replace('/client-redirect-loop?turn=\(turn + 1)');")
        }
        self.page(
            "/meta-refresh",
            HTML.page("Refresh", head: "<meta http-equiv='refresh' content='0; url=/plain'>", HTML.paragraph))
        self.page(
            "/redirected-resources",
            HTML.page(
                "Redirected resources", head: "<link rel='stylesheet' href='/redirected/style.css'>",
                "<img id='redirected' src='/redirected/picture.png' alt=''>"))
        self.add("/redirected/style.css") { _ in .found("/redirected/there/style.css") }
        self.add("/redirected/picture.png") { _ in .found("/redirected/there/picture.png") }
        // Its picture is relative to the redirect's target.
        self.add("/redirected/there/style.css") { _ in
            .text("h1 { background: url(ground.png); color: white; }\n", type: "text/css")
        }
        for name in ["picture", "ground"] {
            self.add("/redirected/there/\(name).png") { _ in
                .bytes(PNG.picture(Colour(name: "redirected-\(name)")), type: "image/png")
            }
        }
    }
}

/// Responses that are no page, or an incomplete one.
extension Routes {
    func addFailures() {
        self.add("/status/{code}") { visit in
            guard let code = Int(visit.part("code")), 400...599 ~= code else { throw HTTPError(.notFound) }
            return .html(HTML.page("Status \(code)", HTML.paragraph), status: HTTPResponse.Status(code: code))
        }
        self.add("/empty") { _ in .html("") }
        self.page("/blank", "<!DOCTYPE html>\n<html lang=\"en\"><head><title></title></head><body></body></html>\n")
        self.add("/no-content") { _ in Response(status: .noContent) }
        self.add("/drop") { visit in
            await visit.breakConnection()
            throw CancellationError()
        }
        self.add("/truncated") { visit in
            let body = ResponseBody(contentLength: 100_000) { writer in
                try await writer.write(ByteBuffer(string: HTML.page("Truncated", HTML.paragraph)))
                await visit.breakConnection()
                throw CancellationError()
            }
            return Response(status: .ok, headers: [.contentType: "text/html; charset=utf-8"], body: body)
        }
        self.page("/missing-resources") { visit in
            HTML.page(
                "Missing resources",
                head: """
                    <link rel="stylesheet" href="http://127.0.0.1:\(visit.refusingPort)/refused.css">
                    <script src="/missing/broken.js"></script>
                    """,
                """
                <img src='/missing/absent.png' alt='absent'><img src='/image/100.png' alt='present'>
                <img src='/missing/damaged.png' alt='damaged'>
                <svg width='9' height='9'><image href='/missing/damaged.png?svg'/><image href='/image/100.png?svg'/></svg>
                """)
        }
        self.add("/missing/broken.js") { _ in
            .text("throw new Error('never run');\n", type: "text/javascript", status: .internalServerError)
        }
        self.add("/missing/damaged.png") { _ in
            .bytes(Array(PNG.picture(Colour(name: "damaged")).prefix(40)), type: "image/png")
        }
        self.add("/missing/absent.png") { _ in .html(HTML.page("Not found", ""), status: .notFound) }
    }
}
