// Short messages that disappear by themselves. Screen readers announce them.

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
        close.setAttribute("aria-label", "Close the message");
        close.textContent = "×";
        close.addEventListener("click", () => toast.remove());
        toast.append(close);
        region.append(toast);
        this.#removeLater(toast, minimumDuration + durationPerCharacter * message.length);
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

    #removeLater(toast, time) {
        let timer = null;
        const stop = () => clearTimeout(timer);
        const start = () => {
            stop();
            timer = setTimeout(() => toast.remove(), time);
        };
        for (const type of ["pointerenter", "focusin"]) toast.addEventListener(type, stop);
        toast.addEventListener("pointerleave", () => toast.contains(document.activeElement) || start());
        toast.addEventListener("focusout", () => toast.matches(":hover") || start());
        start();
    }
}
