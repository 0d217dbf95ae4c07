// Short messages that disappear by themselves. Screen readers announce them.

import { make } from "./elements.js";
import { closeMessage } from "./words.js";
import { expire } from "../site/expiring.js";

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
    const toast = make("div", { class: "toast" }, make("p", {}, message));
    const close = () => toast.remove();
    if (action) {
        const { label, href, run } = action;
        const take = () => {
            close();
            run?.();
        };
        const type = href ? undefined : "button";
        toast.append(make(href ? "a" : "button", { class: "toast-action", href, type, click: take }, label));
    }
    const attributes = { type: "button", class: "toast-close", "aria-label": closeMessage, click: close };
    toast.append(make("button", attributes, "×"));
    region.append(toast);
    expire(toast, minimumDuration + durationPerCharacter * message.length, close);
}
