// Opens Coffee Tracker without its server: a navigation that the server doesn't answer shows the page “offline”, which is
// stored here with its files and with a copy of the owner's drinks. All other requests go to the network: the
// server's pages load as if this worker didn't exist.

const worker = /** @type {any} */ (self);
const shell = "/coffee/offline";
const copyAddress = "/coffee/offline.json";
const copyName = "meanwhile.coffee.copy";
const prefix = "meanwhile.coffee.files ";
/** The files of one version of the site; the page that registers this worker names the version. */
const filesName = prefix + new URL(location.href).searchParams.get("version");
/**
 * The clients that show the stored page, and take their files from here. If the browser ends this worker before they have
 * loaded, the files come from the browser's own cache.
 */
const storedPages = new Set();

/** Stores the page, and the files that it names. */
async function storeFiles() {
    const response = await fetch(shell);
    if (!response.ok) throw new TypeError(String(response.status));
    const html = await response.clone().text();
    const files = Array.from(html.matchAll(/"(\/files\/[^"]+)"/g), (match) => match[1]);
    const cache = await caches.open(filesName);
    await cache.addAll(Array.from(new Set(files)));
    await cache.put(shell, response);
    await copy();
    await worker.skipWaiting();
}

/** Removes the files of other versions. */
async function removeOtherFiles() {
    const names = await caches.keys();
    const others = names.filter((other) => other.startsWith(prefix) && other !== filesName);
    await Promise.all(others.map((other) => caches.delete(other)));
    await worker.clients.claim();
}

/** A stored file. It ignores `Vary`: the page keeps the language of the request that stored it. */
async function stored(name, file) {
    const cache = await caches.open(name);
    return await cache.match(file, { ignoreVary: true });
}

/** A page of the server, or the stored one if the server doesn't answer. */
async function page(event) {
    try {
        const response = await fetch(event.request);
        // A proxy responds with one of these if its server doesn't answer.
        if (response.status !== 502 && response.status !== 504) {
            event.waitUntil(copy());
            return response;
        }
        return (await storedPage(event)) ?? response;
    } catch {
        return (await storedPage(event)) ?? Response.error();
    }
}

async function storedPage(event) {
    storedPages.add(event.resultingClientId);
    return await stored(filesName, shell);
}

/**
 * The owner's drinks and settings from the server, which are then stored; or, if the server doesn't answer, the stored
 * ones, with the header `X-Stored`.
 */
async function copy() {
    try {
        const response = await fetch(copyAddress);
        if (response.ok) {
            const cache = await caches.open(copyName);
            await cache.put(copyAddress, response.clone());
            return response;
        }
    } catch {
        // The server doesn't answer, or the storage is full: an earlier copy remains.
    }
    const earlier = await stored(copyName, copyAddress);
    if (!earlier) return Response.error();
    const headers = new Headers(earlier.headers);
    headers.set("X-Stored", "true");
    return new Response(earlier.body, { headers });
}

async function file(request) {
    return (await stored(filesName, request)) ?? (await fetch(request));
}

worker.addEventListener("install", (event) => event.waitUntil(storeFiles()));
worker.addEventListener("activate", (event) => event.waitUntil(removeOtherFiles()));
// A page says that the drinks have changed.
worker.addEventListener("message", (event) => event.waitUntil(copy()));
worker.addEventListener("fetch", (event) => {
    const { request } = event;
    if (request.method !== "GET") return;
    const { origin, pathname } = new URL(request.url);
    if (origin !== location.origin) return;
    if (request.mode === "navigate") event.respondWith(page(event));
    else if (pathname === copyAddress) event.respondWith(copy());
    else if (storedPages.has(event.clientId) && pathname.startsWith("/files/")) event.respondWith(file(request));
});
