// Enhances the list: it offers a bookmarklet, all pages of the list can be selected at once, and its changes are
// announced.

import { isAnythingKept, listedPages, prepareForOffline, sync } from "./kept.js";
import { sendWaiting } from "./waiting.js";
import {
    noneSelected, onePage, oneSelected, pageDeleted, pageNotSaved, pageSaved, pagesRestored, selectAll, selectNone,
    selected, severalPages, severalSelected,
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
    const select = () => {
        field.focus();
        field.select();
    };
    link.addEventListener("click", (event) => {
        // The site's policy forbids such addresses, so here a click would only cause an error.
        event.preventDefault();
        select();
    });
    field.addEventListener("click", select);
}

// --- Searching: the results appear while the words are typed. They are a part of the page's address, so that they stay
// after a reload, and come back after a page is opened. Without this script, the form opens the results.

/** Shows the results for the words and filters of the search form. */
function search(/** @type {HTMLFormElement} */ form) {
    const fields = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
        if (typeof value === "string" && value.trim() !== "") fields.append(name, value);
    }
    const query = `${fields}` ? `?${fields}` : "";
    if (location.search === query) return;
    history.replaceState(history.state, "", `${location.pathname}${query}`);
    document.getElementById("library").dispatchEvent(new Event("live:outdated", { bubbles: true }));
}

for (const type of ["input", "compositionend"]) {
    document.addEventListener(type, (/** @type {InputEvent} */ event) => {
        const field = /** @type {HTMLInputElement} */ (event.target);
        if (field.form?.id === "search" && !event.isComposing) search(field.form);
    });
}

document.addEventListener("submit", (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (form.id !== "search") return;
    event.preventDefault();
    search(form);
});

// --- Selecting: one button selects all pages of the list or none, and the delete button shows their number.
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
    /** @type {HTMLInputElement} */
    const every = document.querySelector("#select-every");
    const chosen = all.filter(({ checked }) => checked).length;
    const count = every?.checked ? Number(every.dataset.count) : chosen;
    button.hidden = all.length === 0;
    button.textContent = chosen > 0 && chosen === all.length ? selectNone : selectAll;
    document.getElementById("selected-count").textContent =
        count === 0 ? selected : count === 1 ? onePage : severalPages({ count });
    const status = document.getElementById("selected-status");
    const text = count === 0 ? noneSelected : count === 1 ? oneSelected : severalSelected({ count });
    // Replaces the announcement of a different number. An announcement of the same number stays, because a screen
    // reader may not have read it yet.
    if (status.textContent !== text) status.textContent = isChosen ? text : "";
}

document.addEventListener("change", (event) => {
    const box = /** @type {HTMLInputElement} */ (event.target);
    if (box.id === "select-every") {
        for (const one of checkboxes()) one.checked = box.checked;
    } else if (box.closest("#list .select")) {
        /** @type {HTMLInputElement} */
        const every = document.querySelector("#select-every");
        // A page that is taken out is one that must not change.
        if (every && !box.checked) every.checked = false;
    } else {
        return;
    }
    showSelection(true);
});

document.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("#select-all");
    if (!button) return;
    const all = Array.from(checkboxes());
    const isSelecting = !all.every(({ checked }) => checked);
    for (const box of all) box.checked = isSelecting;
    /** @type {HTMLInputElement} */
    const every = document.querySelector("#select-every");
    if (every && !isSelecting) every.checked = false;
    showSelection(true);
});

// The button that deletes the selected pages may be many rows away from a checkbox, so the Delete key leads to it.
document.addEventListener("keydown", (event) => {
    const isCheckbox = /** @type {HTMLElement} */ (event.target).matches("#list .select input");
    if (!isCheckbox || event.key !== "Delete" || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    /** @type {HTMLButtonElement} */
    const button = document.querySelector("#delete-selected");
    button.focus({ preventScroll: true });
});

document.addEventListener("live:updated", () => showSelection(false));
// The form is reset only after its event.
document.addEventListener("reset", () => queueMicrotask(() => showSelection(false)));
showSelection(false);

// --- Announcing: a screen reader says when a page is saved, and when a selection is deleted or restored. The row of a
// page that was just added scrolls into view.

function rows() {
    /** @type {NodeListOf<HTMLElement>} */
    const items = document.querySelectorAll("#list .item");
    return Array.from(items);
}

/** The title of a row, without its badge. */
function nameOf(row) {
    return row.querySelector(".item-title").firstChild.textContent.trim();
}

/** A deleted page can't be selected. */
function isDeleted(row) {
    return !row.querySelector(".select");
}

function announce(text) {
    const announcement = document.getElementById("announcement");
    if (announcement) announcement.textContent = text;
}

/** The rows as they were after the last update. */
let knownRows = new Set();
/** The rows of the pages that were being saved then. */
let unfinishedRows = new Set();
/** Whether this tab has sent an address whose row isn't in the list yet. */
let isAdding = false;
/** What to announce once a page is deleted, or no longer deleted. */
let pending = null;

/** Remembers the rows, and returns those that have finished saving since the last call. `added` is a new row. */
function noteRows(added = null) {
    const all = rows();
    const finished = all.filter(
        (row) => (row === added || unfinishedRows.has(row.id)) && !row.querySelector(".progress"),
    );
    unfinishedRows = new Set(all.filter((row) => row.querySelector(".progress")).map(({ id }) => id));
    knownRows = new Set(all.map(({ id }) => id));
    return finished.filter((row) => !isDeleted(row));
}

function announceChanges() {
    const added = isAdding ? rows().find(({ id }) => !knownRows.has(id)) : null;
    if (added) {
        isAdding = false;
        added.scrollIntoView({ block: "nearest" });
    }
    const texts = [];
    for (const row of noteRows(added)) {
        const badge = row.querySelector(".badge");
        if (!badge) texts.push(pageSaved({ name: nameOf(row) }));
        else if (badge.matches(".bad")) texts.push(pageNotSaved({ name: nameOf(row) }));
    }
    const row = pending && document.getElementById(pending.id);
    if (row && isDeleted(row) === pending.isDeleted) {
        texts.push(pending.text);
        pending = null;
    }
    if (texts.length > 0) announce(texts.join(" "));
}

document.addEventListener("submit", (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    pending = null;
    if (form.matches("#save, #save-several")) isAdding = true;
    if (event.submitter?.id === "delete-selected") {
        // The bar announces the deletion of several pages, but not of one.
        const selected = rows().filter((row) => row.querySelector(".select input:checked"));
        if (selected.length !== 1) return;
        pending = { id: selected[0].id, isDeleted: true, text: pageDeleted({ name: nameOf(selected[0]) }) };
    }
    if (form.matches("#undo-all[data-first]")) {
        const { count, first } = form.dataset;
        pending = { id: first, isDeleted: false, text: pagesRestored({ count }) };
    }
});
document.addEventListener("live:answered", ({ detail: { form, isRefused } }) => {
    if (!isRefused) {
        if (form.matches("#selection")) form.querySelector("details.menu").removeAttribute("open");
        return;
    }
    if (form.matches("#save, #save-several")) isAdding = false;
    pending = null;
});
document.addEventListener("live:updated", announceChanges);
noteRows();

// --- Reading without a connection: sends the addresses that were saved meanwhile, and makes the pages on this device
// agree with the list, soon after it has changed.

let synchronisation = 0;

async function synchronise() {
    await sendWaiting();
    if (!isAnythingKept()) return;
    const listed = await listedPages();
    if (listed && !listed.isStored) await sync(listed.pages);
}

function synchroniseSoon() {
    clearTimeout(synchronisation);
    synchronisation = setTimeout(synchronise, 1500);
}

prepareForOffline();
synchroniseSoon();
window.addEventListener("online", synchroniseSoon);
document.addEventListener("live:updated", synchroniseSoon);
