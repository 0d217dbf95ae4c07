// Copies a new token to the clipboard.

import { copied } from "./words.js";

const secret = document.getElementById("secret");
const button = document.getElementById("copy");

/** Copies the token; without access to the clipboard, as over HTTP from another computer, it is only selected. */
async function copy() {
    if (!secret || !button) return;
    getSelection()?.selectAllChildren(secret);
    if (!navigator.clipboard) return;
    await navigator.clipboard.writeText(secret.textContent ?? "");
    button.textContent = copied;
}

if (button) {
    button.hidden = false;
    button.addEventListener("click", () => void copy());
}
