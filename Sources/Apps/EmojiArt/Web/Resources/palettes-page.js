// Enhances the palettes' page: emoji are added as they are typed, the search runs as text is typed, and palettes can be
// dragged. Changes are sent by submitting the page's forms.

import { fetchPage, morphTo } from "../site/morph.js";

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
    if (field.id === "palette-search" || field.id === "palette-tone") search(field.form);
    if (field.id !== "palette-add") return;
    // The message about the previous text doesn't apply to the new one.
    field.form.querySelector("[role=alert]").hidden = true;
    if (!event.isComposing) addTyped(field);
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
    } else if (form.id === "remove" && document.activeElement === event.submitter) {
        // Move the focus to the emoji that takes the removed one's place, so that several can be removed with the
        // keyboard.
        const place = Array.from(form.querySelectorAll("button")).indexOf(event.submitter);
        whenAnswered(form, () => {
            const buttons = form.querySelectorAll("button");
            (buttons[Math.min(place, buttons.length - 1)] ?? document.getElementById("palette-add"))?.focus();
        });
    }
});

// A menu that opens again shows all its items, not the confirmation that was open when it closed.
document.addEventListener("toggle", (event) => {
    const menu = /** @type {HTMLDetailsElement} */ (event.target);
    if (!menu.open) menu.querySelector(".menu-sure")?.removeAttribute("open");
}, true);

// --- The editor: searching. The search text, the group and the skin tone are part of the page's address, so that later
// updates of the page show them too.

document.addEventListener("click", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    /** @type {HTMLAnchorElement | null} */
    const link = target.closest(".emoji-groups a");
    // Leave a click that opens a new tab or window to the browser.
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    /** @type {HTMLFormElement} */
    const form = document.getElementById("search");
    form.elements.q.value = "";
    form.elements.group.value = new URL(link.href).searchParams.get("group") ?? "";
    search(form);
});

let isSearching = false;

/** Makes the fields of the search form part of the page's address, and shows the results for them. */
async function search(form) {
    // The form has the fields in the order of `PaletteQuery`: a form's response has the same address as the page.
    const fields = Array.from(form.querySelectorAll("[name]"), ({ name, value }) => [name, value]);
    const query = new URLSearchParams(fields.filter(([, value]) => value.trim() !== ""));
    history.replaceState(history.state, "", `${location.pathname}?${query}`);
    if (isSearching) return;
    isSearching = true;
    let shown = null;
    // Run one search at a time. If the address changed during a search, run another one for it.
    while (shown !== location.href) {
        shown = location.href;
        const found = (await fetchPage())?.getElementById("palettes");
        if (found && shown === location.href) morphTo(document.getElementById("palettes"), found);
    }
    isSearching = false;
}

// --- The lists: palettes are dragged to another place, or into another store.

let dragged = null;

/** Where the dragged palette would be dropped: {element, mark}, beside another one, or anywhere in another store. */
function targetOf(event) {
    const store = event.target.closest?.(".store");
    if (!dragged || !store) return null;
    if (store !== dragged.closest(".store")) return { element: store, mark: "is-target" };
    const row = event.target.closest(".palette");
    if (!row || row === dragged) return null;
    const { top, height } = row.getBoundingClientRect();
    return { element: row, mark: event.clientY > top + height / 2 ? "is-after" : "is-before" };
}

/** Marks a drop target, and removes the mark of the previous one. */
function showTarget(target) {
    const marks = ["is-before", "is-after", "is-target"];
    for (const each of document.querySelectorAll(".is-before, .is-after, .is-target")) each.classList.remove(...marks);
    target?.element.classList.add(target.mark);
}

/** Submits a form of the dragged palette as if a button with this name and value were pressed. */
function submitDragged(action, name, value) {
    const form = dragged.querySelector(`form[action$='/${action}']`);
    const button = Object.assign(document.createElement("button"), { name, value, hidden: true });
    form.append(button);
    form.requestSubmit(button);
    button.remove();
}

document.addEventListener("dragstart", (event) => {
    const row = /** @type {HTMLElement} */ (event.target);
    if (!row.matches?.(".palette")) return;
    dragged = row;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", row.querySelector(".palette-preview").textContent);
    row.classList.add("is-dragged");
});

document.addEventListener("dragover", (event) => {
    const target = targetOf(event);
    showTarget(target);
    if (!target) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
});

document.addEventListener("drop", (event) => {
    const target = targetOf(event);
    if (!target) return;
    event.preventDefault();
    if (target.mark === "is-target") {
        submitDragged("to", "store", target.element.dataset.store);
        return;
    }
    const from = Number(dragged.dataset.index);
    const before = Number(target.element.dataset.index) + (target.mark === "is-after" ? 1 : 0);
    // The server removes the palette before it inserts it again, which shifts the palettes after it.
    const to = before > from ? before - 1 : before;
    if (to !== from) submitDragged("move", "to", to);
});

document.addEventListener("dragend", () => {
    showTarget(null);
    dragged?.classList.remove("is-dragged");
    dragged = null;
});
