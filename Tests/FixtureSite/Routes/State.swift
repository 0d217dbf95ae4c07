import HTTPTypes
import Hummingbird

/// Pages that show a browser's stored state, or the headers that it sends.
extension Routes {
    func addState() {
        self.add("/cookies") { visit in
            let cookies = visit.request.headers[.cookie] ?? "none"
            return Response.html(HTML.page("Cookies", "<p id='cookies'>\(HTML.escape(cookies))</p>"))
                .with(.setCookie, "visited=yes; Path=/")
        }
        self.add("/headers") { visit in
            let lines = visit.request.headers.map { "\($0.name.canonicalName): \($0.value)\n" }
            return .text(lines.joined(), type: "text/plain; charset=utf-8")
        }
        self.page("/service-worker", serviceWorkerPage)
        self.add("/service-worker.js") { _ in .text(serviceWorker, type: "text/javascript") }
    }
}

private let serviceWorkerPage = HTML.page(
    "Service worker",
    """
    <p id="state">no worker</p>
    <!-- Delays the load event until the script replaces the picture: a capture may miss what happens after it. -->
    <img id="picture" src="/stall/picture.png">
    <script>
    (async () => {
        const state = document.getElementById("state");
        try {
            await navigator.serviceWorker.register("/service-worker.js");
            await navigator.serviceWorker.ready;
            if (!navigator.serviceWorker.controller) {
                await new Promise(done => navigator.serviceWorker.addEventListener("controllerchange", done));
            }
            state.textContent = "controlled";
        } catch (error) {
            state.textContent = `no worker: ${error.name}`;
        }
        document.getElementById("picture").src = "/image/130.png";
    })();
    </script>
    """)

private let serviceWorker = """
    addEventListener("install", event => event.waitUntil(skipWaiting()));
    addEventListener("activate", event => event.waitUntil(clients.claim()));
    addEventListener("fetch", event => {
        if (new URL(event.request.url).pathname.startsWith("/image/")) {
            const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="48">
                <rect width="64" height="48" fill="red"/></svg>`;
            event.respondWith(new Response(svg, { headers: { "Content-Type": "image/svg+xml" } }));
        }
    });

    """
