// Downloads boards as files. Errors are shown on the board, without leaving the page.

import { send } from "./requests.js";
import { notDownloaded, unsavedChanges } from "./words.js";

export class BoardDownloads {
    #board;

    constructor(board) {
        this.#board = board;
    }

    /**
     * Fetches an export of the board. Pending changes are sent first, so that it contains them. Throws an Error with a
     * message for the person.
     */
    async fetchExport(href) {
        const { sync } = this.#board;
        this.#board.settle();
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
            this.#save(await response.blob(), nameIn(response.headers.get("Content-Disposition") ?? ""));
            for (const note of notes) toasts.alert(note);
        } catch (error) {
            toasts.alert(notDownloaded({ reason: error.message }));
        }
    }

    #save(blob, name) {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(blob);
        link.download = name;
        link.click();
        // After a minute the browser has certainly started to read the blob.
        setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    }
}

/** The name of a file in `Content-Disposition` (RFC 6266). */
function nameIn(disposition) {
    const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition);
    return encoded ? decodeURIComponent(encoded[1]) : "board";
}
