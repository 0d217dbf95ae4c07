// What makes the palettes' page quicker than it is without a script: emoji are added as they are typed and found as they
// are looked for, and palettes are dragged. All of it goes through the forms of the page.

import { morphTo } from "../site/morph.js";

/** Does something as soon as a form has its answer; it is told whether the form was refused. */
function whenAnswered(form, react) {
    const observer = new MutationObserver(() => {
        if (form.getAttribute("aria-busy") === "true") return;
        observer.disconnect();
        react(form.querySelector("[role=alert]:not([hidden])") !== null);
    });
    observer.observe(form, { attributes: true, attributeFilter: ["aria-busy"] });
}

// --- The editor: what is typed.

const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3/u;

/** Sends what stands in the field, and makes room for what is typed meanwhile. */
function addTyped(field) {
    const form = field.form;
    if (form.getAttribute("aria-busy") === "true" || !emoji.test(field.value)) return;
    const sent = field.value;
    whenAnswered(form, (isRefused) => {
        // What was not taken is there again, before what was typed since.
        if (isRefused) field.value = sent + field.value;
        else addTyped(field);
    });
    form.requestSubmit();
    field.value = "";
}

document.addEventListener("input", (/** @type {InputEvent} */ event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    // What was wrong with what stood there says nothing of what stands there now.
    if (field.id === "palette-add") field.form.querySelector("[role=alert]").hidden = true;
    if (field.id === "palette-add" && !event.isComposing) addTyped(field);
    if (field.id === "palette-search") look(field);
});

document.addEventListener("compositionend", (event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (field.id === "palette-add") addTyped(field);
});

// The field has the focus at once: something may have been typed before this script was there.
const first = document.getElementById("palette-add");
if (first) addTyped(first);

document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.id === "add") {
        // Sent with Enter or the button: what was taken need not stand there any longer.
        const field = form.elements.emojis;
        const sent = field.value;
        whenAnswered(form, (isRefused) => {
            if (!isRefused && field.value === sent) field.value = "";
        });
    } else if (form.id === "search") {
        event.preventDefault();
        look(form.elements.q);
    } else if (form.id === "remove") {
        // The one that takes its place has the focus next: several go without looking for the keyboard's place.
        const buttons = Array.from(form.querySelectorAll("button"));
        const place = buttons.indexOf(event.submitter);
        if (document.activeElement !== event.submitter) return;
        whenAnswered(form, () => {
            const left = form.querySelectorAll("button");
            (left[Math.min(place, left.length - 1)] ?? document.getElementById("palette-add"))?.focus();
        });
    }
});

// --- The editor: what is looked for. The page's address says it, so that whatever is fetched later shows it too.

let wanted = null;
let isLooking = false;

async function look(field) {
    const address = new URL(location.href);
    if (field.value.trim() === "") address.searchParams.delete("q");
    else address.searchParams.set("q", field.value);
    wanted = address.href;
    history.replaceState(history.state, "", address);
    if (isLooking) return;
    isLooking = true;
    let shown = null;
    // One at a time; of what is typed meanwhile, the last.
    while (shown !== wanted) {
        shown = wanted;
        const page = await fetched(shown);
        const region = document.getElementById("palettes");
        const found = page?.getElementById("palettes");
        if (region && found && shown === wanted) morphTo(region, found);
    }
    isLooking = false;
}

async function fetched(address) {
    try {
        const response = await fetch(address, { headers: { Accept: "text/html" } });
        return response.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : null;
    } catch {
        return null;
    }
}

// --- The lists: a palette is dragged to another place, or into another store.

let dragged = null;

function clearMarks() {
    for (const row of document.querySelectorAll(".is-before, .is-after")) row.classList.remove("is-before", "is-after");
    for (const store of document.querySelectorAll(".store.is-target")) store.classList.remove("is-target");
}

/** Where a palette would be dropped: before or after another one, or anywhere in another store. */
function targetOf(event) {
    const store = event.target.closest?.(".store");
    const row = event.target.closest?.(".palette");
    if (!dragged || !store) return null;
    if (store !== dragged.closest(".store")) return { store };
    if (!row || row === dragged) return null;
    const box = row.getBoundingClientRect();
    return { row, isAfter: event.clientY > box.top + box.height / 2 };
}

/** Sends a form as if a button of it with this name and value were pressed. */
function press(form, name, value) {
    const button = document.createElement("button");
    button.name = name;
    button.value = value;
    button.hidden = true;
    form.append(button);
    form.requestSubmit(button);
    button.remove();
}

document.addEventListener("dragstart", (event) => {
    const row = /** @type {HTMLElement} */ (event.target).closest?.(".palette");
    if (!row || event.target !== row) return;
    dragged = row;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", row.querySelector(".palette-preview").textContent);
    row.classList.add("is-dragged");
});

document.addEventListener("dragover", (event) => {
    const target = targetOf(event);
    clearMarks();
    if (!target) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
    if (target.row) target.row.classList.add(target.isAfter ? "is-after" : "is-before");
    else target.store.classList.add("is-target");
});

document.addEventListener("drop", (event) => {
    const target = targetOf(event);
    if (!target) return;
    event.preventDefault();
    if (target.row) {
        const from = Number(dragged.dataset.index);
        const before = Number(target.row.dataset.index) + (target.isAfter ? 1 : 0);
        // Taken out first, it leaves its place to those behind it.
        const to = before > from ? before - 1 : before;
        if (to !== from) press(dragged.querySelector("form[action$='/move']"), "to", to);
    } else {
        press(dragged.querySelector("form[action$='/to']"), "store", target.store.dataset.store);
    }
});

document.addEventListener("dragend", () => {
    clearMarks();
    dragged?.classList.remove("is-dragged");
    dragged = null;
});
