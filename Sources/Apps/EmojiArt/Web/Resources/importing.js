// Imports a chosen or dropped file as a new board.

import { request } from "./requests.js";
import { fileBytes, inMegabytes } from "./transfers.js";

export class BoardImport {
    #board;
    /** @type {HTMLInputElement} */
    #field = document.getElementById("import-file");

    constructor(board) {
        this.#board = board;
        this.#field.addEventListener("change", () => {
            const [file] = this.#field.files;
            if (file) this.take(file);
            this.#field.value = "";
        });
    }

    /** Opens the file picker. */
    ask() {
        this.#field.click();
    }

    /** Imports a file, and shows a link to the new board. */
    async take(file) {
        const { toasts } = this.#board;
        const name = `“${file.name}”`;
        if (file.size > fileBytes) {
            const limit = inMegabytes(fileBytes);
            toasts.alert(`${name} has ${inMegabytes(file.size)}, and the file of a board ${limit} at most.`);
            return;
        }
        try {
            const { path, notes = [] } = await request(`/art/import?name=${encodeURIComponent(file.name)}`, {
                method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" },
            });
            toasts.say([`${name} is a board now.`, ...notes].join(" "), { label: "Open", href: path });
        } catch (error) {
            toasts.alert(`${name} was not imported. ${error.message}`);
        }
    }
}
