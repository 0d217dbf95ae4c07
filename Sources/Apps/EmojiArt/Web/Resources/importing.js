// Boards as files: what is chosen or dropped becomes a board of its own.

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

    /** Asks for a file. */
    ask() {
        this.#field.click();
    }

    /** Makes a board of a file, and says where it is. */
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
