/// Pages of unusual size or look.
extension Routes {
    func addLayouts() {
        self.page("/lazy", lazyPage)
        self.page("/vh", heroPage)
        self.page("/tall") { tallPage(height: min(max($0.number("px") ?? 100_000, 1), 10_000_000)) }
        self.page("/wide", widePage)
        self.page("/window", windowPage)
        self.page("/print", printPage)
        self.add("/print/paper.css") { _ in .text("h1 { font-style: italic; }\n", type: "text/css") }
    }
}

private let lazyPage: String = {
    let native = (1...40).map { number in
        "<p>Picture \(number)</p><div class=gap><img loading=lazy src='/image/\(number).png' alt='' "
            + "width=64 height=48></div>"
    }
    let observed = (41...60).map { number in
        "<p>Picture \(number)</p><div class=gap><img data-src='/image/\(number).png' alt='' width=64 height=48></div>"
    }
    return HTML.page(
        "Lazy", head: "<style>.gap { height: 500px; }</style>",
        (native + observed).joined(separator: "\n") + """

            <script>
            const observer = new IntersectionObserver(entries => {
                for (const entry of entries) if (entry.isIntersecting) {
                    observer.unobserve(entry.target);
                    entry.target.src = entry.target.dataset.src;
                }
            });
            document.querySelectorAll("img[data-src]").forEach(image => observer.observe(image));
            </script>
            """)
}()

/// Records the changes of its window in its root element.
private let windowPage = HTML.page(
    "Window",
    """
    <p id="end">Not as tall as the window.</p>
    <script>
    const seen = [], see = what => { seen.push(what); document.documentElement.dataset.window = seen.join(" "); };
    for (const event of ["resize", "scroll", "blur", "visibilitychange"]) addEventListener(event, () => see(event));
    new ResizeObserver(() => see("box")).observe(document.documentElement);
    for (const query of ["(min-width: 1000px)", "(min-height: 500px)", "(min-resolution: 1dppx)"]) {
        matchMedia(query).addEventListener("change", () => see(query));
    }
    </script>
    """)

private let heroPage = HTML.page(
    "Hero",
    head: """
        <style>
        body { margin: 0; }
        h1 { margin: 0; height: 100vh; background: rgb(180, 40, 40); color: white; }
        </style>
        """,
    String(repeating: HTML.paragraph + "\n", count: 40) + "<p id='end'>The end.</p>")

/// A page as tall as its box, because the heading and the last line overlay the box.
private func tallPage(height: Int) -> String {
    HTML.page(
        "Tall",
        head: """
            <style>
            html, body { margin: 0; }
            h1, #end { position: absolute; margin: 0; font: 16px/20px sans-serif; left: 0; }
            h1 { top: 0; }
            #end { bottom: 0; }
            main { position: absolute; top: 0; left: 0; width: 100%; height: \(height)px; overflow: hidden;
              background: repeating-linear-gradient(rgb(230, 240, 250) 0 500px, rgb(250, 240, 230) 500px 1000px); }
            </style>
            """,
        "<main><p id='end'>The end, \(height) px down.</p></main>")
}

private let widePage = HTML.page(
    "Wide",
    head: "<style>body { margin: 0; }</style>",
    """
    <div style="width: 3000px; height: 200px; background: linear-gradient(to right, rgb(200, 0, 0), rgb(0, 0, 200))">
    </div>
    <p style="position: absolute; left: 2900px; margin: 0">The end.</p>
    """)

private let printPage = HTML.page(
    "Print",
    head: """
        <style>
        .ground { height: 120px; background-image: url(/image/70.png); }
        .on-paper { display: none; }
        @media print {
            .on-screen { display: none; }
            .on-paper { display: block; }
            .ground { background-image: url(/image/71.png); }
        }
        </style>
        <link rel="stylesheet" media="print" href="/print/paper.css">
        """,
    """
    <p class="on-screen">Only on the screen.</p>
    <p class="on-paper">Only on paper.</p>
    <div class="ground"></div>
    """)
