/// The frames of the rich page.
extension Routes {
    func addRichFrames() {
        self.page("/frames/inner/page", frame("Inner", style: "look.css", "<img src='picture.png' alt=''>"))
        self.page("/frames/named", HTML.page("Named", "<p>Its name is aside.</p>"))
        self.page(
            "/frames/foreign/page",
            frame(
                "Foreign", style: "look.css",
                """
                <img src="picture.png" alt="">
                <iframe id="child" src="child" width="260" height="120"></iframe>
                """))
        self.page("/frames/foreign/child", frame("Child", style: "look.css", "<img src='picture.png?child' alt=''>"))
        for place in ["inner", "foreign"] {
            self.add("/frames/\(place)/look.css") { _ in
                .text("h1 { font-size: 18px; background: url(ground.png); color: white; }\n", type: "text/css")
            }
            self.add("/frames/\(place)/ground.png") { _ in
                .bytes(PNG.picture(Colour(name: "\(place)-ground")), type: "image/png")
            }
            self.add("/frames/\(place)/picture.png") { _ in
                .bytes(PNG.picture(Colour(name: "\(place)-picture")), type: "image/png")
            }
        }
    }
}

private func frame(_ title: String, style: String, _ body: String) -> String {
    HTML.page(title, head: "<link rel='stylesheet' href='\(style)'>", body)
}
