// Enhances the palettes' page: emoji are added as they are typed, the search runs as text is typed, and palettes can be
// dragged. Changes are sent by submitting the page's forms.

import { morphTo } from "../site/morph.js";

/** Calls `react` once a submitted form has its response, with whether the server refused it. */
function whenAnswered(form, react) {
    const observer = new MutationObserver(() => {
        if (form.getAttribute("aria-busy") === "true") return;
        observer.disconnect();
        react(form.querySelector("[role=alert]:not([hidden])") !== null);
    });
    observer.observe(form, { attributes: true, attributeFilter: ["aria-busy"] });
}

// --- The editor: adding emoji.

const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3/u;

/** Sends the field's text, and clears the field for what is typed meanwhile. */
function addTyped(field) {
    const form = field.form;
    if (form.getAttribute("aria-busy") === "true" || !emoji.test(field.value)) return;
    const sent = field.value;
    whenAnswered(form, (isRefused) => {
        // Restore the refused text in front of what was typed since.
        if (isRefused) field.value = sent + field.value;
        else addTyped(field);
    });
    form.requestSubmit();
    field.value = "";
}

document.addEventListener("input", (/** @type {InputEvent} */ event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    // The message about the previous text doesn't apply to the new one.
    if (field.id === "palette-add") field.form.querySelector("[role=alert]").hidden = true;
    if (field.id === "palette-add" && !event.isComposing) addTyped(field);
    if (field.id === "palette-search") look(field);
});

document.addEventListener("compositionend", (event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (field.id === "palette-add") addTyped(field);
});

// The field is focused on load, so something may have been typed before this script ran.
const first = document.getElementById("palette-add");
if (first) addTyped(first);

document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.id === "add") {
        // Sent with Enter or the button: clear the field once the text is accepted.
        const field = form.elements.emojis;
        const sent = field.value;
        whenAnswered(form, (isRefused) => {
            if (!isRefused && field.value === sent) field.value = "";
        });
    } else if (form.id === "search") {
        event.preventDefault();
        look(form.elements.q);
    } else if (form.id === "remove") {
        // Move the focus to the emoji that takes the removed one's place, so that several can be removed with the
        // keyboard.
        const buttons = Array.from(form.querySelectorAll("button"));
        const place = buttons.indexOf(event.submitter);
        if (document.activeElement !== event.submitter) return;
        whenAnswered(form, () => {
            const left = form.querySelectorAll("button");
            (left[Math.min(place, left.length - 1)] ?? document.getElementById("palette-add"))?.focus();
        });
    }
});

// --- The editor: searching. The search text is part of the page's address, so that later updates of the page show it
// too.

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
    // Run one search at a time, then search for the latest text that was typed meanwhile.
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

// --- The lists: palettes are dragged to another place, or into another store.

let dragged = null;

function clearMarks() {
    for (const row of document.querySelectorAll(".is-before, .is-after")) row.classList.remove("is-before", "is-after");
    for (const store of document.querySelectorAll(".store.is-target")) store.classList.remove("is-target");
}

/** The drop target of a palette: before or after another one, or anywhere in another store. */
function targetOf(event) {
    const store = event.target.closest?.(".store");
    const row = event.target.closest?.(".palette");
    if (!dragged || !store) return null;
    if (store !== dragged.closest(".store")) return { store };
    if (!row || row === dragged) return null;
    const box = row.getBoundingClientRect();
    return { row, isAfter: event.clientY > box.top + box.height / 2 };
}

/** Submits a form as if a button with this name and value were pressed. */
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
        // The server removes the palette before it inserts it again, which shifts the palettes after it.
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
