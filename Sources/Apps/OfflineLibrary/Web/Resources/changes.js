// Moves between the changes of a text, with buttons and with the keys N and P. Without this script, the page is scrolled.
//
// As in the list, a person can switch the keys off.

import { withStorage } from "../site/storage.js";

function areKeysUsed() {
    return withStorage(() => localStorage.getItem("library/keys")) !== "off";
}

/** @returns {HTMLElement[]} */
function changes() {
    return Array.from(document.querySelectorAll(".text-change"));
}

/** The identifier of the change that had the focus last: a click moves the focus to a button. */
let lastChange = "";

/** Moves to the next change below the top of the window, or to the one above it. */
function move(step) {
    const all = changes();
    const current = all.findIndex(({ id }) => id === lastChange);
    let index = current + step;
    if (current < 0) {
        const below = all.findIndex((change) => change.getBoundingClientRect().top > 0);
        index = step > 0 ? below : (below < 0 ? all.length : below) - 1;
    }
    const change = all[Math.min(Math.max(index, 0), all.length - 1)];
    change?.focus({ preventScroll: true });
    change?.scrollIntoView({ block: "center" });
}

function showBar() {
    const bar = document.getElementById("change-bar");
    if (bar) bar.hidden = changes().length === 0;
    for (const hint of document.querySelectorAll(".keys-hint")) {
        /** @type {HTMLElement} */ (hint).hidden = !areKeysUsed();
    }
}

document.addEventListener("focusin", (event) => {
    const change = /** @type {HTMLElement} */ (event.target).closest(".text-change");
    if (change) lastChange = change.id;
});

document.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("#next-change, #previous-change");
    if (button) move(button.id === "next-change" ? 1 : -1);
});

document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.altKey || event.ctrlKey || event.metaKey || target.matches("input, select, textarea")) return;
    if (!areKeysUsed() || !["n", "p"].includes(event.key)) return;
    event.preventDefault();
    move(event.key === "n" ? 1 : -1);
});

document.addEventListener("live:updated", showBar);
showBar();
