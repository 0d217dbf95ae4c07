// Short messages that disappear by themselves. Screen readers announce them.

import { expire } from "../site/expiring.js";
import { closeMessage } from "./words.js";

/**
 * How long a message is shown, in milliseconds: a minimum, and more for each character. It stays while it is hovered or
 * focused.
 */
const minimumDuration = 5000;
const durationPerCharacter = 60;
const maximumCount = 4;

export class Toasts {
    /** Shows a message; `action` is {label, run} or {label, href}. */
    show(message, action = null) {
        add(document.getElementById("toasts"), message, action);
    }

    /** Shows an error message. */
    alert(message) {
        add(document.getElementById("alerts"), message, null);
    }
}

function add(region, message, action) {
    const same = Array.from(region.children).find((toast) => toast.querySelector("p").textContent === message);
    same?.remove();
    while (region.childElementCount >= maximumCount) region.firstElementChild.remove();
    const toast = Object.assign(document.createElement("div"), { className: "toast" });
    toast.append(Object.assign(document.createElement("p"), { textContent: message }));
    if (action) toast.append(actionElement(action));
    toast.append(Object.assign(document.createElement("button"), {
        type: "button", className: "toast-close", ariaLabel: closeMessage, textContent: "×",
    }));
    toast.addEventListener("click", (event) => {
        const clicked = /** @type {HTMLElement} */ (event.target);
        if (!clicked.matches("a, button")) return;
        toast.remove();
        if (clicked.matches(".toast-action")) action.run?.();
    });
    region.append(toast);
    expire(toast, minimumDuration + durationPerCharacter * message.length, () => toast.remove());
}

function actionElement({ label, href }) {
    const element = href
        ? Object.assign(document.createElement("a"), { href })
        : Object.assign(document.createElement("button"), { type: "button" });
    return Object.assign(element, { className: "toast-action", textContent: label });
}
