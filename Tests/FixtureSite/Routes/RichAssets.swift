import Hummingbird

/// The resources of the rich page: nested style sheets, scripts, a font and pictures.
///
/// Each style sheet is in a folder below the one that imports it, so a relative address shows which sheet requested it.
extension Routes {
    func addRichAssets() {
        self.add("/assets/styles/main.css") { _ in .text(mainStyle, type: "text/css") }
        self.add("/assets/styles/nested/second.css") { _ in .text(secondStyle, type: "text/css; charset=utf-8") }
        self.add("/assets/styles/nested/deeper/third.css") { _ in .text(thirdStyle, type: "text/css") }
        self.add("/assets/scripts/main.js") { _ in .text(mainScript, type: "text/javascript; charset=utf-8") }
        self.add("/assets/fonts/block.ttf") { _ in
            .bytes(BlockFont.file, type: "font/ttf").with(.accessControlAllowOrigin, "*")
        }
        self.add("/assets/pictures/{name}.png") {
            .bytes(PNG.picture(Colour(name: $0.pathParameter("name"))), type: "image/png")
        }
        self.add("/assets/pictures/vector.svg") { _ in .text(drawing, type: "image/svg+xml") }
        self.add("/drawing.svg") { _ in .text(drawing, type: "image/svg+xml") }
        self.add("/favicon.ico") { _ in .bytes(PNG.picture(Colour(name: "favicon")), type: "image/png") }
        self.add("/image/{number}.png") { visit in
            .bytes(
                PNG.picture(
                    Colour(number: Int(visit.pathParameter("number")) ?? 0),
                    width: min(max(visit.number("width") ?? 64, 1), 4096),
                    height: min(max(visit.number("height") ?? 48, 1), 4096)),
                type: "image/png")
        }
    }
}

private let mainStyle = """
    @import "nested/second.css";
    @font-face { font-family: "Fixture Block"; src: url(../fonts/block.ttf) format("truetype"); }
    body { margin: 16px; font: 16px/1.4 sans-serif; background: white; color: rgb(20, 20, 20); }
    section, form { margin: 12px 0; padding: 8px; border: 1px solid rgb(200, 200, 200); }
    .blocks { font-family: "Fixture Block"; font-size: 20px; }
    .inline-background { width: 64px; height: 48px; display: inline-block; }

    """

private let secondStyle = """
    @charset "utf-8";
    @import url("deeper/third.css") screen, print;
    .tile { width: 64px; height: 48px; display: inline-block; background: url(../../pictures/tile.png); }
    .tile::after { content: "→ é"; color: white; }

    """

private let thirdStyle = """
    .dots { width: 64px; height: 48px; display: inline-block; background-image: url('../../../pictures/dots.png'); }
    @media (min-width: 100000px) { .dots { background-image: url(../../../pictures/never.png); } }

    """

private let drawing = """
    <?xml version="1.0" encoding="UTF-8"?>
    <svg xmlns="http://www.w3.org/2000/svg" width="64" height="48" viewBox="0 0 64 48">
    <title>Drawing &amp; text</title>
    <rect width="64" height="48" fill="#336699"/>
    <circle cx="32" cy="24" r="16" fill="#ffcc00"/>
    </svg>

    """

private let mainScript = """
    const byID = id => document.getElementById(id);

    // What a visitor types is in properties, not in the markup.
    byID("typed").value = "typed by script & <tag>";
    byID("area").value = "typed by script\\nin two lines";
    byID("checked").checked = true;
    byID("second").checked = true;
    byID("choice").value = "b";
    byID("details").open = true;

    const pen = byID("canvas").getContext("2d");
    pen.fillStyle = "rgb(10, 120, 60)";
    pen.fillRect(0, 0, 64, 48);
    pen.fillStyle = "white";
    pen.fillRect(16, 12, 32, 24);

    byID("scripted").sheet.insertRule(".inserted { color: rgb(200, 60, 0); font-weight: bold; }");
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(".adopted { color: rgb(0, 130, 0); background: url(/assets/pictures/adopted.png); }");
    document.adoptedStyleSheets.push(sheet);

    customElements.define("fixture-card", class extends HTMLElement {
        connectedCallback() {
            const root = this.attachShadow({ mode: "open" });
            root.innerHTML = `<style>:host { display: block; } b { color: rgb(160, 0, 0); }
                ::slotted(em) { text-decoration: underline; }</style>
                <b>Shadow</b> <slot></slot> <img src="/assets/pictures/shadow.png" alt="">`;
            const inside = new CSSStyleSheet();
            inside.replaceSync("b { text-transform: uppercase; }");
            root.adoptedStyleSheets = [inside];
        }
    });

    addEventListener("load", () => {
        const paragraph = document.createElement("p");
        paragraph.id = "added";
        paragraph.textContent = "Added by script after load.";
        byID("text").append(paragraph);
        document.documentElement.dataset.ready = "yes";
    });

    """
