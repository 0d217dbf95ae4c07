import Hummingbird

/// The site's own routes: the home page, and a health check for scripts.
struct HomePage {
    private let page: Response

    /// Renders the home page once; it is the same for all clients.
    init(layout: Layout, apps: [SiteApp]) throws {
        let templates = try Templates(["home": PackageResources.home_mustache])
        let content = templates.render("home", ["apps": apps.map { AppView($0) }])
        self.page = layout.page(title: "Meanwhile", heading: nil, content: content)
    }

    func addRoutes(to router: SiteRouter) {
        let page = page
        router.get("/") { _, _ in page }
        router.get("/health") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "ok\n")))
        }
    }
}
