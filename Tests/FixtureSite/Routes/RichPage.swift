/// The page with every kind of part that a page can have.
extension Routes {
    func addRichPage() {
        self.page("/") { richPage(otherOrigin: $0.otherOrigin) }
        self.page("/plain", HTML.page("Plain", HTML.paragraph))
    }
}

private func richPage(otherOrigin: String) -> String {
    HTML.page(
        "Fixture site",
        head: """
            <meta name="viewport" content="width=device-width">
            <meta name="description" content='Quotes " and &amp; ampersands &lt;here&gt;'>
            <link rel="icon" href="assets/pictures/icon.png">
            <link rel="stylesheet" href="assets/styles/main.css">
            <style>.inline-style { color: rgb(0, 90, 160); }</style>
            <style id="scripted"></style>
            <script src="assets/scripts/main.js" defer></script>
            """,
        richText + richPictures + richForm + richShadow + richScripts + richFrames(otherOrigin: otherOrigin))
}

private let richText = """
    <section id="text">
    <p class="inline-style">Юникод, 中文, emoji 😀👩‍👩‍👧, accents éüñ, right to left שלום.</p>
    <p title="a &lt;b&gt; &quot;c&quot; 'd' &amp; e" data-json='{"a":"<b>&amp;</b>"}'>1 &lt; 2 &amp;&amp; 3 &gt; 2</p>
    <p>A block font: <span class="blocks">blocks</span></p>
    <noscript><p id="no-script">Scripts are off. <img src="/assets/pictures/noscript.png" alt=""></p></noscript>
    <template id="template"><p>Only in a template: <img src="/assets/pictures/template.png" alt=""></p></template>
    <!-- a comment -- with > signs -->
    <pre>
      two spaces, and a line
    </pre>
    </section>

    """

private let richPictures = """
    <section id="pictures">
    <img id="photo" src="assets/pictures/photo.png" alt="PNG" width="64" height="48">
    <img id="vector" src="assets/pictures/vector.svg" alt="SVG" width="64" height="48">
    <picture>
    <source media="(min-width: 1px)" srcset="assets/pictures/source.png">
    <img id="chosen" src="assets/pictures/fallback.png" alt="picture">
    </picture>
    <img id="dense" srcset="assets/pictures/dense1x.png 1x, assets/pictures/dense2x.png 2x"
      src="assets/pictures/dense.png" alt="srcset">
    <video id="film" width="64" height="48" poster="assets/pictures/poster.png" preload="none" src="/media/clip.webm">
    </video>
    <svg id="drawing" width="64" height="48" viewBox="0 0 64 48">
    <image href="assets/pictures/insvg.png" width="64" height="48"/><circle cx="32" cy="24" r="8" fill="white"/></svg>
    <div class="tile"></div>
    <div class="dots"></div>
    <div class="inline-background" style="background-image: url(&quot;assets/pictures/attribute.png&quot;)"></div>
    <canvas id="canvas" width="64" height="48"></canvas>
    </section>

    """

private let richForm = """
    <form id="form">
    <input id="typed" value="from markup">
    <textarea id="area">from markup</textarea>
    <label><input id="checked" type="checkbox"> check</label>
    <label><input id="first" type="radio" name="radio" checked> first</label>
    <label><input id="second" type="radio" name="radio"> second</label>
    <select id="choice"><option value="a" selected>A</option><option value="b">B</option></select>
    <details id="details"><summary>Summary</summary>Details.</details>
    </form>

    """

private let richShadow = """
    <section id="shadow">
    <fixture-card id="card"><em>slotted</em></fixture-card>
    <div id="declarative"><template shadowrootmode="open">
    <style>p { color: rgb(150, 0, 150); } p::before { content: url(/assets/pictures/declarative.png); }</style>
    <p>Declared shadow, <slot></slot></p></template><span>slotted too</span></div>
    <p class="adopted">Styled by an adopted sheet.</p>
    <p class="inserted">Styled by an inserted rule.</p>
    </section>

    """

private let richScripts = #"""
    <script>
    // Must be serialised unchanged: "</b>", "<!--" and "&&" aren't markup here.
    const markup = "<b>bold</b>", opening = "<!-- no comment", both = 1 < 2 && "a" > "A";
    document.getElementById("text").dataset.markup = markup + opening + both;
    </script>

    """#

private func richFrames(otherOrigin: String) -> String {
    """
    <section id="frames">
    <iframe id="same" src="frames/inner/page" width="300" height="160"></iframe>
    <iframe id="other" src="\(otherOrigin)/frames/foreign/page" width="300" height="260"></iframe>
    <iframe id="named" name="aside" src="/frames/named" width="300" height="120"></iframe>
    <iframe id="srcdoc" width="300" height="120"
      srcdoc="&lt;!DOCTYPE html>&lt;p>srcdoc &amp;amp; more&lt;/p>&lt;img src='/assets/pictures/srcdoc.png'>"></iframe>
    </section>

    """
}
