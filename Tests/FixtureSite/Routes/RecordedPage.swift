import Foundation
import HTTPTypes
import Hummingbird

/// A page whose requests and responses are hard to record.
extension Routes {
    func addRecordedPage() {
        self.page("/recorded") { visit in
            HTML.page(
                "Recorded – «Запись»",
                head: """
                    <link rel="stylesheet" href="/recorded/latin.css">
                    <link rel="stylesheet" href="/recorded/compressed.css">
                    <script src="/recorded/marked.js"></script>
                    """,
                """
                <img src="/redirect-to?url=/image/1.png" alt=""><img src="/missing/absent.png" alt="">
                <img src="/recorded/рисунок.png?ключ=Знак&amp;b=2&amp;a=1" alt=""><img src="/image/2.png#part" alt="">
                <iframe src="/plain"></iframe><iframe src="\(visit.otherOrigin)/plain?other"></iframe>
                <!-- Delays the load event until all requests are made. -->
                <img id="last" src="/stall/picture.png" alt="">
                <video src="/media/clip.webm" preload="auto" muted></video>
                <script>
                function form(text) {
                    const form = new FormData();
                    form.append('a text', text + '\\nsecond line');
                    form.append('empty', '');
                    return form;
                }
                const requests = [
                    () => fetch('/recorded/form', {method: 'POST', body: new URLSearchParams({name: 'Käse & Brot', b: '+'})}),
                    () => fetch('/recorded/form', {method: 'POST', headers: {'Content-Type': 'application/json'},
                        body: JSON.stringify({text: 'ja', list: [1, 2.5], deep: {text: null, on: true}})}),
                    () => fetch('/recorded/form', {method: 'POST', body: 'not JSON'}),
                    () => fetch('/recorded/form', {method: 'PUT', body: new Uint8Array([0, 255, 1])}),
                    () => fetch('/recorded/upload', {method: 'POST', body: form('Käse & Brot')}),
                    () => fetch('/recorded/upload', {method: 'POST', body: form('other')}),
                    () => fetch('/plain?head', {method: 'HEAD'}),
                    () => fetch('/empty?fetched'), () => fetch('/no-content'), () => fetch('/large?megabytes=3'),
                    () => fetch('/recorded/repeated'), () => fetch('/recorded/repeated'),
                    () => fetch('/recorded/tagged'), () => fetch('/recorded/tagged'),
                    () => fetch('/recorded/fields', {headers: {'Authorization': 'Bearer secret-token'}}),
                    () => fetch('/cookies'),
                ];
                (async () => {
                    for (const request of requests) await (await request()).arrayBuffer();
                    document.getElementById('last').src = '/image/3.png';
                })();
                </script>
                """)
        }
        self.addRecordedResources()
    }

    private func addRecordedResources() {
        self.add("/recorded/latin.css") { _ in
            .bytes(
                Array("h1::after { content: '".utf8) + [0xE9, 0xFF] + Array("' }".utf8),
                type: "text/css; charset=iso-8859-1")
        }
        self.add("/recorded/compressed.css") { _ in
            .bytes(compressedStyle, type: "text/css").with(.contentEncoding, "gzip")
        }
        self.add("/recorded/marked.js") { _ in
            .bytes([0xEF, 0xBB, 0xBF] + Array("const marked = 'é';".utf8), type: "text/javascript")
        }
        self.add("/recorded/{name}") { visit in
            guard visit.pathParameter("name").hasSuffix(".png") else { throw HTTPError(.notFound) }
            return .bytes(PNG.picture(Colour(name: "recorded")), type: "image/png")
        }
        self.add("/recorded/repeated") { _ in .text("Always the same.", type: "text/plain; charset=utf-8") }
        self.add("/recorded/tagged") { visit in
            if visit.request.headers[.ifNoneMatch] != nil {
                return Response(status: .notModified, headers: [.eTag: "\"1\"", .cacheControl: "no-cache"])
            }
            return .text("Tagged", type: "text/plain").with(.eTag, "\"1\"").with(.cacheControl, "no-cache")
        }
        self.add("/recorded/fields") { _ in
            var response = Response.text("Fields", type: "text/plain").with(.setCookie, "session=secret-cookie; Path=/")
            if let name = HTTPField.Name("X-Greeting") { response.headers[name] = "Grüße, мир" }
            return response
        }
        self.router.on("/recorded/upload", method: .post) { request, _ in
            let body = String(buffer: try await request.body.collect(upTo: 1 << 20))
            return Response.text(body.contains("other") ? "other" : "cheese", type: "text/plain; charset=utf-8")
        }
        for method in [HTTPRequest.Method.post, .put] {
            self.router.on("/recorded/form", method: method) { request, _ in
                let body = try await request.body.collect(upTo: 1 << 20)
                return Response.text("Received \(body.readableBytes) bytes by \(method.rawValue).", type: "text/plain")
            }
        }
    }
}

/// `p { color: rgb(0, 100, 0) }`, compressed by gzip.
private let compressedStyle = Array(
    Data(base64Encoded: "H4sIAAAAAAACAytQqFZIzs/JL7JSKEpP0jDQUTA0ABIGmgq1XAU0kAMAyiWKEXAAAAA=") ?? Data())
