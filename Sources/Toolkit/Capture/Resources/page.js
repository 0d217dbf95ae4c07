// Functions that a capture runs in a page (`PageScripts.swift`) to wait for pictures, scroll and inspect the page.

/**
 * Waits until fonts are loaded, and pictures are loaded and decoded.
 *
 * @param {number} limit The maximum time to wait, in milliseconds.
 */
export function settle(limit) {
    const loaded = (image) => image.complete ? image.decode().catch(() => {}) : new Promise((done) => {
        image.addEventListener("load", () => image.decode().catch(() => {}).then(done), { once: true });
        image.addEventListener("error", done, { once: true });
    });
    const all = [document.fonts ? document.fonts.ready : null, ...[...document.images].map(loaded)];
    const timeout = new Promise((done) => setTimeout(done, limit));
    return Promise.race([Promise.all(all), timeout]).then(() => true);
}

/**
 * Scrolls to a position, and waits until its content is laid out and intersection observers have seen it; for at most
 * half a second.
 *
 * @param {number} top
 */
export function show(top) {
    return new Promise((done) => {
        if (Math.round(scrollY) !== top) scrollTo({ left: 0, top, behavior: /** @type {ScrollBehavior} */ ("instant") });
        const timer = setTimeout(done, 500);
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => { clearTimeout(timer); done(); })));
    }).then(() => true);
}

/** The elements that draw something even if they are empty. */
const drawingElements =
    "img,svg,canvas,video,audio,object,embed,iframe,frame,input,button,select,textarea,hr,table,math";

function isPainted(element) {
    if (!element) return false;
    const { backgroundColor, backgroundImage } = getComputedStyle(element);
    return backgroundImage !== "none" || !/^(rgba\(0, 0, 0, 0\)|rgb\(255, 255, 255\))$/.test(backgroundColor);
}

function isBlank() {
    const { body, documentElement: root } = document;
    const text = (body ? body.innerText : root ? root.textContent : "") || "";
    if (text.trim() !== "" || root?.matches("svg") || isPainted(body) || isPainted(root)) return false;
    if (!body) return true;
    const hasShadows = [...body.querySelectorAll("*")].some((element) => element.shadowRoot);
    return !hasShadows && !body.querySelector(drawingElements) && !body.matches("frameset");
}

/**
 * The addresses of images that the browser couldn't decode, or received no body for.
 *
 * An HTML image is damaged if it has no size. An SVG `image` doesn't expose its size, and the promise of its `decode()`
 * never settles, so this makes a bitmap of each in turn. A page may have any number, so it stops after two
 * seconds.
 */
async function undecodableImages() {
    const damaged = [...document.images]
        .filter((image) => image.complete && image.currentSrc && image.naturalWidth === 0)
        .map((image) => image.currentSrc);
    const timeout = new Promise((done) => setTimeout(done, 2000, true));
    const canBeDrawn = (image) => createImageBitmap(image, { resizeWidth: 1, resizeHeight: 1 })
        .then((bitmap) => { bitmap.close(); return true; }, () => false);
    const deadline = performance.now() + 2000;
    for (const image of /** @type {NodeListOf<SVGImageElement>} */ (document.querySelectorAll("image"))) {
        if (performance.now() >= deadline) break;
        const address = /** @type {typeof URL & URLConstructor} */ (URL).parse(image.href?.baseVal || "", document.baseURI)?.href;
        if (address && !await Promise.race([timeout, canBeDrawn(image)])) damaged.push(address);
    }
    return [...new Set(damaged)].filter((address) => address.startsWith("http"));
}

/**
 * The page's title and address, whether it looks blank, and the images that can't be shown.
 *
 * @param {number} titleLength The maximum length of the title, in Unicode scalars.
 * @param {number} images The maximum number of image addresses.
 */
export async function summary(titleLength, images) {
    // A scalar takes at most two UTF-16 code units.
    const title = [...(document.title || "").slice(0, 2 * titleLength)].slice(0, titleLength).join("");
    return { title, url: location.href, isBlank: isBlank(), undecodable: (await undecodableImages()).slice(0, images) };
}

/**
 * Prints colours as they are shown on screen.
 *
 * Uses a constructed style sheet, because a page's policy may forbid `style` elements.
 */
export function exactColours() {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*{-webkit-print-color-adjust:exact !important;print-color-adjust:exact !important}");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return true;
}

/** Records the heights of all elements, to find those that follow the height of the window. */
export function measureHeights() {
    self.heights = [...document.querySelectorAll("body, body *")]
        .map((element) => [element, element.getBoundingClientRect().height]);
    return self.heights.length;
}

/** Restores the recorded height of each element whose height has changed since, and scrolls to the top. */
export function freezeHeightsAndShow() {
    for (const [element, height] of self.heights || []) {
        if (!element.style || Math.abs(element.getBoundingClientRect().height - height) < 1) continue;
        for (const [name, value] of [["box-sizing", "border-box"], ["height", height + "px"], ["min-height", "0"],
            ["max-height", "none"]]) element.style.setProperty(name, value, "important");
    }
    return show(0);
}

/** The address that a frame's element requests, empty if there is none, and the frame's name. */
export function frameOwner(element) {
    const address = element.src || element.data || "";
    return { address: address.startsWith("http") ? address : "", name: (element.name || "").slice(0, 1000) };
}
