// Enhances the palettes' page: emoji are added as they are typed, the search runs as text is typed, and palettes can be
// dragged. Changes are sent by submitting the page's forms.

import { morphTo } from "../site/morph.js";

/** Calls `callback` once a submitted form has its response, with whether the server refused it. */
function whenAnswered(form, callback) {
    const observer = new MutationObserver(() => {
        if (form.getAttribute("aria-busy") === "true") return;
        observer.disconnect();
        callback(form.querySelector("[role=alert]:not([hidden])") !== null);
    });
    observer.observe(form, { attributes: true, attributeFilter: ["aria-busy"] });
}

// --- The editor: adding emoji.

const emojiPattern = /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|[0-9#*]\uFE0F?\u20E3/u;

/** Sends the field's text, and clears the field at once, so that more can be typed before the response arrives. */
function addTyped(field) {
    const form = field.form;
    if (form.getAttribute("aria-busy") === "true" || !emojiPattern.test(field.value)) return;
    const sent = field.value;
    whenAnswered(form, (isRefused) => {
        // Restore the refused text, before the text that was typed since.
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
    if (field.id === "palette-search") search(field.form);
});

document.addEventListener("change", (event) => {
    const field = /** @type {HTMLSelectElement} */ (event.target);
    if (field.id === "palette-tone") search(field.form);
});

document.addEventListener("click", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    /** @type {HTMLAnchorElement | null} */
    const link = target.closest(".emoji-groups a");
    // Leave a click that opens a new tab or window to the browser.
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    /** @type {HTMLInputElement} */
    const field = document.getElementById("palette-search");
    field.value = "";
    // The link may have an earlier skin tone, but the page's address always has the current one.
    const values = new URL(location.href).searchParams;
    values.delete("q");
    values.set("group", new URL(link.href).searchParams.get("group") ?? "");
    showResults(values);
});

document.addEventListener("compositionend", (event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (field.id === "palette-add") addTyped(field);
});

// The field is focused on load, so something may have been typed before this script ran.
const addField = document.getElementById("palette-add");
if (addField) addTyped(addField);

// The name of a new palette is selected, so that typing replaces it.
/** @type {HTMLInputElement | null} */
const newName = document.querySelector("#palette-name[data-select]");
newName?.focus();
newName?.select();

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
        search(form);
    } else if (form.id === "remove") {
        // Move the focus to the emoji that takes the removed one's place, so that several can be removed with the
        // keyboard.
        const buttons = Array.from(form.querySelectorAll("button"));
        const place = buttons.indexOf(event.submitter);
        if (document.activeElement !== event.submitter) return;
        whenAnswered(form, () => {
            const remaining = form.querySelectorAll("button");
            (remaining[Math.min(place, remaining.length - 1)] ?? document.getElementById("palette-add"))?.focus();
        });
    }
});

// A menu that opens again shows all its items, not the confirmation that was open when it closed.
document.addEventListener("toggle", (event) => {
    const menu = /** @type {HTMLDetailsElement} */ (event.target);
    const confirmation = menu.open ? null : menu.querySelector(".menu-sure");
    confirmation?.removeAttribute("open");
}, true);

// --- The editor: searching. The search text, the group and the skin tone are part of the page's address, so that later
// updates of the page show them too.

/** The order of the fields in the address, as in `PaletteQuery`: a form's response has the same address as the page. */
const fieldNames = ["store", "palette", "q", "group", "tone"];
let latestAddress = null;
let isUpdating = false;

/** Shows the results for the fields of the search form. */
function search(form) {
    const values = new URLSearchParams();
    for (const { name, value } of form.querySelectorAll("[name]")) values.append(name, value);
    showResults(values);
}

/** Makes fields part of the page's address, and shows the results for them. */
async function showResults(values) {
    const address = new URL(location.href);
    const fields = fieldNames.map((name) => [name, values.get(name) ?? ""]).filter(([, value]) => value.trim() !== "");
    address.search = new URLSearchParams(fields).toString();
    address.hash = "";
    latestAddress = address.href;
    history.replaceState(history.state, "", address);
    if (isUpdating) return;
    isUpdating = true;
    let shown = null;
    // Run one search at a time. If the address changed during a search, run another one for it.
    while (shown !== latestAddress) {
        shown = latestAddress;
        const page = await fetchPage(shown);
        const region = document.getElementById("palettes");
        const found = page?.getElementById("palettes");
        if (region && found && shown === latestAddress) morphTo(region, found);
    }
    isUpdating = false;
}

async function fetchPage(address) {
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
function submitWith(form, name, value) {
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
        if (to !== from) submitWith(dragged.querySelector("form[action$='/move']"), "to", to);
    } else {
        submitWith(dragged.querySelector("form[action$='/to']"), "store", target.store.dataset.store);
    }
});

document.addEventListener("dragend", () => {
    clearMarks();
    dragged?.classList.remove("is-dragged");
    dragged = null;
});
