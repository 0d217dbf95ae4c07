// The pages that are kept on this device, in the browser's cache, which the service worker reads.

import { withStorage } from "../site/storage.js";

const keptName = "meanwhile.library.kept";
const filesName = "meanwhile.library.files";
/** The pages that were kept, by identifier: the browser may remove its cache to make room. */
const indexKey = "meanwhile.library.kept";
/** What the index has in place of a name while a page is copied for the first time. */
const unfinished = "";
/** What is kept without being chosen page by page. */
const rulesKey = "meanwhile.library.keep";
/** The pages whose PDF is kept, too, by identifier. */
const pdfKey = "meanwhile.library.keepPDF";

/**
 * @typedef {object} ListedPage A page as the server lists it.
 * @property {string} id
 * @property {string} name
 * @property {string} address
 * @property {string} version What changes when the page is saved again.
 * @property {string} saved When it was saved.
 * @property {boolean} isFavourite
 * @property {string[]} tags
 * @property {string[]} views The last components of the paths of its viewers, without that of the PDF.
 * @property {number} [pdf] The size of its PDF, which is kept only if it is chosen or there is nothing else.
 */
/**
 * @typedef {object} KeptPage
 * @property {ListedPage} page
 * @property {number} bytes
 * @property {string} time
 * @property {boolean} [hasPDF]
 */

/** Whether this browser can keep pages, which it may only on https and on the server's machine. */
export const canKeep = "serviceWorker" in navigator && "caches" in window;

const metaAddress = (id) => `/library/kept/${id}`;

/** @returns {Record<string, string>} */
function index(key = indexKey) {
    return withStorage(() => JSON.parse(localStorage.getItem(key))) ?? {};
}

/**
 * The last components of the paths of the viewers of a page that are kept.
 *
 * @param {ListedPage} page
 */
function keptViews({ id, views, pdf }) {
    return pdf && (!views.length || id in index(pdfKey)) ? [...views, "pdf"] : views;
}

/**
 * Whether a page has anything that can be kept.
 *
 * @param {ListedPage} page
 */
export function isKeepable({ views, pdf }) {
    return views.length > 0 || Boolean(pdf);
}

/**
 * Whether the PDF of a page can be kept, or not, beside its other files.
 *
 * @param {ListedPage} page
 */
export function isPDFOptional({ views, pdf }) {
    return views.length > 0 && Boolean(pdf);
}

function setIndex(change, key = indexKey) {
    const all = index(key);
    change(all);
    withStorage(() => localStorage.setItem(key, JSON.stringify(all)));
}

/** @returns {{favourites: boolean, tags: string[]}} */
export function keepRules() {
    const stored = withStorage(() => JSON.parse(localStorage.getItem(rulesKey)));
    return { favourites: stored?.favourites === true, tags: Array.isArray(stored?.tags) ? stored.tags : [] };
}

export function setKeepRules(rules) {
    withStorage(() => localStorage.setItem(rulesKey, JSON.stringify(rules)));
}

/** Whether pages are kept, or are to be kept. */
export function isAnythingKept() {
    const { favourites, tags } = keepRules();
    return canKeep && (favourites || tags.length > 0 || Object.keys(index()).length > 0);
}

/** @returns {Promise<{pages: ListedPage[], isStored: boolean} | null>} The list of all pages; null if there is none. */
export async function listedPages() {
    try {
        const response = await fetch("/library/offline.json");
        if (!response.ok) return null;
        const { pages } = await response.json();
        return { pages, isStored: response.headers.has("X-Stored") };
    } catch {
        return null;
    }
}

/** @returns {Promise<KeptPage[]>} */
export async function keptPages() {
    if (!canKeep) return [];
    const cache = await caches.open(keptName), found = [];
    for (const request of await cache.keys()) {
        if (!new URL(request.url).pathname.startsWith("/library/kept/")) continue;
        const response = await cache.match(request);
        try {
            found.push(await response.json());
        } catch {
            // The entry is damaged, so that the page isn't kept.
            await cache.delete(request);
        }
    }
    return found.sort((one, other) => (one.time < other.time ? 1 : -1));
}

/** @returns {Promise<KeptPage | null>} */
export async function keptPage(id) {
    return (await keptPages()).find(({ page }) => page.id === id) ?? null;
}

/** The addresses of what a page of the site needs, by its own HTML. */
function partsOf(html) {
    const parsed = new DOMParser().parseFromString(html, "text/html"), parts = [];
    for (const element of parsed.querySelectorAll("img[src], iframe[src], script[src]")) parts.push(element.getAttribute("src"));
    for (const element of parsed.querySelectorAll("link[rel=stylesheet], link[rel=icon]")) parts.push(element.getAttribute("href"));
    return parts.filter((address) => address.startsWith("/"));
}

async function fetched(address) {
    const response = await fetch(address, { cache: "no-cache" });
    if (!response.ok) throw new TypeError(`${address}: ${response.status}`);
    return response;
}

/** Whether the browser is leaving this document, which ends its requests. */
let isLeaving = false;
addEventListener("pagehide", () => { isLeaving = true; });
addEventListener("pageshow", () => { isLeaving = false; });

/**
 * Keeps a page on this device, completely or not at all. A copy that ends because the person leaves the document is made
 * again by the next {@link sync}.
 *
 * @param {ListedPage} page
 * @returns {Promise<KeptPage>} What is kept.
 */
export async function keep(page) {
    const isNew = !(page.id in index());
    if (isNew) setIndex((all) => { all[page.id] = unfinished; });
    try {
        const kept = await copy(page);
        setIndex((all) => { all[page.id] = page.name; });
        return kept;
    } catch (error) {
        if (isNew && !isLeaving) setIndex((all) => { delete all[page.id]; });
        throw error;
    }
}

/**
 * Copies a page to this device, completely or not at all.
 *
 * @param {ListedPage} page
 * @returns {Promise<KeptPage>} What is kept.
 */
async function copy(page) {
    const cache = await caches.open(keptName), files = await caches.open(filesName);
    const time = new Date().toISOString(), path = `/library/pages/${page.id}`;
    // All parts are read before the first is stored, so that an earlier copy stays if the connection ends.
    /** @type {Map<string, ?Response>} */
    const parts = new Map();
    let bytes = 0;
    const readPart = async (address) => {
        if (parts.has(address)) return "";
        const isFile = address.startsWith("/files/") || address === "/library/article.css";
        if (!isFile && !address.startsWith(`${path}/`)) return "";
        parts.set(address, null);
        if (isFile && (await files.match(address))) return "";
        const response = await fetched(address);
        const headers = new Headers(response.headers), body = await response.blob();
        headers.set("X-Kept", time);
        parts.set(address, new Response(body, { status: 200, headers }));
        if (!isFile) bytes += body.size;
        return headers.get("content-type")?.startsWith("text/html") ? await body.text() : "";
    };
    const views = keptViews(page);
    for (const view of views) {
        const html = await readPart(`${path}/${view}`);
        for (const part of partsOf(html)) await readPart(part);
    }
    if (page.views.includes("reader")) await readPart("/library/article.css");
    const kept = { page, bytes, time, hasPDF: views.includes("pdf") };
    try {
        for (const [address, response] of parts) {
            if (response) await (address.startsWith(`${path}/`) ? cache : files).put(address, response);
        }
        const headers = { "Content-Type": "application/json" };
        await cache.put(metaAddress(page.id), new Response(JSON.stringify(kept), { headers }));
    } catch (error) {
        // There's no room: a part of a page isn't kept.
        await remove(page.id);
        throw error;
    }
    // Asks the browser not to remove the cache to make room; it may refuse.
    navigator.storage?.persist?.().catch(() => {});
    return kept;
}

/**
 * Keeps the PDF of a kept page, too.
 *
 * @param {ListedPage} page
 */
export async function keepPDF(page) {
    setIndex((all) => { all[page.id] = true; }, pdfKey);
    try {
        return await keep(page);
    } catch (error) {
        setIndex((all) => { delete all[page.id]; }, pdfKey);
        throw error;
    }
}

/** Removes the PDF of a page from this device, but not its other files. */
export async function removePDF(id) {
    setIndex((all) => { delete all[id]; }, pdfKey);
    const cache = await caches.open(keptName), kept = await keptPage(id);
    const file = await cache.match(`/library/pages/${id}/page.pdf`);
    const size = file ? (await file.blob()).size : 0;
    for (const name of ["pdf", "page.pdf"]) await cache.delete(`/library/pages/${id}/${name}`);
    if (!kept) return;
    const changed = { ...kept, bytes: Math.max(0, kept.bytes - size), hasPDF: false };
    await cache.put(metaAddress(id), new Response(JSON.stringify(changed), { headers: { "Content-Type": "application/json" } }));
}

/** The PDF of a page, if it's on this device. */
export async function keptPDF(id) {
    const cache = await caches.open(keptName);
    return (await cache.match(`/library/pages/${id}/page.pdf`))?.blob() ?? null;
}

/** Removes a page from this device. */
export async function remove(id) {
    setIndex((all) => { delete all[id]; });
    setIndex((all) => { delete all[id]; }, pdfKey);
    const cache = await caches.open(keptName);
    for (const request of await cache.keys()) {
        if (new URL(request.url).pathname.split("/").includes(id)) await cache.delete(request);
    }
}

/** Whether a failure means that there is no room. */
export function isFull(error) {
    return error instanceof DOMException && error.name === "QuotaExceededError";
}

/**
 * Makes this device agree with the server: removes pages that were deleted there, and keeps new versions, pages that the
 * rules ask for, and those that the browser has removed to make room.
 *
 * @param {ListedPage[]} pages All pages of the server.
 * @returns {Promise<{evicted: number, isFull: boolean}>}
 */
export async function sync(pages) {
    const outcome = { evicted: 0, isFull: false };
    if (!canKeep) return outcome;
    const kept = new Map((await keptPages()).map((one) => [one.page.id, one]));
    const wanted = index(), rules = keepRules();
    const listed = new Map(pages.map((page) => [page.id, page]));
    for (const id of new Set([...kept.keys(), ...Object.keys(wanted)])) if (!listed.has(id)) await remove(id);
    for (const page of pages) {
        const has = kept.get(page.id), isWanted = page.id in wanted;
        const isRuled = (rules.favourites && page.isFavourite) || page.tags.some((tag) => rules.tags.includes(tag));
        if (!isKeepable(page) || (!has && !isWanted && !isRuled)) continue;
        if (has && has.page.version === page.version) {
            if (!isWanted) setIndex((all) => { all[page.id] = page.name; });
            continue;
        }
        if (!has && isWanted && wanted[page.id] !== unfinished) outcome.evicted += 1;
        try {
            await keep(page);
        } catch (error) {
            if (!isFull(error)) continue;
            outcome.isFull = true;
            break;
        }
    }
    return outcome;
}

/** Lets the browser open the app without its server. */
export async function prepareForOffline() {
    if (!canKeep) return;
    // The path of the site's files names their version.
    const version = new URL(import.meta.url).pathname.split("/")[2];
    try {
        await navigator.serviceWorker.register(`/library/service-worker.js?version=${version}`);
    } catch {
        // The browser forbids it, as in a private window: the app works while the server does.
    }
}

/** A size as people read it. */
export function sizeText(bytes) {
    const units = ["B", "kB", "MB", "GB"];
    let value = bytes, unit = 0;
    while (value >= 1000 && unit < units.length - 1) {
        value /= 1000;
        unit += 1;
    }
    const language = document.documentElement.dataset.language;
    return `${new Intl.NumberFormat(language, { maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0 }).format(value)} ${units[unit]}`;
}

export function timeText(time) {
    const { language, zone } = document.documentElement.dataset;
    const options = /** @type {Intl.DateTimeFormatOptions} */ ({ dateStyle: "medium", timeStyle: "short" });
    try {
        return new Intl.DateTimeFormat(language, { ...options, timeZone: zone || undefined }).format(new Date(time));
    } catch {
        return new Intl.DateTimeFormat(undefined, options).format(new Date(time));
    }
}
