import HTTPTypes
import Hummingbird

/// Responses that end only when the test releases them, the client disconnects or the server stops.
extension Routes {
    func addStalls() {
        self.add("/stall") { visit in
            try await visit.stall()
            return Response.html(HTML.page("Released", HTML.paragraph)).with(.connection, "close")
        }
        self.add("/stall-body") { visit in
            .stalling(visit, type: "text/html; charset=utf-8", first: stalledPage, last: "<p>Released.</p>\n")
        }
        self.page("/stall-image", HTML.page("Stalled picture", "<img src='/stall/picture.png' alt=''>"))
        self.add("/stall/{name}") { visit in
            try await visit.stall()
            return Response.resource(named: visit.part("name")).with(.connection, "close")
        }
    }

    /// Adds pages whose requests or scripts continue after the page loads, or keep it from loading.
    func addActivity() {
        self.page(
            "/events",
            HTML.page(
                "Events", onLoad: "new EventSource('/event-stream').onmessage = e => log.append(e.data);",
                "<p id='log'></p>"))
        self.add("/event-stream") { visit in
            .stalling(visit, type: "text/event-stream", first: "data: first\n\n", last: "data: last\n\n")
        }
        self.page(
            "/polling",
            HTML.page(
                "Polling",
                onLoad: """
                    (async () => {
                        for (let n = 1; ; n++) {
                            await (await fetch('/poll')).json();
                            document.getElementById('count').textContent = n;
                        }
                    })();
                    """, "<p id='count'></p>"))
        self.add("/poll") { _ in .text("{}", type: "application/json") }
        self.page(
            "/late",
            HTML.page(
                "Late",
                onLoad: """
                    setTimeout(async () => {
                        for (const n of [81, 82, 83]) {
                            document.body.append(Object.assign(new Image(), { src: `/image/${n}.png` }));
                        }
                        const data = await (await fetch('/data.json?late')).json();
                        document.getElementById('data').textContent = data.name;
                    }, 200);
                    """, "<p id='data'>not yet</p>"))
        self.page("/spin", HTML.page("Spin", onLoad: "setTimeout(() => { while (true) {} });"))
        self.page(
            "/spin-before-load", HTML.page("Spin before load", "<p>Before.</p><script>while (true) {}</script>"))
    }
}

/// Longer than the 1,024 bytes that a browser buffers to detect the encoding.
private let stalledPage =
    "<!DOCTYPE html>\n<title>Stalled body</title>\n" + String(repeating: HTML.paragraph + "\n", count: 20)

extension Response {
    /// Writes the first part, stalls, and writes the last part once the test releases it.
    fileprivate static func stalling(_ visit: Visit, type: String, first: String, last: String) -> Response {
        let body = ResponseBody { writer in
            try await writer.write(ByteBuffer(string: first))
            try await visit.stall()
            try await writer.write(ByteBuffer(string: last))
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store", .connection: "close"], body: body)
    }

    /// A resource whose type depends on the suffix of its name.
    fileprivate static func resource(named name: String) -> Response {
        if name.hasSuffix(".png") {
            .bytes(PNG.picture(Colour(name: name)), type: "image/png")
        } else if name.hasSuffix(".css") {
            .text("h1 { color: rgb(0, 120, 0); }\n", type: "text/css")
        } else if name.hasSuffix(".js") {
            .text("document.documentElement.dataset.released = 'yes';\n", type: "text/javascript")
        } else {
            .html(HTML.page("Released", HTML.paragraph))
        }
    }
}
