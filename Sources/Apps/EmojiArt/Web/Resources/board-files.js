// Imports files as new boards, and downloads boards as files. Errors are shown on the board, without leaving the page.

import { fileBytes, inMegabytes, onFile } from "./data-transfer.js";
import { request, send } from "./requests.js";
import { fileTooLarge, imported, notDownloaded, notImported, openImported, quoted, unsavedChanges } from "./words.js";

export class BoardFiles {
    #board;

    constructor(board) {
        this.#board = board;
        onFile("import-file", (file) => this.importFile(file));
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

    /**
     * Fetches an export of the board. Pending changes are sent first, so that it contains them. Throws an Error with a
     * message for the person.
     */
    async fetchExport(href) {
        const { sync } = this.#board;
        this.#board.model.settle();
        await sync.flush();
        if (sync.hasUnsavedChanges) throw new Error(unsavedChanges);
        return await send(href, { cache: "no-store", headers: { Accept: "application/problem+json, */*" } });
    }

    /** Opens the page with the choices for an export. Pending changes are sent first, so that it contains them. */
    async openExportPage() {
        const { id, sync } = this.#board;
        await sync.flush();
        location.assign(`/art/boards/${id}/export`);
    }

    /** Downloads the file at an address. */
    async download(href) {
        const { toasts } = this.#board;
        try {
            const response = await this.fetchExport(href);
            const notes = JSON.parse(decodeURIComponent(response.headers.get("Meanwhile-Notes") ?? "[]"));
            // The name in `Content-Disposition` (RFC 6266).
            const encoded = /filename\*=UTF-8''([^;]+)/i.exec(response.headers.get("Content-Disposition") ?? "");
            save(await response.blob(), encoded ? decodeURIComponent(encoded[1]) : "board");
            for (const note of notes) toasts.alert(note);
        } catch (error) {
            toasts.alert(notDownloaded({ reason: error.message }));
        }
    }
}

function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    // After a minute the browser has certainly started to read the blob.
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
