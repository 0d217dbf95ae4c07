// Copies a new link. Without this script, the person selects the text of the field.

import { copiedLink, linkNotCopied } from "./words.js";

/** @type {HTMLInputElement} */
const field = document.querySelector("#link");
const button = document.getElementById("copy");
const status = document.getElementById("copy-status");

async function copy() {
    field.select();
    try {
        // Browsers offer this only over HTTPS and on this computer.
        await navigator.clipboard.writeText(field.value);
        return true;
    } catch {
        return document.execCommand("copy");
    }
}

if (field && button) {
    button.hidden = false;
    button.addEventListener("click", async () => {
        status.textContent = (await copy()) ? copiedLink : linkNotCopied;
    });
    field.addEventListener("focus", () => field.select());
}
