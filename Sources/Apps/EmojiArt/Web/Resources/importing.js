// Imports a chosen or dropped file as a new board.

import { request } from "./requests.js";
import { fileBytes, inMegabytes } from "./data-transfer.js";
import { fileTooLarge, imported, notImported, openImported, quoted } from "./words.js";

export class BoardImport {
    #board;
    /** @type {HTMLInputElement} */
    #field = document.getElementById("import-file");

    constructor(board) {
        this.#board = board;
        this.#field.addEventListener("change", () => {
            const [file] = this.#field.files;
            if (file) this.importFile(file);
            this.#field.value = "";
        });
    }

    openFilePicker() {
        this.#field.click();
    }

    /** Imports a file, and shows a link to the new board. */
    async importFile(file) {
        const { toasts } = this.#board;
        const name = quoted({ text: file.name });
        if (file.size > fileBytes) {
            toasts.alert(fileTooLarge({ name, size: inMegabytes(file.size), limit: inMegabytes(fileBytes) }));
            return;
        }
        try {
            const { path, notes = [] } = await request(`/art/import?name=${encodeURIComponent(file.name)}`, {
                method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" },
            });
            toasts.show([imported({ name }), ...notes].join(" "), { label: openImported, href: path });
        } catch (error) {
            toasts.alert(notImported({ name, reason: error.message }));
        }
    }
}
