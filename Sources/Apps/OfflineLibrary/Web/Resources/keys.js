// Keys for the list, which the dialog `#keys` names.
//
// A person can switch them off, because software for speech input and some devices send letters that aren't meant as
// commands.

import { withStorage } from "../site/storage.js";

const storageKey = "library/keys";

function areUsed() {
    return withStorage(() => localStorage.getItem(storageKey)) !== "off";
}

/** The rows of the pages that aren't deleted. */
function rows() {
    /** @type {NodeListOf<HTMLElement>} */
    const items = document.querySelectorAll("#list > .item:has(> .select)");
    return Array.from(items);
}

/** The row that has the focus. */
function currentRow() {
    /** @type {HTMLElement | null} */
    const row = document.activeElement?.closest("#list > .item");
    return row;
}

/** Focuses a row: its title, or its first button. */
function focusRow(/** @type {HTMLElement | undefined} */ row) {
    /** @type {HTMLElement | null} */
    const target = row?.querySelector(".item-title a, .item-actions button, summary");
    target?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
}

/** Moves the focus by a number of rows; without a current row, to the first one. */
function move(step) {
    const all = rows();
    const row = currentRow();
    const index = row ? all.indexOf(row) + step : 0;
    focusRow(all[Math.min(Math.max(index, 0), all.length - 1)]);
}

function toggleSelection(row) {
    /** @type {HTMLInputElement | null} */
    const selecting = document.querySelector("#selecting");
    /** @type {HTMLInputElement | null} */
    const box = row.querySelector(".select input");
    if (!selecting || !box) return;
    selecting.checked = true;
    box.checked = !box.checked;
    box.dispatchEvent(new Event("change", { bubbles: true }));
}

function press(button) {
    if (button instanceof HTMLButtonElement) button.form?.requestSubmit(button);
}

/** Deletes a row's page; the focus moves to the button that undoes it, as after a click. */
function deletePage(row) {
    /** @type {HTMLButtonElement | null} */
    const button = row.querySelector("form[data-key=remove] button");
    button?.focus({ preventScroll: true });
    press(button);
}

/** Undoes the change of several pages, or the deletion of the page at the focus, or of the first deleted one. */
function undo() {
    const row = currentRow() ?? document;
    press(
        document.querySelector("#undo-all button") ?? row.querySelector("form[action$='/restore'] button")
        ?? document.querySelector("#list form[action$='/restore'] button"),
    );
}

const commands = {
    "/": () => {
        /** @type {HTMLInputElement | null} */
        const field = document.querySelector("#search-words");
        field?.focus();
        field?.select();
    },
    "j": () => move(1), "ArrowDown": () => move(1),
    "k": () => move(-1), "ArrowUp": () => move(-1),
    "u": undo,
    "?": () => showKeys(),
};

/** The commands for the row that has the focus. */
const rowCommands = {
    "x": toggleSelection,
    "f": (row) => press(row.querySelector(".favourite button")),
    "t": (row) => row.querySelector("a[href$='/marks']")?.click(),
    "Delete": deletePage,
};

/** Whether keys belong to the element with the focus: it takes text, or a menu or dialog is open. */
function isTaken(/** @type {HTMLElement} */ target) {
    return target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox])")
        || document.querySelector("dialog[open], details.menu[open]") !== null;
}

document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const isArrow = key === "ArrowDown" || key === "ArrowUp";
    // Without a row at the focus, arrows scroll the page.
    if (isTaken(target) || !areUsed() && key !== "?" || isArrow && !currentRow()) return;
    const row = currentRow();
    const command = commands[key] ?? (row && rowCommands[key]);
    if (!command) return;
    event.preventDefault();
    command(row);
});

// --- The dialog.

/** @type {HTMLDialogElement | null} */
const dialog = document.querySelector("#keys");
/** @type {HTMLInputElement | null} */
const use = document.querySelector("#use-keys");

function showKeys() {
    if (!dialog || !use) return;
    use.checked = areUsed();
    dialog.showModal();
}

document.querySelector("#keys-row")?.removeAttribute("hidden");
document.addEventListener("click", (event) => {
    if (/** @type {HTMLElement} */ (event.target).closest("#show-keys")) showKeys();
});
use?.addEventListener("change", () => {
    withStorage(() => use.checked ? localStorage.removeItem(storageKey) : localStorage.setItem(storageKey, "off"));
});
