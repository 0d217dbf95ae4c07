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
    #status = document.getElementById("toasts");
    #alerts = document.getElementById("alerts");

    /** Shows a message; `action` is {label, run} or {label, href}. */
    show(message, action = null) {
        this.#add(this.#status, message, action);
    }

    /** Shows an error message. */
    alert(message, action = null) {
        this.#add(this.#alerts, message, action);
    }

    #add(region, message, action) {
        const same = Array.from(region.children).find((toast) => toast.dataset.message === message);
        same?.remove();
        while (region.childElementCount >= maximumCount) region.firstElementChild.remove();
        const toast = document.createElement("div");
        toast.className = "toast";
        toast.dataset.message = message;
        const text = document.createElement("p");
        text.textContent = message;
        toast.append(text);
        if (action) toast.append(this.#action(action, toast));
        const close = document.createElement("button");
        close.type = "button";
        close.className = "toast-close";
        close.setAttribute("aria-label", closeMessage);
        close.textContent = "×";
        close.addEventListener("click", () => toast.remove());
        toast.append(close);
        region.append(toast);
        expire(toast, minimumDuration + durationPerCharacter * message.length, () => toast.remove());
    }

    #action({ label, run, href }, toast) {
        const element = document.createElement(href ? "a" : "button");
        element.className = "toast-action";
        element.textContent = label;
        if ("href" in element) element.href = href;
        else element.type = "button";
        element.addEventListener("click", () => {
            toast.remove();
            run?.();
        });
        return element;
    }
}
