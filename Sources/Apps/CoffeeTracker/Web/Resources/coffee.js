// Enhances the pages of Coffee Tracker: shows values of the curve at the pointer or slider, filters drinks by name, and
// offers the browser's time zone. Without this script, drinks are still shown on hover and focus.

// --- Reading the curve.

/** @type {HTMLInputElement} */
const slider = document.getElementById("scrub");
const reading = document.getElementById("reading");
const invitation = "Point at the curve, or move the slider, to read it.";
/** The index of the point being read; null if there is none. */
let shown = null;

/** The chart currently on the page, which the server replaces every minute. */
function chart() {
    const svg = document.querySelector("[data-chart]");
    if (!svg) return null;
    const points = svg.dataset.points.split(";").map((point) => point.split(" ").map(Number));
    return { svg, points, start: Number(svg.dataset.start), step: Number(svg.dataset.step), zone: svg.dataset.zone };
}

function time(chart, index) {
    const date = new Date((chart.start + index * chart.step) * 1000);
    /** @type {Intl.DateTimeFormatOptions} */
    const options = { weekday: "short", hour: "2-digit", minute: "2-digit", hour12: false, timeZone: chart.zone };
    try {
        return new Intl.DateTimeFormat("en-GB", options).format(date);
    } catch {
        // This browser doesn't know the time zone.
        return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: undefined }).format(date);
    }
}

function words(chart, index) {
    const [level, low, high] = chart.points[index];
    const range = low === high ? "" : ` (${low} to ${high})`;
    const shares = Array.from(chart.svg.querySelectorAll("[data-shares]"), (mark) => [
        mark.dataset.name,
        Number(mark.dataset.shares.split(" ")[index] ?? 0),
    ]).filter(([, amount]) => amount >= 1);
    const parts = shares.length > 1 ? `: ${shares.map(([name, amount]) => `${name} ${amount}`).join(", ")}` : "";
    return `${time(chart, index)} · ${level} mg${range}${parts}`;
}

function show(index) {
    const current = chart();
    if (!current || !slider || !reading) return;
    const cursor = current.svg.querySelector("#cursor");
    shown = index === null ? null : Math.max(0, Math.min(index, current.points.length - 1));
    if (shown === null) {
        cursor?.setAttribute("hidden", "");
        reading.textContent = invitation;
        return;
    }
    const text = words(current, shown);
    reading.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    const place = `${(shown / (current.points.length - 1)) * 100}%`;
    for (const name of ["x1", "x2"]) cursor?.querySelector("line").setAttribute(name, place);
    cursor?.removeAttribute("hidden");
}

if (slider && reading) {
    document.getElementById("scrub-row").hidden = false;
    reading.textContent = invitation;
    const last = chart();
    if (last) slider.setAttribute("aria-valuetext", words(last, Number(slider.value)));
    slider.addEventListener("input", () => show(Number(slider.value)));
    slider.addEventListener("blur", () => show(null));
    document.addEventListener("pointermove", (event) => {
        const svg = event.target instanceof Element ? event.target.closest("[data-chart]") : null;
        if (!svg) {
            if (shown !== null && document.activeElement !== slider) show(null);
            return;
        }
        const box = svg.getBoundingClientRect();
        show(Math.round(((event.clientX - box.left) / box.width) * Number(slider.max)));
    });
    document.addEventListener("live:updated", (event) => {
        if (event.detail.name === "chart" && shown !== null) show(shown);
    });
}

// --- Finding a drink.

function find() {
    /** @type {HTMLInputElement} */
    const field = document.getElementById("find");
    const list = field && document.getElementById(field.dataset.find);
    if (!list) return;
    document.getElementById("find-row").hidden = false;
    const wanted = field.value.trim().toLocaleLowerCase();
    for (const button of list.querySelectorAll("button")) {
        button.hidden = !button.dataset.name.toLocaleLowerCase().includes(wanted);
    }
}

document.addEventListener("input", (event) => /** @type {HTMLElement} */ (event.target).id === "find" && find());
document.addEventListener("live:updated", find);
find();

// --- The time zone.

const zoneOffer = document.getElementById("zone-offer");
/** The zone of most servers, and of few people. */
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
    button.textContent = `Use ${own}`;
    button.addEventListener("click", () => useZone(own, button));
    zoneOffer.replaceChildren(`Times are in ${zone}.`, button);
}

/** Chooses a time zone in the settings. The streams then bring every part of the page in it. */
async function useZone(zone, button) {
    button.disabled = true;
    const body = new URLSearchParams({ zone });
    const headers = { Accept: "application/problem+json, text/html" };
    // No response is reported like a refusal.
    const response = await fetch("/coffee/settings", { method: "POST", body, headers }).catch(() => null);
    button.disabled = false;
    if (!response?.ok) button.textContent = `Couldn't change the time zone. Try ${zone} again`;
}

document.addEventListener("live:updated", offerZone);
offerZone();
