// Makes a page live. Regions with `data-live` follow an event stream; forms with `data-enhanced` are submitted without
// leaving the page; with `data-opens` as well, they open the page at the `path` in the JSON of their response. Without
// this script, the page stays as it was loaded and forms work as usual.

import { Backoff } from "./backoff.js";
import { focusFirstConnected, morph, morphTo, withAncestors } from "./morph.js";

const status = document.getElementById("connection");

function say(text) {
    if (status && status.textContent !== text) status.textContent = text;
}

// --- Streams: one per address, shared by its regions.

const lost = "Connection lost, trying again…";
const streams = new Map();

class Stream {
    constructor(address) {
        this.address = address;
        this.listening = new Set();
        this.backoff = new Backoff(1000, 30000);
        this.isLost = false;
    }

    open() {
        if (this.source) return;
        this.backoff.end();
        this.source = new EventSource(this.address);
        this.listening.clear();
        this.listen();
        this.source.addEventListener("open", () => {
            this.backoff.reset();
            this.setLost(false);
            serverHasAnswered();
        });
        this.source.addEventListener("error", () => {
            // EventSource stops reconnecting after the first response that isn't an event stream, so reconnect with
            // growing delays.
            this.close();
            this.setLost(true);
            this.backoff.wait(() => this.open());
        });
    }

    close() {
        this.backoff.end();
        this.source?.close();
        this.source = null;
    }

    setLost(isLost) {
        this.isLost = isLost;
        const isAnyLost = Array.from(streams.values()).some((stream) => stream.isLost);
        if (isAnyLost) say(lost);
        else if (status?.textContent === lost) say("");
    }

    listen() {
        if (!this.source) return;
        for (const region of regionsOf(this.address)) {
            const name = region.dataset.liveEvent || "message";
            if (this.listening.has(name)) continue;
            this.listening.add(name);
            this.source.addEventListener(name, (event) => {
                for (const region of regionsOf(this.address)) {
                    if ((region.dataset.liveEvent || "message") !== name) continue;
                    if ("liveVersion" in region.dataset) fetchAgain(region, event.data);
                    else morph(region, event.data);
                }
                // The new content may contain live regions of its own.
                this.listen();
                document.dispatchEvent(new CustomEvent("live:updated", { detail: { address: this.address, name } }));
            });
        }
    }
}

/** The version announced last for each region that is being fetched. */
const told = new Map();

/** Updates a region from the current page: for one with `data-live-version`, an event carries only the version. */
async function fetchAgain(region, version) {
    const isUnderWay = told.has(region);
    told.set(region, version);
    if (isUnderWay) return;
    let fetched = region.dataset.liveVersion;
    // Fetch again if another version was announced meanwhile. Only announced versions are compared: the page may be
    // ahead of the event, which must not cause a second fetch.
    while (told.get(region) !== fetched) {
        fetched = told.get(region);
        const wanted = (await pageAgain())?.getElementById(region.id);
        if (!wanted) break;
        morphTo(region, wanted);
        region.dataset.liveVersion = wanted.dataset.liveVersion ?? fetched;
        follow();
        const { live: address, liveEvent: name } = region.dataset;
        document.dispatchEvent(new CustomEvent("live:updated", { detail: { address, name } }));
    }
    told.delete(region);
}

async function pageAgain() {
    try {
        const response = await fetch(location.href, { headers: { Accept: "text/html" } });
        return response.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : null;
    } catch {
        // The stream announces the current version when the server is back.
        return null;
    }
}

function regionsOf(address) {
    return Array.from(document.querySelectorAll("[data-live]")).filter((region) => region.dataset.live === address);
}

function follow() {
    const addresses = new Set(Array.from(document.querySelectorAll("[data-live]"), (region) => region.dataset.live));
    for (const [address, stream] of streams) {
        if (addresses.has(address)) continue;
        stream.close();
        stream.setLost(false);
        streams.delete(address);
    }
    for (const address of addresses) {
        if (!streams.has(address)) streams.set(address, new Stream(address));
        const stream = streams.get(address);
        // A browser opens at most six connections to a server, shared by all tabs, so only visible tabs hold one.
        if (document.visibilityState === "visible") stream.open();
        stream.listen();
    }
}

function rest() {
    for (const stream of streams.values()) stream.close();
}

document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? follow() : rest()));
window.addEventListener("pagehide", rest);
window.addEventListener("pageshow", follow);
window.addEventListener("online", () => {
    for (const stream of streams.values()) stream.backoff.reset();
    rest();
    follow();
});
follow();

// --- Forms.

document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !("enhanced" in form.dataset) || event.defaultPrevented) return;
    // A control named `method` would shadow the form's own property, so the attribute is read, as in `send`.
    if (form.getAttribute("method")?.toLowerCase() !== "post" || event.submitter?.formMethod === "get") return;
    event.preventDefault();
    if (form.getAttribute("aria-busy") !== "true") send(form, event.submitter);
});

/**
 * The latest submission of each form: morphing may turn an element into another form, which may be submitted before the
 * first response arrives.
 */
const sending = new WeakMap();

async function send(form, submitter) {
    const own = {};
    sending.set(form, own);
    const fields = new URLSearchParams();
    const values = new (/** @type {FormDataConstructor} */ (FormData))(form, submitter);
    for (const [name, value] of values) if (typeof value === "string") fields.append(name, value);
    const buttons = Array.from(form.elements).filter((element) => element.type === "submit" && !element.disabled);
    const active = /** @type {HTMLElement} */ (document.activeElement);
    const hadFocus = buttons.includes(active) ? active : null;
    const around = withAncestors(form);
    form.setAttribute("aria-busy", "true");
    for (const button of buttons) button.disabled = true;
    // The confirmation of an earlier form would cover the problem of this one.
    endConfirmation();
    clearProblem(form);
    let problem = null;
    // A response that redirects to another page would be fetched here, and again by the navigation.
    const content = "opens" in form.dataset ? "application/json" : "text/html";
    try {
        const address = submitter?.getAttribute("formaction") || form.getAttribute("action") || location.href;
        const response = await fetch(address, {
            method: "POST",
            body: fields,
            headers: { Accept: `application/problem+json, ${content}` },
        });
        serverHasAnswered();
        if (response.ok && "opens" in form.dataset) location.assign((await response.json()).path);
        else if (response.ok) await show(response, form);
        else problem = await problemIn(response);
    } catch {
        problem = {
            title: "The server did not answer",
            detail: "Nothing may have been saved. Check that it is running, then try again.",
            isUnanswered: true,
        };
    }
    if (sending.get(form) !== own) return;
    sending.delete(form);
    form.removeAttribute("aria-busy");
    for (const button of buttons) button.disabled = false;
    // A disabled button loses the focus. If it was removed, the keyboard continues near its place.
    if (hadFocus && document.activeElement === document.body) {
        if (hadFocus.isConnected) hadFocus.focus({ preventScroll: true });
        else focusFirstConnected(around);
    }
    if (problem) showProblem(form, problem);
}

async function problemIn(response) {
    const fallback = {
        title: "That did not work",
        detail: `The server answered with the status ${response.status}. Reload the page and try again.`,
    };
    if (!response.headers.get("Content-Type")?.includes("json")) return fallback;
    return { ...fallback, ...(await response.json().catch(() => ({}))) };
}

/** Shows the result of a successful form: another page, or the updated current page. */
async function show(response, form) {
    const target = new URL(response.url);
    if (response.redirected && (target.pathname !== location.pathname || target.search !== location.search)) {
        location.assign(target);
        return;
    }
    const done = form.dataset.done;
    const isPage = response.headers.get("Content-Type")?.startsWith("text/html");
    const text = isPage ? await response.text() : "";
    // Nothing is awaited between the reset and the update, so that the browser doesn't paint the old page with a reset
    // form.
    if (!("keepValues" in form.dataset)) form.reset();
    if (isPage) {
        const page = new DOMParser().parseFromString(text, "text/html");
        const main = document.querySelector("main");
        const wanted = page.querySelector("main");
        // Regions without a version are left alone: their stream may have delivered newer content than this response.
        if (main && wanted) morphTo(main, wanted);
        follow();
    }
    if (done) confirmDone(done);
}

/** The confirmation that is shown, and the timer that ends it. */
let confirmation = "";
let confirmationTimer = null;

function confirmDone(text) {
    endConfirmation();
    confirmation = text;
    say(text);
    confirmationTimer = setTimeout(endConfirmation, 4000);
}

function endConfirmation() {
    clearTimeout(confirmationTimer);
    if (confirmation && status?.textContent === confirmation) say("");
    confirmation = "";
}

function clearProblem(form) {
    const alert = form.querySelector("[role=alert]");
    if (alert) clearAlert(alert);
}

function clearAlert(alert) {
    alert.replaceChildren();
    alert.hidden = true;
    delete alert.dataset.keep;
    delete alert.dataset.unanswered;
}

/** Removes the problems of forms that the server didn't answer, because it answers now. */
function serverHasAnswered() {
    for (const alert of document.querySelectorAll("[data-unanswered]")) clearAlert(alert);
}

function showProblem(form, { title, detail, isUnanswered = false }) {
    let alert = form.querySelector("[role=alert]");
    if (!alert) {
        alert = document.createElement("div");
        alert.setAttribute("role", "alert");
        form.append(alert);
    }
    alert.dataset.keep = "";
    if (isUnanswered) alert.dataset.unanswered = "";
    alert.hidden = false;
    const heading = document.createElement("strong");
    heading.textContent = title;
    const text = document.createElement("p");
    text.textContent = detail;
    alert.replaceChildren(heading, text);
}
