// Enhances the pages of Coffee Tracker: shows the level at the pointer or the slider, offers undo right after a tap,
// filters drinks by name, offers the browser's time zone, and lets the browser open the app without its server. Without
// this script, the chart still names drinks when they are hovered or focused, and the page itself offers undo.

import { instantiate } from "../site/bridge.js";
import { expire } from "../site/expiring.js";
import { hasWaitingDrinks, WaitingDrinks } from "./waiting-drinks.js";
import {
    addOwnDrink, drinksWait, hint, levelAt, levelRange, noDrink, showWaiting, timesAreIn, useThisZone, zoneUnchanged,
} from "./words.js";

// --- Reading the curve.

/** @type {HTMLInputElement} */
const slider = document.getElementById("scrub");
const reading = document.getElementById("reading");
/** The index of the point that is shown; null if none is. */
let shownIndex = null;

/** The chart on the page. Query it each time, because the server replaces it every minute. */
function currentChart() {
    const svg = document.querySelector("[data-chart]");
    if (!svg) return null;
    const points = svg.dataset.points.split(";").map((point) => point.split(" ").map(Number));
    const { zone, clock } = svg.dataset;
    return { svg, points, start: Number(svg.dataset.start), step: Number(svg.dataset.step), zone, clock };
}

function formatTime(chart, index) {
    const date = new Date((chart.start + index * chart.step) * 1000);
    const isTwelveHourClock = chart.clock === "12";
    const language = isTwelveHourClock ? "en-US" : "en-GB";
    /** @type {Intl.DateTimeFormatOptions} */
    const options = {
        weekday: "short",
        hour: isTwelveHourClock ? "numeric" : "2-digit",
        minute: "2-digit",
        hour12: isTwelveHourClock,
        timeZone: chart.zone,
    };
    try {
        return new Intl.DateTimeFormat(language, options).format(date);
    } catch {
        // This browser doesn't know the time zone.
        return new Intl.DateTimeFormat(language, { ...options, timeZone: undefined }).format(date);
    }
}

const formats = new Intl.NumberFormat(`${document.documentElement.dataset.language}-u-nu-latn`);

/** A number as the server writes it for this reader. */
function number(value) {
    return formats.format(value);
}

function descriptionAt(chart, index) {
    const [level, low, high] = chart.points[index];
    const range = low === high ? "" : levelRange({ low: number(low), high: number(high) });
    const shares = Array.from(chart.svg.querySelectorAll("[data-shares]"), (mark) => [
        mark.dataset.name,
        Number(mark.dataset.shares.split(" ")[index] ?? 0),
    ]).filter(([, amount]) => amount >= 0.5);
    const list = shares.map(([name, amount]) => `${name} ${number(amount)}`).join(", ");
    return levelAt({
        time: formatTime(chart, index),
        level: number(level),
        range,
        shares: shares.length > 1 ? `: ${list}` : "",
    });
}

function showReading(index) {
    const current = currentChart();
    if (!current || !slider || !reading) return;
    const cursor = current.svg.querySelector("#cursor");
    shownIndex = index === null ? null : Math.max(0, Math.min(index, current.points.length - 1));
    if (shownIndex === null) {
        cursor?.setAttribute("hidden", "");
        reading.textContent = hint;
        return;
    }
    const text = descriptionAt(current, shownIndex);
    reading.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    const place = `${(shownIndex / (current.points.length - 1)) * 100}%`;
    for (const name of ["x1", "x2"]) cursor?.querySelector("line").setAttribute(name, place);
    cursor?.removeAttribute("hidden");
}

/** Describes the slider's position for screen readers. */
function describeSlider() {
    const current = currentChart();
    if (current) slider.setAttribute("aria-valuetext", descriptionAt(current, Number(slider.value)));
}

if (slider && reading) {
    document.getElementById("scrub-row").hidden = false;
    reading.textContent = hint;
    describeSlider();
    slider.addEventListener("input", () => showReading(Number(slider.value)));
    slider.addEventListener("blur", () => showReading(null));
    document.addEventListener("pointermove", (event) => {
        const svg = event.target instanceof Element ? event.target.closest("[data-chart]") : null;
        if (!svg) {
            if (shownIndex !== null && document.activeElement !== slider) showReading(null);
            return;
        }
        const box = svg.getBoundingClientRect();
        showReading(Math.round(((event.clientX - box.left) / box.width) * Number(slider.max)));
    });
    document.addEventListener("live:updated", (event) => {
        if (event.detail.name !== "chart") return;
        if (shownIndex === null) describeSlider();
        else showReading(shownIndex);
    });
}

// --- Undo, for a moment, on the screen where the drink was tapped. The list of drinks offers it for longer.

const undoToast = document.getElementById("undo-toast");
/** The actions that this tab has already offered to undo, so that undoing one doesn't offer the previous one again. */
const offeredSteps = new Set();
let stopUndoTimer = () => {};

function offerUndo() {
    if (!undoToast) return;
    const undo = document.getElementById("undo");
    const step = undo?.dataset.step;
    const shownUndo = undoToast.querySelector("[data-step]");
    // The action was undone, or another one followed.
    if (shownUndo && shownUndo.dataset.step !== step) removeUndo();
    if (!undo || !("fresh" in undo.dataset) || offeredSteps.has(step)) return;
    offeredSteps.add(step);
    const form = /** @type {HTMLElement} */ (undo.cloneNode(true));
    form.id = "undo-now";
    form.className = "action-bar toast";
    stopUndoTimer();
    undoToast.replaceChildren(form);
    stopUndoTimer = expire(form, 8000, removeUndo);
}

function removeUndo() {
    stopUndoTimer();
    const hadFocus = undoToast.contains(document.activeElement);
    undoToast.replaceChildren();
    if (!hadFocus) return;
    undoToast.tabIndex = -1;
    undoToast.focus({ preventScroll: true });
}

document.addEventListener("live:updated", offerUndo);
// The toast would cover the error message of another form.
document.addEventListener("submit", (event) => {
    if (undoToast && !undoToast.contains(/** @type {Node} */ (event.target))) removeUndo();
});
offerUndo();

// --- Finding a drink.

/** A text without case and accents. */
function folded(text) {
    return text.trim().toLocaleLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
}

function filterDrinks() {
    /** @type {HTMLInputElement} */
    const field = document.getElementById("find");
    const list = field && document.getElementById(field.dataset.find);
    if (!list) return;
    document.getElementById("find-row").hidden = false;
    const wanted = folded(field.value);
    let count = 0;
    for (const button of list.querySelectorAll("button")) {
        button.hidden = !folded(button.dataset.name).includes(wanted);
        if (!button.hidden) count += 1;
    }
    offerOwnDrink(count ? "" : field.value.trim());
}

/** Offers to add a drink that isn't in the list; an empty name ends the offer. */
function offerOwnDrink(name) {
    const place = document.getElementById("find-none");
    if (!place || (place.dataset.name ?? "") === name) return;
    place.dataset.name = name;
    place.replaceChildren();
    if (!name) return;
    const link = document.createElement("a");
    link.href = `/coffee/catalogue?name=${encodeURIComponent(name)}#own`;
    link.textContent = addOwnDrink;
    place.append(noDrink({ name }), link);
}

document.addEventListener("input", (event) => {
    if (/** @type {HTMLElement} */ (event.target).id === "find") filterDrinks();
});
document.addEventListener("live:updated", filterDrinks);
filterDrinks();

// --- The time zone.

const zoneOffer = document.getElementById("zone-offer");
/** Time zones that are probably the server's default, not the person's. */
const serverZone = /^(Etc\/)?(UTC|UCT|GMT|Universal|Zulu)$/;

/** Offers this browser's time zone while times are shown in UTC. */
function offerZone() {
    if (!zoneOffer) return;
    const zone = document.querySelector("[data-chart]")?.dataset.zone ?? "";
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
    zoneOffer.hidden = !serverZone.test(zone) || !own || serverZone.test(own);
    if (zoneOffer.hidden || zoneOffer.dataset.zone === own) return;
    zoneOffer.dataset.zone = own;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button";
    button.textContent = useThisZone({ zone: own });
    button.addEventListener("click", () => useZone(own, button));
    zoneOffer.replaceChildren(timesAreIn({ zone }), button);
}

/** Saves the time zone in the settings. The server then sends every part of the page again. */
async function useZone(zone, button) {
    button.disabled = true;
    const body = new URLSearchParams({ zone });
    const headers = { Accept: "application/problem+json, text/html" };
    // A request that fails is reported like one that the server refuses.
    const response = await fetch("/coffee/settings", { method: "POST", body, headers }).catch(() => null);
    button.disabled = false;
    if (!response?.ok) button.textContent = zoneUnchanged({ zone });
}

document.addEventListener("live:updated", offerZone);
offerZone();

// --- Without a connection: the browser stores a copy of the drinks for the page “offline”, and this page sends the
// drinks that were logged there.

const waitingPlace = document.getElementById("waiting");

/** Shows whether drinks of this browser wait to be sent, and where they are listed. */
function showWaitingDrinks({ waiting }) {
    if (!waitingPlace) return;
    waitingPlace.hidden = waiting === 0;
    if (waitingPlace.hidden || waitingPlace.hasChildNodes()) return;
    const link = document.createElement("a");
    link.href = "/coffee/offline";
    link.textContent = showWaiting;
    waitingPlace.replaceChildren(drinksWait, " ", link);
}

async function sendWaitingDrinks() {
    if (!hasWaitingDrinks()) return;
    const model = await instantiate(new URL("caffeine.wasm", import.meta.url));
    new WaitingDrinks(model, showWaitingDrinks).open();
}

/** Lets the browser open the app without its server, which browsers allow only on https and on the server's machine. */
async function prepareForOffline() {
    if (!("serviceWorker" in navigator)) return;
    // The path of the site's files names their version.
    const version = new URL(import.meta.url).pathname.split("/")[2];
    try {
        await navigator.serviceWorker.register(`/coffee/service-worker.js?version=${version}`);
    } catch {
        // The browser forbids it, as in a private window: the app works while the server does.
    }
}

// Without WebAssembly, no drink could be logged without a connection.
sendWaitingDrinks().catch(() => {});
prepareForOffline();
document.addEventListener("live:updated", ({ detail }) => {
    if (detail.name !== "drinks" && detail.name !== "quick") return;
    navigator.serviceWorker?.controller?.postMessage(detail.name);
});
