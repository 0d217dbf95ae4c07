// Makes a page live. Regions with `data-live` follow an event stream; forms with `data-enhanced` are submitted without
// leaving the page; with `data-opens` as well, they open the page at the `path` in the JSON of their response. Menus
// close as `menus.js` describes, and the server learns the browser's time zone. Without this script, the page stays as
// it was loaded, with times in the server's zone, and forms work as usual.

import { Backoff } from "./backoff.js";
import { EventStream } from "./event-stream.js";
import { closeMenuOf, watchMenus } from "./menus.js";
import { fetchPage, focusFirstShown, isShown, morph, morphTo, withAncestors } from "./morph.js";
import { hasFiles, sendFiles, Stopped } from "./uploads.js";
import { connectionLost, failedWithStatus, noResponse, noResponseDetail, somethingWrong } from "./words.js";

const status = document.getElementById("connection");

function showStatus(text) {
    if (status && status.textContent !== text) status.textContent = text;
}

// --- Streams: one per address, shared by its regions.

const streams = new Map();
const lostAddresses = new Set();

function makeStream(address) {
    return new EventStream(() => address, new Backoff(1000, 30000), {
        opened: () => {
            setLost(address, false);
            clearUnansweredProblems();
            listen(address);
        },
        lost: () => setLost(address, true),
    });
}

function setLost(address, isLost) {
    if (isLost) lostAddresses.add(address);
    else lostAddresses.delete(address);
    if (lostAddresses.size) showStatus(connectionLost);
    else if (status?.textContent === connectionLost) showStatus("");
}

/** Handles the events of an address for its regions, which may change at any time. */
function listen(address) {
    for (const region of regionsOf(address)) {
        const name = nameOf(region);
        streams.get(address)?.listen(name, (data) => {
            for (const region of regionsOf(address)) {
                if (nameOf(region) !== name) continue;
                if ("liveVersion" in region.dataset) refetchRegion(region, data);
                else morph(region, data);
            }
            // The new content may contain live regions of its own.
            listen(address);
            document.dispatchEvent(new CustomEvent("live:updated", { detail: { address, name } }));
        });
    }
}

/** The name of the events for a region. */
function nameOf(region) {
    return region.dataset.liveEvent || "message";
}

// Pages may arrive in another order than they were requested. So requests are numbered, and a region with a version never
// becomes older: it keeps what it shows if that comes from a later request.

/** The number of requests for pages so far. */
let requestCount = 0;
/** The request whose page each region with a version shows. */
const shownRequests = new WeakMap();

function regionsNewerThan(request) {
    const regions = Array.from(document.querySelectorAll("[data-live-version]"));
    return regions.filter((region) => (shownRequests.get(region) ?? 0) > request);
}

/** The latest announced version of each region that is being fetched again. */
const announcedVersions = new Map();
/** The request of each region that is being fetched again. */
const pendingFetches = new Map();

/** Updates a region with `data-live-version` by fetching the page again, because an event has only the version. */
async function refetchRegion(region, version) {
    const isFetching = announcedVersions.has(region);
    announcedVersions.set(region, version);
    if (isFetching) return;
    let fetched = region.dataset.liveVersion;
    // Repeat if another version was announced meanwhile. Announced versions are compared with each other, never with
    // the version of the fetched page: the page may be newer than the event, and that must not cause a second fetch.
    while (announcedVersions.get(region) !== fetched) {
        fetched = announcedVersions.get(region);
        const { search } = location;
        const request = ++requestCount;
        const pending = new AbortController();
        pendingFetches.set(region, pending);
        const replacement = (await fetchPage(pending.signal))?.getElementById(region.id);
        pendingFetches.delete(region);
        if (pending.signal.aborted) {
            // The latest address may be the same again.
            fetched = null;
            continue;
        }
        // The fetched page is that of the address before a script changed it and announced the change.
        if (location.search !== search) continue;
        // If the page can't be fetched, the stream announces the current version once it is connected again.
        if (!replacement) break;
        if ((shownRequests.get(region) ?? 0) > request) continue;
        shownRequests.set(region, request);
        morphToPage(region, replacement);
        region.dataset.liveVersion = replacement.dataset.liveVersion ?? fetched;
        const { live: address, liveEvent: name } = region.dataset;
        document.dispatchEvent(new CustomEvent("live:updated", { detail: { address, name } }));
    }
    announcedVersions.delete(region);
}

// A script has changed the page's address so that it shows something else in a region with `data-live-version`.
document.addEventListener("live:outdated", ({ target }) => {
    // What is being fetched for an earlier address isn't needed any more.
    pendingFetches.get(target)?.abort();
    void refetchRegion(/** @type {HTMLElement} */ (target), location.href);
});

function regionsOf(address) {
    return Array.from(document.querySelectorAll("[data-live]")).filter((region) => region.dataset.live === address);
}

function updateStreams() {
    const addresses = new Set(Array.from(document.querySelectorAll("[data-live]"), (region) => region.dataset.live));
    for (const [address, stream] of streams) {
        if (addresses.has(address)) continue;
        stream.close();
        setLost(address, false);
        streams.delete(address);
    }
    for (const address of addresses) {
        if (!streams.has(address)) streams.set(address, makeStream(address));
        // A browser opens at most six connections to a server, shared by all tabs, so only visible tabs hold one.
        if (document.visibilityState === "visible") streams.get(address).open();
        listen(address);
    }
}

/**
 * Updates an element to match that of a page from the server.
 *
 * The streams of regions that this adds begin again, because they may have delivered newer content than the page has.
 */
function morphToPage(element, other) {
    const known = new Set(document.querySelectorAll("[data-live]"));
    morphTo(element, other);
    for (const region of document.querySelectorAll("[data-live]")) {
        if (!known.has(region)) streams.get(region.dataset.live)?.close();
    }
    updateStreams();
}

function closeStreams() {
    for (const stream of streams.values()) stream.close();
}

document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") updateStreams();
    else closeStreams();
});
window.addEventListener("pagehide", closeStreams);
window.addEventListener("pageshow", updateStreams);
window.addEventListener("online", () => {
    for (const stream of streams.values()) stream.backoff.reset();
    closeStreams();
    updateStreams();
});
// The streams send times too, so they begin after the server has learned the zone.
useOwnZone();
updateStreams();
watchMenus();

// --- The time zone.

/** Tells the server this browser's time zone, by a cookie, and corrects the times of a page in another zone. */
function useOwnZone() {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const cookie = `meanwhile-zone=${zone}`;
    const isKnown = () => document.cookie.split("; ").includes(cookie);
    if (!zone || zone === document.documentElement.dataset.zone || isKnown()) return;
    const secure = location.protocol === "https:" ? "; secure" : "";
    document.cookie = `${cookie}; path=/; max-age=34560000; samesite=strict${secure}`;
    if (isKnown() && document.querySelector("main time")) void correctTimes();
}

async function correctTimes() {
    const page = await fetchPage();
    const wanted = page?.querySelector("main");
    if (!wanted) return;
    morphTo(document.querySelector("main"), wanted);
    document.documentElement.dataset.zone = page.documentElement.dataset.zone;
    // The page may be older than what the streams have delivered, so they begin again.
    closeStreams();
    updateStreams();
}

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
const latestSubmissions = new WeakMap();

async function send(form, submitter) {
    const submission = {};
    latestSubmissions.set(form, submission);
    const values = new (/** @type {FormDataConstructor} */ (FormData))(form, submitter);
    const buttons = Array.from(form.elements).filter((element) => element.type === "submit" && !element.disabled);
    const active = /** @type {HTMLElement} */ (document.activeElement);
    const focusedButton = buttons.includes(active) ? active : null;
    const ancestors = withAncestors(form);
    const from = pagePath();
    const request = ++requestCount;
    form.setAttribute("aria-busy", "true");
    for (const button of buttons) button.disabled = true;
    // The confirmation of an earlier form would cover the problem of this one.
    removeConfirmation();
    clearProblem(form);
    let problem = null;
    let isStopped = false;
    // With `data-opens`, ask for JSON: the browser would follow a redirect here, and load the same page again below.
    const acceptedType = "opens" in form.dataset ? "application/json" : "text/html";
    try {
        const address = submitter?.getAttribute("formaction") || form.getAttribute("action") || location.href;
        const headers = { Accept: `application/problem+json, ${acceptedType}` };
        const response = hasFiles(form)
            ? await sendFiles(form, address, values, headers)
            : await fetch(address, { method: "POST", body: textsOf(values), headers });
        clearUnansweredProblems();
        if (response.ok && "opens" in form.dataset) location.assign((await response.json()).path);
        else if (response.ok) await showResult(response, form, from, request);
        else problem = await readProblem(response);
    } catch (error) {
        isStopped = error instanceof Stopped;
        if (!isStopped) problem = { title: noResponse, detail: noResponseDetail, isUnanswered: true };
    }
    if (latestSubmissions.get(form) !== submission) return;
    latestSubmissions.delete(form);
    form.removeAttribute("aria-busy");
    for (const button of buttons) button.disabled = false;
    // A disabled button loses the focus. If the button was removed or hidden, focus an element around it.
    if (focusedButton && document.activeElement === document.body) {
        if (isShown(focusedButton)) focusedButton.focus({ preventScroll: true });
        else focusFirstShown(ancestors);
    }
    if (problem) showProblem(form, problem);
    else if (!isStopped) closeMenuOf(form);
    document.dispatchEvent(new CustomEvent("live:answered", { detail: { form, isRefused: problem !== null || isStopped } }));
}

/** The texts of a form. */
function textsOf(values) {
    const fields = new URLSearchParams();
    for (const [name, value] of values) if (typeof value === "string") fields.append(name, value);
    return fields;
}

async function readProblem(response) {
    const fallback = {
        title: somethingWrong,
        detail: failedWithStatus({ status: response.status }),
    };
    if (!response.headers.get("Content-Type")?.includes("json")) return fallback;
    return { ...fallback, ...(await response.json().catch(() => ({}))) };
}

/** The path and query of the page. */
function pagePath() {
    return location.pathname + location.search;
}

/**
 * Shows the result of a successful form: another page, or the updated current page.
 *
 * Since the form was sent from `from`, a script may have changed the page's address, such as for a search, or a region
 * may have been fetched again. The page is then fetched again.
 */
async function showResult(response, form, from, request) {
    const target = new URL(response.url);
    if (response.redirected && target.pathname + target.search !== from) {
        location.assign(target);
        return;
    }
    const done = form.dataset.done;
    const isPage = response.headers.get("Content-Type")?.startsWith("text/html");
    let page = isPage ? new DOMParser().parseFromString(await response.text(), "text/html") : null;
    if (page && regionsNewerThan(request).length) from = null;
    while (page && pagePath() !== from) {
        from = pagePath();
        request = ++requestCount;
        page = await fetchPage();
    }
    // No `await` between the reset and the update: the browser would paint the old page with an empty form.
    if (!("keepValues" in form.dataset)) form.reset();
    if (page) {
        const main = document.querySelector("main");
        const replacement = page.querySelector("main");
        // Regions without a version are left alone: their stream may have delivered newer content than this response.
        if (main && replacement) showPage(main, replacement, request);
    }
    if (done) showConfirmation(done);
}

/** Updates the page to match that of a request, except for regions that show a later one. */
function showPage(main, replacement, request) {
    const newer = regionsNewerThan(request);
    for (const region of newer) region.dataset.keep = "";
    morphToPage(main, replacement);
    for (const region of newer) delete region.dataset.keep;
    for (const region of document.querySelectorAll("[data-live-version]")) {
        if (!newer.includes(region)) shownRequests.set(region, request);
    }
}

/** The confirmation that is shown, and the timer that ends it. */
let confirmation = "";
let confirmationTimer = null;

function showConfirmation(text) {
    removeConfirmation();
    confirmation = text;
    showStatus(text);
    confirmationTimer = setTimeout(removeConfirmation, 4000);
}

function removeConfirmation() {
    clearTimeout(confirmationTimer);
    if (confirmation && status?.textContent === confirmation) showStatus("");
    confirmation = "";
}

function clearProblem(form) {
    for (const alert of form.querySelectorAll("[role=alert]")) {
        if ("beside" in alert.dataset) alert.remove();
        else clearAlert(alert);
    }
    for (const control of form.querySelectorAll("[aria-invalid]")) {
        control.removeAttribute("aria-invalid");
        control.removeAttribute("aria-errormessage");
    }
}

function clearAlert(alert) {
    alert.replaceChildren();
    alert.hidden = true;
    delete alert.dataset.keep;
    delete alert.dataset.unanswered;
}

/** Removes the messages that the server didn't respond, because it has responded now. */
function clearUnansweredProblems() {
    for (const alert of document.querySelectorAll("[data-unanswered]")) clearAlert(alert);
}

/** Shows a problem in its form. If it names a field, shows it beside the field, and focuses the field. */
function showProblem(form, { title, detail, field = "", isUnanswered = false }) {
    const named = field ? form.elements.namedItem(field) : null;
    const control = named instanceof HTMLElement && named.closest(".field") ? named : null;
    let alert = control ? null : form.querySelector("[role=alert]");
    if (!alert) {
        alert = document.createElement("div");
        alert.setAttribute("role", "alert");
        if (control) markInvalid(control, alert);
        else form.append(alert);
    }
    alert.dataset.keep = "";
    if (isUnanswered) alert.dataset.unanswered = "";
    alert.hidden = false;
    const heading = document.createElement("strong");
    heading.textContent = title;
    const text = document.createElement("p");
    text.textContent = detail;
    alert.replaceChildren(heading, text);
    control?.focus();
}

/** Places an alert beside a control. */
function markInvalid(control, alert) {
    alert.id = "problem";
    alert.dataset.beside = "";
    control.setAttribute("aria-invalid", "true");
    control.setAttribute("aria-errormessage", alert.id);
    control.after(alert);
}
