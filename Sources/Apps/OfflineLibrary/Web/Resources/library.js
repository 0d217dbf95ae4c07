// Enhances the list: it offers a bookmarklet, and all pages of the list can be selected at once.

import {
    noneSelected, onePage, oneSelected, selectAll, selectNone, selected, severalPages, severalSelected,
} from "./words.js";

// --- The bookmarklet, which opens the list with the address of the page on which it is used. It contains the address
// of this site as the browser knows it; behind a proxy, the server may know only another one.

const panel = document.getElementById("bookmarklet");
/** @type {HTMLAnchorElement} */
const link = panel?.querySelector("a");
/** @type {HTMLInputElement} */
const field = panel?.querySelector("input");

if (link && field) {
    const code = `javascript:void(open('${location.origin}/library/?url='+encodeURIComponent(location.href)))`;
    link.setAttribute("href", code);
    field.value = code;
    panel.hidden = false;
    // The site's policy forbids such addresses, so here a click would only cause an error.
    link.addEventListener("click", (event) => event.preventDefault());
}

// --- Selecting: one button selects all pages of the list or none, and the button that deletes them has their number.
// Without this script, each page's checkbox still selects it.

/** @returns {NodeListOf<HTMLInputElement>} */
function checkboxes() {
    return document.querySelectorAll("#list .select input");
}

/** Shows how many pages are selected; announces it if a person has just chosen them. */
function showSelection(isChosen) {
    const button = document.getElementById("select-all");
    if (!button) return;
    const all = Array.from(checkboxes());
    const count = all.filter(({ checked }) => checked).length;
    button.hidden = all.length === 0;
    button.textContent = count > 0 && count === all.length ? selectNone : selectAll;
    document.getElementById("selected-count").textContent =
        count === 0 ? selected : count === 1 ? onePage : severalPages({ count });
    const status = document.getElementById("selected-status");
    const text = count === 0 ? noneSelected : count === 1 ? oneSelected : severalSelected({ count });
    // What was announced for another number is out of date; the same must stay until it is read.
    if (status.textContent !== text) status.textContent = isChosen ? text : "";
}

document.addEventListener("change", (event) => {
    if (/** @type {HTMLElement} */ (event.target).closest("#list .select")) showSelection(true);
});

document.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("#select-all");
    if (!button) return;
    const all = Array.from(checkboxes());
    const isSelecting = !all.every(({ checked }) => checked);
    for (const box of all) box.checked = isSelecting;
    showSelection(true);
});

document.addEventListener("live:updated", () => showSelection(false));
// The form is reset only after its event.
document.addEventListener("reset", () => queueMicrotask(() => showSelection(false)));
showSelection(false);
