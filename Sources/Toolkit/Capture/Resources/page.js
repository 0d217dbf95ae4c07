// What captures look at in a page, and how they scroll it.

/**
 * Waits for fonts, and for pictures to be there and decoded.
 *
 * @param {number} limit For how many milliseconds at the most.
 */
export function settle(limit) {
    const loaded = (image) => image.complete ? image.decode().catch(() => {}) : new Promise((done) => {
        image.addEventListener("load", () => image.decode().catch(() => {}).then(done), { once: true });
        image.addEventListener("error", done, { once: true });
    });
    const all = [document.fonts ? document.fonts.ready : null, ...[...document.images].map(loaded)];
    const end = new Promise((done) => setTimeout(done, limit));
    return Promise.race([Promise.all(all), end]).then(() => true);
}

/**
 * Scrolls to a place, and waits until what is there is laid out and seen by intersection observers.
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

/** The elements that draw something, whatever is in them. */
const drawn = "img,svg,canvas,video,audio,object,embed,iframe,frame,input,button,select,textarea,hr,table,math";

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
    return !hasShadows && !body.querySelector(drawn) && !body.matches("frameset");
}

/**
 * The addresses of images that the browser couldn't decode, or got no body of.
 *
 * Images in HTML are damaged if they have no size. Those in SVG don't say: a bitmap is made of one after the other, for two seconds in
 * all, because a page may have any number of them. (`decode()` doesn't return for these.)
 */
async function undecodable() {
    const damaged = [...document.images]
        .filter((image) => image.complete && image.currentSrc && image.naturalWidth === 0).map((image) => image.currentSrc);
    const limit = new Promise((done) => setTimeout(done, 2000, true));
    const canBeDrawn = (image) => createImageBitmap(image, { resizeWidth: 1, resizeHeight: 1 })
        .then((bitmap) => { bitmap.close(); return true; }, () => false);
    const end = performance.now() + 2000;
    for (const image of /** @type {NodeListOf<SVGImageElement>} */ (document.querySelectorAll("image"))) {
        if (performance.now() >= end) break;
        const address = /** @type {typeof URL & URLConstructor} */ (URL).parse(image.href?.baseVal || "", document.baseURI)?.href;
        if (address && !await Promise.race([limit, canBeDrawn(image)])) damaged.push(address);
    }
    return [...new Set(damaged)].filter((address) => address.startsWith("http"));
}

/**
 * Title, address, whether anything is to be seen, and images that can't be.
 *
 * @param {number} titleLength How long the title may be, in Unicode scalars.
 * @param {number} images How many addresses of images are told.
 */
export async function summary(titleLength, images) {
    // Of twice as many units the first half may be all of a scalar.
    const title = [...(document.title || "").slice(0, 2 * titleLength)].slice(0, titleLength).join("");
    return { title, url: location.href, isBlank: isBlank(), undecodable: (await undecodable()).slice(0, images) };
}

/**
 * Prints colours as they are shown.
 *
 * By a constructed sheet, because a page's policy may forbid styles in elements.
 */
export function exactColours() {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*{-webkit-print-color-adjust:exact !important;print-color-adjust:exact !important}");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return true;
}

/** Notes the heights of all elements, to find those that follow the height of the window. */
export function measureHeights() {
    self.heights = [...document.querySelectorAll("body, body *")]
        .map((element) => [element, element.getBoundingClientRect().height]);
    return self.heights.length;
}

/** Gives each element whose height has changed since it was measured the height that it had, and goes to the top. */
export function freezeHeightsAndShow() {
    for (const [element, height] of self.heights || []) {
        if (!element.style || Math.abs(element.getBoundingClientRect().height - height) < 1) continue;
        for (const [name, value] of [["box-sizing", "border-box"], ["height", height + "px"], ["min-height", "0"],
            ["max-height", "none"]]) element.style.setProperty(name, value, "important");
    }
    return show(0);
}

/** The address that the element of a frame asks for, empty if it has none, and the frame's name. */
export function frameOwner(element) {
    const address = element.src || element.data || "";
    return { address: address.startsWith("http") ? address : "", name: (element.name || "").slice(0, 1000) };
}
