// Opens Offline Library without its server: the pages that the owner keeps on this device, and a page that lists them and
// accepts addresses. While the server answers, everything comes from the server, and what is kept is refreshed.

const scope = /** @type {any} */ (self);
const offlineAddress = "/library/offline";
const listAddress = "/library/offline.json";
/** The kept pages and their pictures. */
const keptName = "meanwhile.library.kept";
/** The list of all pages, and files of the site by addresses that contain their version. */
const siteFilesName = "meanwhile.library.files";
/** Milliseconds after which the server counts as not answering, if there is a kept copy to show. */
const deadline = 4000;
/** The same for other pages, some of which are only made when they are opened. */
const longDeadline = 30_000;
const keptPath = /^\/library\/pages\/([0-9a-f-]{36})\/(reader|article|archive|view|picture|page\.png|tiles\/\d+|pdf|page\.pdf)$/;

/** Stores the page “offline”, and the files that it names. */
async function storeShell() {
    const response = await fetch(offlineAddress);
    if (!response.ok) throw new TypeError(String(response.status));
    const html = await response.clone().text();
    const files = Array.from(html.matchAll(/"(\/files\/[^"]+)"/g), (match) => match[1]);
    const cache = await caches.open(siteFilesName);
    for (const file of new Set(files)) if (!(await cache.match(file))) await cache.add(file);
    await cache.put(offlineAddress, response);
    await list();
    await scope.skipWaiting();
}

/** A stored response. It ignores `Vary`: a page keeps the language of the request that stored it. */
async function stored(request) {
    for (const name of [keptName, siteFilesName]) {
        const cache = await caches.open(name);
        const found = await cache.match(request, { ignoreVary: true });
        if (found) return found;
    }
    return undefined;
}

/** Whether a proxy answers that its server doesn't. */
function isUnreachable({ status }) {
    return status === 502 || status === 503 || status === 504;
}

/** The list of all pages from the server, which is then stored; or the stored one, with the header `X-Stored`. */
async function list() {
    try {
        const response = await fetch(listAddress);
        if (response.ok) {
            const cache = await caches.open(siteFilesName);
            await cache.put(listAddress, response.clone());
            return response;
        }
    } catch {
        // The server doesn't answer, or the storage is full: an earlier list remains.
    }
    const earlier = await stored(listAddress);
    return earlier ? withHeader(earlier, "X-Stored", "true") : Response.error();
}

function withHeader(response, name, value) {
    const headers = new Headers(response.headers);
    headers.set(name, value);
    return new Response(response.body, { status: response.status, headers });
}

/** A kept page of the site with the time of its copy, which the page's script shows. */
async function labelled(response) {
    const time = response.headers.get("X-Kept") ?? "";
    const html = await response.text();
    const headers = new Headers(response.headers);
    headers.delete("content-encoding");
    headers.delete("content-length");
    const marked = html.replace(/<html /, () => `<html data-kept="${time.replace(/[^0-9TZ:.-]/g, "")}" `);
    return new Response(marked, { status: 200, headers });
}

/** Removes all that is kept of a page, because the server no longer has it. */
async function forget(id) {
    const cache = await caches.open(keptName);
    for (const request of await cache.keys()) {
        if (new URL(request.url).pathname.split("/").includes(id)) await cache.delete(request);
    }
}

/** Replaces a kept response by a newer one. */
async function refresh(request, response) {
    const cache = await caches.open(keptName);
    try {
        await cache.put(request, withHeader(response, "X-Kept", new Date().toISOString()));
    } catch {
        // The storage is full: the earlier copy remains.
    }
}

function timeLimit(milliseconds) {
    return new Promise((_, reject) => setTimeout(() => reject(new TypeError()), milliseconds));
}

/** A part of a page: the server's, or the kept one if the server doesn't answer soon. */
async function part(event, id, name) {
    const { request } = event;
    const address = new URL(request.url).pathname;
    const kept = await stored(address);
    const fetching = fetch(request);
    try {
        const response = await (kept ? Promise.race([fetching, timeLimit(deadline)]) : fetching);
        if (response.status === 404 || response.status === 410) event.waitUntil(forget(id));
        else if (kept && response.ok) event.waitUntil(refresh(address, response.clone()));
        if (!isUnreachable(response) || !kept) return response;
    } catch {
        fetching.catch(() => {});
        if (!kept) return request.mode === "navigate" && request.destination === "document" ? await offlinePage() : Response.error();
    }
    if (name === "view" || name === "article") {
        // Outside its frame, only this header keeps the content of a page apart from the site.
        const policy = kept.headers.get("content-security-policy") ?? "";
        return /(^|;)\s*sandbox\b/.test(policy) ? kept : Response.error();
    }
    return ["reader", "archive", "picture", "pdf"].includes(name) ? await labelled(kept) : kept;
}

async function offlinePage() {
    return (await stored(offlineAddress)) ?? Response.error();
}

/** Another page of the app, or the page “offline” if the server doesn't answer. */
async function page(event) {
    try {
        const fetching = fetch(event.request);
        fetching.catch(() => {});
        const response = await Promise.race([fetching, timeLimit(longDeadline)]);
        if (!isUnreachable(response)) {
            event.waitUntil(list());
            return response;
        }
        return (await stored(offlineAddress)) ?? response;
    } catch {
        return await offlinePage();
    }
}

/** A file whose address has a version, or the style sheet of articles. */
async function file(request) {
    const isVersioned = new URL(request.url).pathname.startsWith("/files/");
    if (isVersioned) return (await stored(request)) ?? (await fetch(request));
    try {
        return await fetch(request);
    } catch {
        return (await stored(request)) ?? Response.error();
    }
}

scope.addEventListener("install", (event) => event.waitUntil(storeShell()));
scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener("fetch", (event) => {
    const { request } = event;
    if (request.method !== "GET") return;
    const { origin, pathname, search } = new URL(request.url);
    if (origin !== location.origin) return;
    const [, id, name] = keptPath.exec(pathname) ?? [];
    if (id && !search) event.respondWith(part(event, id, name));
    else if (pathname === listAddress) event.respondWith(list());
    else if (request.mode === "navigate" && request.destination === "document") event.respondWith(page(event));
    else if (pathname.startsWith("/files/") || pathname === "/library/article.css") event.respondWith(file(request));
});
