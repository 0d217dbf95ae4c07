// Runs in each frame before the page's own scripts, and knows whether one of them is going to run.

/** The time in which nothing may be due on a page at rest, in milliseconds. */
const restPeriod = 500;

/** The time after which a timer that was due has run, in milliseconds. */
const delay = 100;

/** What runs a page's scripts at any time, once the page has made one. */
const lastingSources = ["Worker", "SharedWorker", "WebSocket", "EventSource", "WebTransport", "RTCPeerConnection",
    "BroadcastChannel", "AudioContext", "FileReader", "IDBFactory.prototype.open", "MediaSource", "Notification",
    "ReadableStream.prototype.getReader", "ReadableStream.prototype.pipeTo", "ReadableStream.prototype.pipeThrough"];

/**
 * Functions whose promise runs a script once it's settled.
 *
 * The caller watches requests, but a request has ended for the browser before the page has read the response.
 */
const promisingFunctions = ["fetch", "Response.prototype.arrayBuffer", "Response.prototype.blob",
    "Response.prototype.bytes", "Response.prototype.formData", "Response.prototype.json", "Response.prototype.text",
    "Blob.prototype.arrayBuffer", "Blob.prototype.bytes", "Blob.prototype.text",
    "createImageBitmap", "scheduler.postTask", "WebAssembly.compile", "WebAssembly.instantiate",
    "SubtleCrypto.prototype.digest", "SubtleCrypto.prototype.decrypt", "SubtleCrypto.prototype.deriveBits",
    "SubtleCrypto.prototype.deriveKey", "CacheStorage.prototype.open", "CacheStorage.prototype.match",
    "LockManager.prototype.request", "StorageManager.prototype.getDirectory", "StorageManager.prototype.estimate"];

/**
 * Watches the timers and other sources of a frame's scripts.
 *
 * `isQuiet` asks by an event, which this script cancels if it expects no script to run within the rest period. If the page
 * removes the listener, nothing cancels the event, and `isQuiet` expects scripts.
 *
 * @param {string} event The event's type.
 */
export function watchSources(event) {
    const now = performance.now.bind(performance);
    const { apply, construct } = Reflect;
    const then = Promise.prototype.then, listen = EventTarget.prototype.addEventListener;
    /** @type {Map<number, {due: number, period: number}>} */
    const timers = new Map();
    let isLasting = false, pending = 0;

    /** Calls a function with each call of another one, whose result it may look at. */
    const follow = (path, note) => {
        const names = path.split("."), name = names.pop() ?? "";
        /** @type {any} */
        let owner = self;
        for (const part of names) owner = owner?.[part];
        const original = owner?.[name];
        if (typeof original !== "function") return;
        const noted = (list, result, receiver) => {
            note(result, list, receiver);
            return result;
        };
        owner[name] = new Proxy(original, {
            apply: (target, receiver, list) => noted(list, apply(target, receiver, list), receiver),
            construct: (target, list, created) => noted(list, construct(target, list, created)),
        });
    };
    const nextDue = ({ due, period }, time) => period && due < time ? due + Math.ceil((time - due) / period) * period : due;
    const forget = (time) => {
        for (const [id, timer] of timers) if (!timer.period && timer.due < time - delay) timers.delete(id);
    };
    const started = (isRepeated) => (id, [, wait]) => {
        const time = now(), period = Math.max(Number(wait) || 0, 1);
        if (timers.size % 1000 === 999) forget(time);
        timers.set(id, { due: time + period, period: isRepeated ? period : 0 });
    };
    follow("setTimeout", started(false));
    follow("setInterval", started(true));
    for (const name of ["clearTimeout", "clearInterval"]) follow(name, (_, [id]) => timers.delete(Number(id)));
    for (const path of lastingSources) follow(path, () => isLasting = true);
    const settled = () => pending -= 1;
    // Callbacks run in the order of their requests, so the page's own has run before. If the page cancels all requests,
    // this one too, it is never at rest, and is captured once it has been idle for half a second.
    for (const request of [requestAnimationFrame, requestIdleCallback]) {
        const ask = request.bind(self);
        follow(request.name, () => {
            pending += 1;
            ask(settled);
        });
    }
    for (const path of promisingFunctions) {
        follow(path, (result) => {
            if (!(result instanceof Promise)) return;
            pending += 1;
            apply(then, result, [settled, settled]);
        });
    }
    follow("XMLHttpRequest.prototype.send", (_, __, request) => {
        pending += 1;
        apply(listen, request, ["loadend", settled, { once: true }]);
    });
    const isAtRest = () => {
        const time = now();
        forget(time);
        return !isLasting && pending === 0
            && [...timers.values()].every((timer) => nextDue(timer, time) > time + restPeriod);
    };
    document.addEventListener(event, (asked) => {
        asked.stopImmediatePropagation();
        if (isAtRest()) asked.preventDefault();
    });
}
