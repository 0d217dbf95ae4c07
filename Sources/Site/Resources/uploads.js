// Sends forms with files. A form shows how much of a file has been sent, and offers to stop.

import { fileSent, stopSending, waitingForAnswer } from "./words.js";

/** Whether a form sends files. */
export function hasFiles(/** @type {HTMLFormElement} */ form) {
    return form.enctype === "multipart/form-data";
}

/** The reason of a promise that fails because a person has stopped the sending. */
export class Stopped extends Error {}

/**
 * Sends a form with its files, as `fetch` does, which can't tell how much has been sent.
 *
 * @param {HTMLFormElement} form
 * @param {string} address
 * @param {FormData} body
 * @param {Record<string, string>} headers
 * @returns {Promise<{ok: boolean, status: number, url: string, redirected: boolean, headers: {get: (name: string) => string | null}, text: () => Promise<string>, json: () => Promise<any>}>}
 */
export function sendFiles(form, address, body, headers) {
    const request = new XMLHttpRequest();
    const display = new Display(form, () => request.abort());
    return new Promise((resolve, reject) => {
        request.open("POST", address);
        for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
        request.upload.onprogress = ({ loaded, total }) => display.show(loaded, total);
        request.upload.onload = () => display.showSent();
        request.onload = () => {
            const text = request.responseText;
            resolve({
                ok: request.status >= 200 && request.status < 300,
                status: request.status,
                url: request.responseURL,
                redirected: request.responseURL !== new URL(address, location.href).href,
                headers: { get: (name) => request.getResponseHeader(name) },
                text: async () => text,
                json: async () => JSON.parse(text),
            });
        };
        request.onerror = () => reject(new TypeError());
        request.onabort = () => reject(new Stopped());
        request.onloadend = () => display.remove();
        request.send(body);
    });
}

/** Shows how much has been sent, at the end of a form. */
class Display {
    #bar = document.createElement("progress");
    #text = document.createElement("span");
    #button = document.createElement("button");
    #all = document.createElement("div");
    /** A screen reader announces only whole tenths. */
    #announced = -1;

    constructor(form, stop) {
        this.#button.type = "button";
        this.#button.className = "button";
        this.#button.textContent = stopSending;
        this.#button.addEventListener("click", stop);
        this.#text.setAttribute("role", "status");
        this.#text.id = `${form.id}-sent`;
        this.#bar.setAttribute("aria-labelledby", this.#text.id);
        const row = document.createElement("div");
        row.className = "row";
        row.append(this.#text, this.#button);
        this.#all.className = "sending";
        this.#all.append(this.#bar, row);
        form.append(this.#all);
    }

    show(sent, total) {
        this.#bar.max = total;
        this.#bar.value = sent;
        const tenth = Math.floor((10 * sent) / total);
        if (tenth === this.#announced) return;
        this.#announced = tenth;
        this.#text.textContent = fileSent({ percent: 10 * tenth });
    }

    showSent() {
        // What is sent can't be taken back.
        this.#button.remove();
        this.#bar.removeAttribute("value");
        this.#text.textContent = waitingForAnswer;
    }

    remove() {
        this.#all.remove();
    }
}
