// Functions that a capture runs in a page (`PageScripts.swift`) to wait for pictures, scroll and inspect the page.

import { freeze, restoreStyle, setStyles } from "./frozen.js";

// The caller limits the time that these functions take.

/**
 * Ends all animations that have an end, and waits until fonts are loaded and pictures are loaded and decoded.
 *
 * A lazy picture that hasn't come into view doesn't load, so it isn't waited for.
 */
export function settle() {
    for (const animation of document.getAnimations()) {
        const end = animation.effect?.getComputedTiming().endTime;
        if (animation.timeline === document.timeline && animation.playState === "running" && Number.isFinite(end)) {
            animation.finish();
        }
    }
    const decoded = (image) => image.decode().catch(() => {});
    const images = [...document.images].filter((image) => image.complete || image.loading !== "lazy");
    return Promise.all([document.fonts?.ready, ...images.map((image) => image.complete ? decoded(image) : new Promise((done) => {
        image.addEventListener("load", () => decoded(image).then(done), { once: true });
        image.addEventListener("error", done, { once: true });
    }))]).then(() => true);
}

/** What changes on the screen by itself. */
const movingElements = "video,audio,object,embed,marquee";

/** What can change on the screen without a change of the document. */
const livelyElements = movingElements + ",canvas,iframe,frame";

/**
 * Whether neither a script nor an animation is going to change this frame within half a second.
 *
 * @param {string} event The type of the event that `watchSources` answers.
 */
export async function isQuiet(event) {
    // What has just loaded runs its scripts first.
    await new Promise((done) => requestIdleCallback(done, { timeout: 200 }));
    const isAtRest = !document.dispatchEvent(new Event(event, { cancelable: true }));
    return isAtRest && !document.querySelector(movingElements + ",meta[http-equiv=refresh i]")
        && document.getAnimations().every((animation) => animation.playState !== "running");
}

/**
 * Begins to watch the document for changes; returns whether every change would be noticed.
 *
 * Scripts can draw on a canvas or in a shadow tree, and frames and animations change by themselves.
 */
export function watch() {
    self.watcher?.disconnect();
    self.changes = 0;
    self.watcher = new MutationObserver((records) => self.changes += records.length);
    self.watcher.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    return !document.querySelector(livelyElements) && !document.getAnimations().length
        && ![...document.querySelectorAll("*")].some((element) => element.localName.includes("-") || element.shadowRoot);
}

/** Ends the watch; returns whether the document has changed. */
export function hasChanged() {
    const changes = self.changes + self.watcher.takeRecords().length;
    self.watcher.disconnect();
    return changes > 0;
}

/**
 * Waits until a frame has been drawn and intersection observers have seen it, for at most half a second; returns whether
 * it was.
 */
function drawn() {
    return new Promise((done) => {
        const { port1, port2 } = new MessageChannel();
        const timer = setTimeout(done, 500, false);
        port1.onmessage = () => { clearTimeout(timer); port1.close(); done(true); };
        requestAnimationFrame(() => requestAnimationFrame(() => port2.postMessage(0)));
    });
}

/** Waits until the next frame begins to be drawn, for at most half a second. */
export function frame() {
    return new Promise((done) => {
        setTimeout(done, 500, true);
        requestAnimationFrame(() => setTimeout(done, 0, true));
    });
}

function scrollToTop(top) {
    if (Math.round(scrollY) !== top) scrollTo({ left: 0, top, behavior: /** @type {ScrollBehavior} */ ("instant") });
}

/**
 * Scrolls to a position, and waits until its content is laid out and intersection observers have seen it.
 *
 * @param {number} top
 */
export function show(top) {
    scrollToTop(top);
    return drawn();
}

/**
 * Waits until a cross-site frame is on the screen.
 *
 * Chromium draws such a frame in another process, so that it may be missing from the screen although it has been drawn.
 * A frame out of view and a blank one never get there.
 */
export async function showFrame() {
    if (!await show(0) || isBlank()) return false;
    await new Promise((done) => {
        const observer = new PerformanceObserver(() => {
            observer.disconnect();
            done(true);
        });
        observer.observe({ type: "paint", buffered: true });
    });
    return true;
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

/** The text that the page shows, without that of frames; half of a surrogate pair becomes U+FFFD. */
function visibleText(length) {
    const { body, documentElement: root } = document;
    const text = (body ? body.innerText : root?.textContent) || "";
    return /** @type {any} */ (text.slice(0, length)).toWellFormed();
}

/** The maximum number of SVG images that are checked. */
const checkedImages = 1000;

/**
 * The addresses of images that the browser couldn't decode, or received no body for.
 *
 * An HTML image is damaged if it has no size. An SVG `image` doesn't expose its size, and the promise of its `decode()`
 * never settles, so this makes a bitmap of each.
 */
async function undecodableImages() {
    const damaged = [...document.images]
        .filter((image) => image.complete && image.currentSrc && image.naturalWidth === 0)
        .map((image) => image.currentSrc);
    const drawings = [.../** @type {NodeListOf<SVGImageElement>} */ (document.querySelectorAll("image"))];
    await Promise.all(drawings.slice(0, checkedImages).map(async (image) => {
        const address = /** @type {typeof URL & URLConstructor} */ (URL).parse(image.href?.baseVal || "", document.baseURI)?.href;
        if (!address) return;
        try {
            (await createImageBitmap(image, { resizeWidth: 1, resizeHeight: 1 })).close();
        } catch {
            damaged.push(address);
        }
    }));
    return [...new Set(damaged)].filter((address) => address.startsWith("http"));
}

/**
 * The page's title, address and text, whether it looks blank, and the images that can't be shown.
 *
 * @param {number} titleLength The maximum length of the title, in Unicode scalars.
 * @param {number} textLength The maximum length of the text, in UTF-16 code units.
 * @param {number} images The maximum number of image addresses.
 */
export async function summary(titleLength, textLength, images) {
    // A scalar takes at most two UTF-16 code units.
    const title = [...(document.title || "").slice(0, 2 * titleLength)].slice(0, titleLength).join("");
    return {
        title, text: visibleText(textLength), url: location.href, isBlank: isBlank(),
        undecodable: (await undecodableImages()).slice(0, images),
    };
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

/**
 * Lets the content of elements with scroll bars break between lines and pictures at the end of a sheet of paper.
 *
 * Chromium cuts through elements that can be scrolled, even if all of their content is visible.
 */
export function allowBreaks() {
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("body, body *"))) {
        if (!element.style || element.scrollTop > 0) continue;
        const { display, overflowY } = getComputedStyle(element);
        if (!["auto", "scroll", "hidden"].includes(overflowY)) continue;
        // The window has the body's scroll bars, unless the root has its own.
        if (element === document.body && getComputedStyle(document.documentElement).overflowY === "visible") continue;
        // The gaps at the ends of sheets move content down, perhaps out of the element.
        const axis = (content, visible) => content > visible ? "clip" : "visible";
        freeze(element, {
            "overflow-x": axis(element.scrollWidth, element.clientWidth),
            "overflow-y": axis(element.scrollHeight, element.clientHeight),
            ...display === "block" ? { display: "flow-root" } : {},
        });
    }
    return true;
}

/**
 * Makes the page look the same in all stripes of its picture, as if the window were as tall as the picture.
 *
 * Fixed elements appear once, where they would be in such a window; sticky elements stay where they are without
 * scrolling; animations pause, and the page doesn't learn that it is scrolled.
 *
 * @param {number} height The height of the picture.
 */
export function holdElements(height) {
    self.striped = [];
    self.fixed = [];
    const hold = (element, styles) => {
        self.striped.push([element, element.getAttribute("style")]);
        setStyles(element, styles);
    };
    /** @type {[HTMLElement, DOMRect][]} */
    const candidates = [];
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("*"))) {
        if (!element.style) continue;
        const { position, zIndex } = getComputedStyle(element);
        if (position === "sticky") {
            hold(element, { position: "relative", inset: "auto", "z-index": zIndex === "auto" ? "0" : zIndex });
        } else if (position === "fixed") {
            candidates.push([element, element.getBoundingClientRect()]);
        }
    }
    self.ignoreScrolling = (event) => event.stopImmediatePropagation();
    addEventListener("scroll", self.ignoreScrolling, true);
    self.paused = document.getAnimations().filter((animation) => animation.playState === "running");
    for (const animation of self.paused) animation.pause();
    // An element in a transformed one moves with it, although its position is fixed.
    const distance = Math.min(100, height - innerHeight);
    scrollToTop(distance);
    const staying = candidates.filter(([element, { top }]) => Math.abs(element.getBoundingClientRect().top - top) < 1);
    scrollToTop(0);
    for (const [element, { top, height: own }] of staying) {
        const before = self.measured?.get(element);
        const share = before ? Math.min(Math.max((top - before.top) / ((innerHeight - self.measuredWindow) || 1), 0), 1) : 0;
        const place = before ? before.top + share * (height - self.measuredWindow) : top;
        hold(element, { top: "0", bottom: "auto", height: own + "px", "margin-top": "0", "margin-bottom": "0",
            "box-sizing": "border-box", transition: "none" });
        self.fixed.push([element, place - element.getBoundingClientRect().top]);
    }
    return self.striped.length;
}

/**
 * Scrolls to a stripe of the picture, and waits until it's drawn.
 *
 * @param {number} top
 */
export function showStripe(top) {
    scrollToTop(Math.min(top, document.scrollingElement.scrollHeight - innerHeight));
    for (const [element, place] of self.fixed) setStyles(element, { top: place - scrollY + "px" });
    return drawn();
}

/** Undoes what `holdElements` did. */
export function releaseElements() {
    removeEventListener("scroll", self.ignoreScrolling, true);
    for (const [element, style] of self.striped.reverse()) restoreStyle(element, style);
    for (const animation of self.paused) animation.play();
    scrollToTop(0);
    return true;
}

/** The address that a frame's element requests, empty if there is none, and the frame's name. */
export function frameOwner(element) {
    const address = element.src || element.data || "";
    return { address: address.startsWith("http") ? address : "", name: (element.name || "").slice(0, 1000) };
}
