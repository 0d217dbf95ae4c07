// Short messages that disappear by themselves. Screen readers announce them.

/** The duration of a message, in milliseconds: a base and an amount per character. Hovered or focused messages stay. */
const least = 5000;
const perLetter = 60;
const most = 4;

export class Toasts {
    #status = document.getElementById("toasts");
    #alerts = document.getElementById("alerts");

    /** Shows a message; `action` is {label, run} or {label, href}. */
    say(message, action = null) {
        this.#show(this.#status, message, action);
    }

    /** Shows an error message. */
    alert(message, action = null) {
        this.#show(this.#alerts, message, action);
    }

    #show(region, message, action) {
        const same = Array.from(region.children).find((toast) => toast.dataset.message === message);
        same?.remove();
        while (region.childElementCount >= most) region.firstElementChild.remove();
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
        this.#leave(toast, least + perLetter * message.length);
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

    #leave(toast, time) {
        let timer = null;
        const go = () => (timer = setTimeout(() => toast.remove(), time));
        for (const type of ["pointerenter", "focusin"]) toast.addEventListener(type, () => clearTimeout(timer));
        for (const type of ["pointerleave", "focusout"]) toast.addEventListener(type, go);
        go();
    }
}
