// Remembers how far a page has been read, and shows the article as the reader prefers it.

import { withStorage } from "../site/storage.js";
import {
    canKeep, isFull, isPDFOptional, keep, keepPDF, keptPage, keptPDF, listedPages, prepareForOffline, remove, removePDF,
    sizeText, timeText,
} from "./kept.js";
import {
    fromStart, keepPDFToo, keepPage, keeping, kept, keptCopy, minutes, noRoom, notKept, pageNotKept, pdfOffline, pdfRemoved,
    reload, removePDFToo, removePage, resumed, savePDF,
} from "./words.js";

/** @type {HTMLElement} */
const viewer = document.querySelector(".viewer[data-view]");
const frame = viewer instanceof HTMLIFrameElement ? viewer : null;

// --- The reader's settings, which this browser stores. No script runs in the article's frame: this one sets attributes of
// its document, which the style sheet of articles knows.

const settingsKey = "meanwhile.library.reader";
/** @type {NodeListOf<HTMLSelectElement>} */
const fields = document.querySelectorAll("#reading select");

function readSettings() {
    const stored = withStorage(() => JSON.parse(localStorage.getItem(settingsKey))) ?? {};
    for (const field of fields) {
        if (Array.from(field.options).some(({ value }) => value === stored[field.name])) field.value = stored[field.name];
    }
}

function applySettings() {
    const root = frame?.contentDocument?.documentElement;
    if (!root) return;
    for (const field of fields) root.dataset[field.name] = field.value;
}

/** Shows above the article how long it takes to read. */
function showMinutes() {
    const article = frame?.contentDocument?.querySelector("article");
    const count = article?.ownerDocument.documentElement.dataset.minutes;
    if (!article || !count) return;
    const text = article.ownerDocument.createElement("p");
    text.className = "minutes";
    // Its direction isn't that of the article.
    const isolated = text.appendChild(article.ownerDocument.createElement("bdi"));
    isolated.textContent = minutes({ count });
    const place = article.querySelector(":scope > .source") ?? article.querySelector(":scope > h1");
    if (place) place.after(text);
    else article.prepend(text);
}

// --- The position. It's sent when reading pauses for a second, and when the page is left. This browser stores it, too:
// it's sent again when the page is opened if the server doesn't know it, and a copy without a connection has it.

const pause = 1000;
/** The least change of the share that counts as reading. */
const leastChange = 0.002;
const { page, view } = viewer?.dataset ?? {};
const storageKey = `meanwhile.library.position/${page}/${view}`;
const path = `/library/pages/${page}/position`;
const blockNames = "p, h1, h2, h3, h4, h5, h6, li, dt, dd, pre, tr, figure, img";

/** @typedef {{share: number, paragraph: ?number, time: number}} Position */

/** The element that scrolls. */
function scroller() {
    return frame ? frame.contentDocument.scrollingElement ?? frame.contentDocument.documentElement : viewer;
}

/** @returns {HTMLElement[]} */
function blocks() {
    return frame ? Array.from(frame.contentDocument.querySelectorAll(`article :is(${blockNames})`)) : [];
}

/** @returns {Position} */
function currentPosition() {
    const { scrollTop, scrollHeight, clientHeight } = scroller();
    const rest = scrollHeight - clientHeight;
    const isAtEnd = scrollTop >= rest - 4;
    const found = isAtEnd ? -1 : blocks().findIndex((block) => block.getBoundingClientRect().bottom > 8);
    return {
        share: isAtEnd ? 1 : Math.min(Math.max(scrollTop / rest, 0), 1), paragraph: found < 0 ? null : found, time: Date.now(),
    };
}

/** @returns {?Position} The position that the server knew when it sent the page. */
function serverPosition() {
    const { share, paragraph, changed } = viewer.dataset;
    return changed
        ? { share: Number(share), paragraph: paragraph ? Number(paragraph) : null, time: Number(changed) } : null;
}

/** @returns {?Position} The position in this browser, if it's later than the server's. */
function ownPosition() {
    const own = withStorage(() => JSON.parse(localStorage.getItem(storageKey)));
    const isValid = typeof own?.time === "number" && typeof own.share === "number" && "paragraph" in own;
    return isValid && own.time > (serverPosition()?.time ?? 0) ? own : null;
}

function storedPosition() {
    return ownPosition() ?? serverPosition();
}

function storePosition(/** @type {Position} */ position) {
    withStorage(() => localStorage.setItem(storageKey, JSON.stringify(position)));
}

/** The position that waits to be sent. */
let waiting = null;
let timer = 0;
/** The share at the last position that was sent, or to which the page was scrolled. */
let lastShare = -1;

function bodyOf({ share, paragraph, time }) {
    const fields = new URLSearchParams({ view, share: share.toFixed(4), time: String(time) });
    if (paragraph !== null) fields.set("paragraph", String(paragraph));
    return fields;
}

async function send() {
    clearTimeout(timer);
    const position = waiting;
    if (!position) return;
    waiting = null;
    storePosition(position);
    try {
        const { status } = await fetch(path, { method: "POST", body: bodyOf(position) });
        // The page was deleted.
        if (status === 404) withStorage(() => localStorage.removeItem(storageKey));
    } catch {
        // There is no connection: it's sent when the page is opened again.
    }
}

/** The page is left, so that a request would be cancelled. */
function sendWhileLeaving() {
    clearTimeout(timer);
    if (!waiting) return;
    storePosition(waiting);
    navigator.sendBeacon(path, bodyOf(waiting));
    waiting = null;
}

function noteScrolling() {
    const position = currentPosition();
    if (Math.abs(position.share - lastShare) < leastChange) return;
    lastShare = position.share;
    waiting = position;
    clearTimeout(timer);
    timer = setTimeout(send, pause);
    if (hasScrolled) hideResumed();
}

// --- Opening where reading stopped.

/** Whether the reader has scrolled. */
let hasScrolled = false;
/** @type {?HTMLElement} */
let offer = null;

function hideResumed() {
    offer?.remove();
    offer = null;
}

function scrollTo(/** @type {Position} */ { share, paragraph }) {
    const element = scroller(), block = paragraph === null ? null : blocks()[paragraph];
    if (block && share < 1) block.scrollIntoView();
    else element.scrollTop = share * (element.scrollHeight - element.clientHeight);
    lastShare = currentPosition().share;
}

function resume() {
    const position = storedPosition();
    const isWithin = position && position.share > 0.01 && position.share < 0.98;
    if (!isWithin || hasScrolled || scroller().scrollHeight - scroller().clientHeight < 4) return;
    scrollTo(position);
    offer = document.createElement("div");
    offer.className = "action-bar toast resumed";
    offer.setAttribute("role", "status");
    const text = document.createElement("p"), button = document.createElement("button");
    text.textContent = resumed;
    button.type = "button";
    button.className = "button";
    button.textContent = fromStart;
    button.addEventListener("click", () => {
        hideResumed();
        scrollTo({ share: 0, paragraph: null, time: 0 });
        lastShare = -1;
        noteScrolling();
    });
    offer.append(text, button);
    viewer.after(offer);
}

function open() {
    const target = frame ? frame.contentWindow : viewer;
    for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) {
        target.addEventListener(type, () => { hasScrolled = true; }, { passive: true });
    }
    lastShare = currentPosition().share;
    resume();
    target.addEventListener("scroll", noteScrolling, { passive: true });
    // A page that fits the window is read at once.
    if (scroller().scrollHeight - scroller().clientHeight < 4 && !storedPosition()) {
        waiting = { share: 1, paragraph: null, time: Date.now() };
        timer = setTimeout(send, pause);
    }
    // A position that couldn't be sent earlier.
    const own = ownPosition();
    if (own && !waiting) {
        waiting = own;
        timer = setTimeout(send, pause);
    }
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") sendWhileLeaving(); });
    window.addEventListener("pagehide", sendWhileLeaving);
    window.addEventListener("online", () => {
        waiting ??= ownPosition();
        send();
    });
}

/** Calls a function once the article, or the first tile of the picture, is loaded. */
function whenLoaded(body) {
    if (!frame) {
        /** @type {HTMLImageElement} */
        const image = viewer.querySelector("img");
        if (!image || image.complete) return body();
        return image.addEventListener("load", body, { once: true });
    }
    const document = frame.contentDocument;
    if (document?.readyState === "complete" && document.querySelector("article")) return body();
    return frame.addEventListener("load", body, { once: true });
}

if (frame && view === "reader") {
    readSettings();
    document.getElementById("reading").hidden = false;
    for (const field of fields) {
        field.addEventListener("change", () => {
            const chosen = Object.fromEntries(Array.from(fields, ({ name, value }) => [name, value]));
            withStorage(() => localStorage.setItem(settingsKey, JSON.stringify(chosen)));
            // The same paragraph stays on the screen.
            const position = currentPosition();
            applySettings();
            scrollTo(position);
        });
    }
    whenLoaded(() => {
        applySettings();
        showMinutes();
        open();
    });
} else if (viewer) {
    whenLoaded(open);
}

// --- Keeping the page on this device.

/** Shows a sentence above the page, with a button if there is something to do. */
function note(text, label = "", action = () => {}) {
    let bar = document.getElementById("viewer-note");
    if (!bar) {
        bar = document.createElement("div");
        bar.id = "viewer-note";
        bar.className = "viewer-note";
        bar.setAttribute("role", "status");
        document.querySelector(".viewer-bar").after(bar);
    }
    const sentence = document.createElement("p");
    sentence.textContent = text;
    bar.replaceChildren(sentence);
    if (!label) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button";
    button.textContent = label;
    button.addEventListener("click", action);
    bar.append(button);
}

async function offerKeeping() {
    const id = location.pathname.split("/")[3];
    const menu = document.querySelector(".viewer-bar > .menu:last-of-type .menu-body");
    if (!canKeep || !menu) return;
    const entry = (name) => {
        const item = document.createElement("li"), button = document.createElement("button");
        button.type = "button";
        button.className = "button quiet";
        button.id = name;
        item.append(button);
        return { item, button };
    };
    const { item, button } = entry("keep"), { item: pdfItem, button: pdfButton } = entry("keep-pdf");
    menu.prepend(item, pdfItem);
    const show = async () => {
        const found = await keptPage(id);
        button.textContent = found ? `${removePage} (${sizeText(found.bytes)})` : keepPage;
        pdfItem.hidden = !found || !isPDFOptional(found.page);
        if (!pdfItem.hidden) pdfButton.textContent = (found.hasPDF ? removePDFToo : keepPDFToo)({ size: sizeText(found.page.pdf) });
        return found;
    };
    const close = () => {
        /** @type {HTMLDetailsElement} */
        const details = button.closest("details");
        details.open = false;
    };
    const copy = async (/** @type {typeof keep} */ keepIt) => {
        note(keeping);
        try {
            const page = (await listedPages())?.pages.find((one) => one.id === id);
            if (!page) throw new TypeError();
            note(kept({ size: sizeText((await keepIt(page)).bytes) }));
        } catch (error) {
            note(isFull(error) ? noRoom : pageNotKept);
        }
    };
    await show();
    button.addEventListener("click", async () => {
        close();
        if (await keptPage(id)) {
            await remove(id);
            note(notKept);
        } else {
            await copy(keep);
        }
        await show();
    });
    pdfButton.addEventListener("click", async () => {
        close();
        if ((await keptPage(id))?.hasPDF) {
            await removePDF(id);
            note(pdfRemoved);
        } else {
            await copy(keepPDF);
        }
        await show();
    });
}

/** Without a connection, some browsers don't show a PDF in their viewer: the file can be saved instead. */
function offerPDF() {
    note(`${keptCopy({ time: timeText(keptTime) })} ${pdfOffline}`, savePDF, async () => {
        const file = await keptPDF(location.pathname.split("/")[3]);
        if (!file) return;
        const link = document.createElement("a");
        link.href = URL.createObjectURL(file);
        link.download = `${document.querySelector("h1").innerText.replace(/[^\p{L}\p{N} .-]/gu, "-").slice(0, 80)}.pdf`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    });
}

const keptTime = document.documentElement.dataset.kept;
if (keptTime) {
    if (location.pathname.endsWith("/pdf")) offerPDF();
    else note(keptCopy({ time: timeText(keptTime) }), reload, () => location.reload());
    // The browser asks the service worker only for frames of this site's origin. The archive's own header is a sandbox,
    // too, and the service worker answers with nothing that lacks it.
    /** @type {HTMLIFrameElement} */
    const archive = document.querySelector("iframe.viewer:not([data-view])");
    if (archive?.src.endsWith("/view")) {
        // The frame itself keeps the sandbox in which it began.
        const other = /** @type {HTMLIFrameElement} */ (archive.cloneNode());
        other.removeAttribute("sandbox");
        archive.replaceWith(other);
    }
}
prepareForOffline();
offerKeeping();
